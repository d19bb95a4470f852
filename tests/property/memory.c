/*
 * Unused capacity costs nothing, by ph_stats.bytes: many shards with few entities, many consumers with large
 * bounds, a world without events. And using the same capacity again takes no more.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"

enum {
    KIB = 1024,
    MIB = 1024 * KIB,
    SHARDS_AXIS = 32,
    ENTITIES = 199,
    TICKS = 60,
    SHARDS_BYTES = 24 * MIB, /* 3 of each shard's struct, some 60 KiB of each that was walked through */
    CONSUMERS_BYTES = 2 * MIB,
    FRESH_BYTES = 192 * KIB /* one producer's refusals are 128 of it */
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
    ph_consumer consumer[PH_CONSUMERS_MAX];
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

static void fresh(void)
{
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    at_most("a world as created", bytes_of(world), 32 * KIB);
    REQUIRE(ph_producer_open(world, &producer) == PH_OK && ph_consumer_open(world, 0, &consumer) == PH_OK);
    REQUIRE(ph_tick(world, NULL) == PH_OK);
    at_most("with a producer and a consumer", bytes_of(world), FRESH_BYTES);
    ph_world_destroy(world);
}

int main(void)
{
    many_shards();
    many_consumers();
    fresh();
    return check_done("memory");
}
