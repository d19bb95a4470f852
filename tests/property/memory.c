/*
 * Unused capacity costs nothing, by ph_stats.bytes: many shards with few entities, many consumers with large
 * bounds, a world without events, a small world. And using the same capacity again takes no more: an instance leaves
 * nothing behind, whatever its number.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/indexes.h"

enum {
    KIB = 1024,
    MIB = 1024 * KIB,
    SHARDS_AXIS = 32,
    ENTITIES = 199,
    NUMBERS_ENTITIES = 1000,
    NUMBERS_ROUNDS = 1000,
    NUMBERS_WARM = 25, /* the last few go from numbers to numbers, as all behind them */
    TICKS = 60,
    WALKERS = 20,
    SHARDS_BYTES = 24 * MIB, /* 3 of each shard's struct, some 60 KiB of each that was walked through */
    CONSUMERS_BYTES = 2 * MIB,
    FRESH_BYTES = 64 * KIB, /* with a producer and a consumer */
    SMALL_BYTES = 192 * KIB /* and with 20 walkers */
};

static uint64_t bytes_of(ph_world world)
{
    ph_stats stats;
    REQUIRE(ph_world_stats(world, &stats) == PH_OK);
    return stats.bytes;
}

static void at_most(const char *what, uint64_t bytes, uint64_t most)
{
    (void)printf("%s: %" PRIu64 " KiB\n", what, bytes / KIB);
    CHECK(bytes <= most, "%s: %" PRIu64 " bytes, at most %" PRIu64, what, bytes, most);
}

static float step(uint64_t *rng, float at)
{
    float to = at + 40 * phx_rng_unit(rng) - 20;
    return to < 0 || to > 10000 ? at : to;
}

/* Walkers, all over the world; of its shards most have none at first. */
static void many_shards(void)
{
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    float x[ENTITIES], y[ENTITIES];
    uint64_t rng = 1;
    def.shards[0] = def.shards[1] = SHARDS_AXIS;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    at_most("1,024 shards", bytes_of(world), 5 * MIB);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        x[i] = 10000 * phx_rng_unit(&rng);
        y[i] = 10000 * phx_rng_unit(&rng);
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = x[i], .y = y[i], .view = 120};
        REQUIRE(ph_enter(producer, i + 1, &attrs) == PH_OK);
    }
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint32_t i = 0; i < ENTITIES; i++) {
            x[i] = step(&rng, x[i]);
            y[i] = step(&rng, y[i]);
            REQUIRE(ph_move(producer, i + 1, x[i], y[i], 0) == PH_OK);
        }
        REQUIRE(ph_tick(world, NULL) == PH_OK);
    }
    at_most("1,024 shards, 199 walkers", bytes_of(world), SHARDS_BYTES);
    ph_world_destroy(world);
}

/* In each tick one target comes into sight, or goes: a batch for the observer's consumer. */
static void blink(ph_world world, ph_producer producer, uint32_t tick)
{
    REQUIRE(ph_move(producer, 2, tick % 2 ? 5000.0f : 10.0f, 0, 0) == PH_OK);
    REQUIRE(ph_tick(world, NULL) == PH_OK);
}

static void take_all(ph_consumer consumer)
{
    const ph_batch *batch;
    while (ph_batch_take(consumer, &batch) == PH_OK) REQUIRE(ph_batch_return(consumer, batch) == PH_OK);
}

static void many_consumers(void)
{
    enum { PROMPT = 200, WAITING = 1000 };
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    ph_consumer consumer[PH_CONSUMERS_MAX] = {{0}};
    def.consumers = PH_CONSUMERS_MAX;
    def.consumer_batches = 65536;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint32_t i = 0; i < def.consumers; i++) REQUIRE(ph_consumer_open(world, i, &consumer[i]) == PH_OK);
    const ph_attrs observer = {.given = PH_X | PH_Y | PH_VIEW, .view = 100}, target = {.given = PH_X | PH_Y, .x = 10};
    REQUIRE(ph_enter(producer, 1, &observer) == PH_OK && ph_enter(producer, 2, &target) == PH_OK);
    for (uint32_t tick = 0; tick < PROMPT; tick++) {
        blink(world, producer, tick);
        take_all(consumer[0]);
    }
    uint64_t prompt = bytes_of(world);
    at_most("256 consumers of 65,536 batches", prompt, CONSUMERS_BYTES);
    for (uint32_t tick = 0; tick < WAITING; tick++) blink(world, producer, tick);
    uint64_t waited = bytes_of(world);
    CHECK(waited > prompt, "1,000 batches wait, in %" PRIu64 " bytes", waited - prompt);
    at_most("1,000 batches that wait", waited - prompt, (uint64_t)WAITING * 2 * KIB);
    for (uint32_t again = 1; again < 4; again++) {
        take_all(consumer[0]);
        for (uint32_t tick = 0; tick < WAITING; tick++) blink(world, producer, tick);
        if (again == 1) waited = bytes_of(world); /* by now each batch was once of a tick with most in it */
    }
    CHECK(bytes_of(world) == waited, "as many wait again: %" PRIu64 " bytes, and were %" PRIu64, bytes_of(world),
          waited);
    ph_world_destroy(world);
}

/* ---- small worlds, by the allocator's own count ---- */

static _Atomic uint64_t held;

static void *count_allocate(void *user, size_t bytes, size_t alignment)
{
    void *memory = NULL;
    (void)user;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) != 0) return NULL;
    held += bytes;
    return memory;
}

static void count_release(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    (void)alignment;
    held -= bytes;
    free(memory);
}

/* Walkers in a room of 300 x 300; each tick's batch is taken. */
static void walk_small_world(ph_world world, ph_producer producer, ph_consumer consumer)
{
    float x[WALKERS], y[WALKERS];
    uint64_t rng = 3;
    for (uint32_t i = 0; i < WALKERS; i++) {
        x[i] = 5000 + 300 * phx_rng_unit(&rng);
        y[i] = 5000 + 300 * phx_rng_unit(&rng);
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = x[i], .y = y[i], .view = 100};
        REQUIRE(ph_enter(producer, i + 1, &attrs) == PH_OK);
    }
    for (uint32_t tick = 0; tick < 5 * TICKS; tick++) {
        for (uint32_t i = 0; i < WALKERS; i++) {
            x[i] = step(&rng, x[i]);
            y[i] = step(&rng, y[i]);
            REQUIRE(ph_move(producer, i + 1, x[i], y[i], 0) == PH_OK);
        }
        REQUIRE(ph_tick(world, NULL) == PH_OK);
        take_all(consumer);
    }
}

static void small_world(void)
{
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    def.allocator = (ph_allocator){.allocate = count_allocate, .release = count_release};
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    at_most("a world as created", held, 32 * KIB);
    REQUIRE(ph_producer_open(world, &producer) == PH_OK && ph_consumer_open(world, 0, &consumer) == PH_OK);
    REQUIRE(ph_tick(world, NULL) == PH_OK);
    at_most("with a producer and a consumer", held, FRESH_BYTES);
    walk_small_world(world, producer, consumer);
    at_most("with 20 walkers", held, SMALL_BYTES);
    ph_world_destroy(world);
    CHECK(held == 0, "%" PRIu64 " bytes left", held);
}

static void set_instances(ph_world world, ph_producer producer, uint32_t first, uint32_t step)
{
    for (uint32_t i = 0; i < NUMBERS_ENTITIES; i++) {
        const ph_attrs attrs = {.given = PH_INSTANCE, .instance = first + i * step};
        REQUIRE(ph_set(producer, i + 1, &attrs) == PH_OK);
    }
    REQUIRE(ph_tick(world, NULL) == PH_OK);
}

/* How many entities of an instance queries find around the middle. */
static uint32_t found_in(ph_world world, uint32_t instance)
{
    const ph_query all = {
        .shape = PH_QUERY_CIRCLE, .radius = INFINITY, .flags = PH_QUERY_IN_INSTANCE, .instance = instance};
    uint32_t count = 0;
    REQUIRE(ph_find(world, &all, NULL, 0, &count) == PH_OK);
    return count;
}

static uint64_t instances_of(ph_world world)
{
    ph_stats stats;
    REQUIRE(ph_world_stats(world, &stats) == PH_OK);
    return stats.instances;
}

/* Many numbers in turn, each for a tick: the bytes of the world do not grow, and nothing of a number is left. */
static void many_numbers(ph_range range, ph_index index, uint32_t shards, uint32_t rounds)
{
    ph_world_def def = ph_world_def_default();
    ph_class kinds[] = {ph_class_default("default"), ph_class_default("npc")};
    ph_world world;
    ph_producer producer;
    kinds[0].wakes = kinds[1].sleeps = true; /* activation and crowd control have tables by instance, too */
    def.crowd_entities = range == PH_RANGE_RADIUS ? 3 : 0;
    def.classes = kinds;
    def.class_count = 2;
    def.range = range;
    def.index = index;
    def.shards[0] = shards;
    def.consumers = 0;
    if (!index_serves(&def, index)) return;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint32_t i = 0; i < NUMBERS_ENTITIES; i++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW | PH_KIND,
                                .x = (float)i * 9,
                                .y = (float)(i % 7),
                                .view = 50,
                                .kind = i % 2};
        REQUIRE(ph_enter(producer, i + 1, &attrs) == PH_OK);
    }
    for (uint32_t round = 0; round < NUMBERS_WARM; round++) { /* as it grows at first: there, back, there, back */
        set_instances(world, producer, round % 10 == 9 ? 0 : 1 + round * NUMBERS_ENTITIES, round % 10 != 9);
    }
    const uint64_t before = bytes_of(world);
    uint32_t first = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        first = UINT32_MAX - (round + 1) * NUMBERS_ENTITIES;
        set_instances(world, producer, first, 1);
        CHECK(instances_of(world) == NUMBERS_ENTITIES, "%" PRIu64 " instances", instances_of(world));
    }
    CHECK(found_in(world, first) == 1 && found_in(world, first + NUMBERS_ENTITIES) == 0 && found_in(world, 1) == 0,
          "entities of a number are found that have another one");
    set_instances(world, producer, 0, 0);
    CHECK(instances_of(world) == 1, "%" PRIu64 " instances at the end", instances_of(world));
    CHECK(found_in(world, 0) == NUMBERS_ENTITIES && found_in(world, first) == 0, "not all are back in 0");
    (void)printf("%s, range = %s, %" PRIu32 " shards, ", index_name(index),
                 range == PH_RANGE_RADIUS ? "radius" : "towers", shards);
    at_most("many instances in turn", bytes_of(world), before);
    for (uint32_t i = 0; i < NUMBERS_ENTITIES; i++) REQUIRE(ph_leave(producer, i + 1) == PH_OK);
    REQUIRE(ph_tick(world, NULL) == PH_OK);
    CHECK(instances_of(world) == 0 && found_in(world, 0) == 0, "instances in an empty world");
    REQUIRE(ph_world_destroy(world) == PH_OK);
}

/* A million by the lighthouse, some by each other index, and over shards. */
static void all_numbers(void)
{
    enum { FEW = 40 };
    many_numbers(PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 1, NUMBERS_ROUNDS);
    many_numbers(PH_RANGE_TOWERS, PH_INDEX_LIGHTHOUSE, 1, NUMBERS_ROUNDS);
    for (int index = 0; index < INDEX_COUNT; index++)
        for (uint32_t shards = 1; shards <= 3; shards += 2) many_numbers(PH_RANGE_RADIUS, (ph_index)index, shards, FEW);
    many_numbers(PH_RANGE_TOWERS, PH_INDEX_LIGHTHOUSE, 3, FEW);
}

int main(void)
{
    all_numbers();
    many_shards();
    many_consumers();
    small_world();
    return check_done("memory");
}
