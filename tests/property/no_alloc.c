/*
 * After warm-up a tick allocates nothing: a crowd walks closed paths, all of different
 * length but one common period, so that after some periods every array has been as long
 * as it will ever be; then 200 ticks with bulk moves, broadcasts, batches taken and given
 * back, and a journal, must not ask the allocator once. Which worker does which piece is a matter of luck with
 * threads, and so are the lengths of their own arrays: with more than one worker the tasks
 * are run one after the other in a seeded order, in which each has all the work now and
 * then.
 *
 * options: --verbose
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/indexes.h"
#include "support/perm_tasks.h"

enum { ENTITIES = 1200, PERIOD = 24, WARM_PERIODS = 8, COUNTED_TICKS = 200, CONSUMERS = 2 };

typedef struct walk {
    float x, y, width, height;
    uint32_t phase, turns; /* rounds of its path within one period */
} walk;

typedef struct crowd {
    uint64_t ids[ENTITIES];
    walk walks[ENTITIES];
    ph_position positions[ENTITIES];
} crowd;

/* 0 .. 1 .. 0, with the period. */
static float swing(uint32_t at)
{
    uint32_t half = PERIOD / 2;
    uint32_t place = at % PERIOD;
    return (float)(place < half ? place : PERIOD - place) / (float)half;
}

static void crowd_place(crowd *c, uint64_t tick)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const walk *w = &c->walks[i];
        uint32_t at = (uint32_t)(tick % PERIOD) * w->turns + w->phase;
        c->positions[i].x = w->x + w->width * swing(at);
        c->positions[i].y = w->y + w->height * swing(at + PERIOD / 4);
        c->positions[i].z = 0;
    }
}

static void crowd_make(crowd *c, uint64_t seed)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        walk *w = &c->walks[i];
        c->ids[i] = i + 1;
        w->x = phx_rng_unit(&seed) * 850;
        w->y = phx_rng_unit(&seed) * 850;
        w->width = phx_rng_unit(&seed) * 150;
        w->height = phx_rng_unit(&seed) * 150;
        w->phase = phx_rng_below(&seed, PERIOD);
        w->turns = 1 + phx_rng_below(&seed, 2);
    }
}

static void enter_all(ph_producer producer, crowd *c)
{
    ph_attrs *attrs = check_zalloc(ENTITIES * sizeof *attrs);
    crowd_place(c, 0);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        attrs[i].given = PH_X | PH_Y | PH_KIND | PH_VIEW | PH_MARGIN | PH_CONSUMER | PH_CAP;
        attrs[i].x = c->positions[i].x;
        attrs[i].y = c->positions[i].y;
        attrs[i].view = i % 4 == 0 ? 0 : 50;
        attrs[i].kind = i % 16 == 1; /* the few wakers */
        attrs[i].margin = i % 3 == 0 ? 10 : 0;
        attrs[i].consumer = i % CONSUMERS;
        attrs[i].cap = i % 5 == 0 ? 12 : 0;
    }
    uint32_t done = 0;
    CHECK_OK(ph_enter_many(producer, ENTITIES, c->ids, attrs, &done));
    free(attrs);
}

/* Boxes that do not move, and circles around every fiftieth that do. */
static void set_areas(ph_producer producer, const crowd *c, uint64_t tick)
{
    for (uint32_t i = 0; i < ENTITIES; i += 50) {
        ph_area aura = {.shape = PH_AREA_CIRCLE, .center = {c->positions[i].x, c->positions[i].y}, .radius = 30};
        ph_area box = {.shape = PH_AREA_BOX, .low = {(float)i, (float)i}, .high = {(float)i + 40, (float)i + 40}};
        CHECK_OK(ph_area_set(producer, 1 + i, &aura));
        if (tick == 1) {
            CHECK_OK(ph_area_set(producer, 2 + i, &box));
        }
    }
}

/* Every twelfth says something, others each tick of a period. */
static void talk(ph_producer producer, const crowd *c, uint64_t tick)
{
    static const char text[64] = "as much as a line of chat has";
    for (uint32_t i = (uint32_t)(tick % PERIOD) % 12; i < ENTITIES; i += 12) {
        CHECK_OK(ph_broadcast(producer, c->ids[i], text, sizeof text, NULL));
    }
}

static uint64_t drain(const ph_consumer *consumers, uint64_t *heard, uint64_t *edges, uint64_t *crossings)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        const ph_batch *batch = NULL;
        while (ph_batch_take(consumers[i], &batch) == PH_OK) {
            events += batch->target_count;
            *heard += batch->heard_count;
            *edges += batch->activation_count;
            *crossings += batch->crossing_count;
            CHECK_OK(ph_batch_return(consumers[i], batch));
        }
    }
    return events;
}

/* Moves in three applies and a rest: single moves, then as many as are noted one by one, then a wide apply. */
static uint32_t apply_some(ph_world world, ph_producer producer, const crowd *c)
{
    static const uint32_t parts[] = {1, 100, 700};
    uint32_t first = 0, done = 0;
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        CHECK_OK(ph_move_many(producer, parts[i], c->ids + first, c->positions + first, &done));
        first += parts[i];
        CHECK_OK(ph_broadcast(producer, c->ids[first], "applied", 7, NULL));
        CHECK_OK(ph_apply(world));
    }
    return first;
}

/* A journal with memory for one record. */
typedef struct notebook {
    _Alignas(8) unsigned char page[1 << 20];
    uint64_t records;
} notebook;

static void *open_page(void *user, uint64_t tick, size_t bytes)
{
    notebook *book = user;
    CHECK(bytes <= sizeof book->page, "tick %" PRIu64 ": a record of %zu bytes", tick, bytes);
    return bytes <= sizeof book->page ? book->page : NULL;
}

static void close_page(void *user, uint64_t tick, uint32_t flags)
{
    CHECK(flags & PH_RECORD_WHOLE, "tick %" PRIu64 " lacked memory", tick);
    ((notebook *)user)->records++;
}

static void walk_world(uint32_t workers, uint32_t shards, ph_range range, ph_index index, bool applies, bool verbose)
{
    fail_alloc memory = {0};
    perm_tasks tasks = {.rng = workers};
    ph_class kinds[2] = {ph_class_default("default"), ph_class_default("player")};
    ph_world_def def = ph_world_def_default();
    crowd *c = check_zalloc(sizeof *c);
    notebook *book = check_zalloc(sizeof *book);
    const ph_journal journal = {
        .room = open_page, .done = close_page, .user = book, .flags = shards % 2 ? PH_JOURNAL_UNSUMMED : 0};
    ph_world world = {0};
    ph_producer producer = {0};
    ph_consumer consumers[CONSUMERS] = {{0}};
    kinds[1].wakes = true;
    def.classes = kinds;
    def.class_count = 2;
    def.activation_span = 0;
    def.activation_linger = 3;
    kinds[1].band_count = 2;
    kinds[1].bands[0] = (ph_band){15, 1};
    kinds[1].bands[1] = (ph_band){60, 4}; /* a divisor of the period: so the load comes around with it */
    kinds[1].updates_max = 12;
    def.world_size[0] = 1000;
    def.world_size[1] = 1000;
    def.tower_size = 50;
    def.range = range;
    def.index = index;
    def.workers = workers;
    def.share_min = 0;
    if (workers > 1) {
        def.tasks = perm_tasks_serial(&tasks);
    }
    def.shards[0] = shards;
    def.shards[1] = shards;
    def.consumers = CONSUMERS;
    def.crowd_entities = range == PH_RANGE_RADIUS && shards > 1 ? 40 : 0;
    def.entities_max = 1u << 16;
    def.allocator = fail_alloc_hooks(&memory);
    if (!index_serves(&def, index)) {
        free(c);
        free(book);
        return;
    }
    crowd_make(c, workers * 100 + shards);
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        REQUIRE(ph_consumer_open(world, i, &consumers[i]) == PH_OK);
    }
    CHECK_OK(ph_journal_set(world, &journal));
    enter_all(producer, c);
    uint64_t last_call = 0; /* tick of the last allocation */
    uint64_t events = 0;
    uint64_t heard = 0;
    uint64_t edges = 0;
    uint64_t crossings = 0;
    uint64_t calls = 0;
    for (uint64_t tick = 1; tick <= WARM_PERIODS * PERIOD + COUNTED_TICKS; tick++) {
        uint64_t before = atomic_load(&memory.calls);
        uint32_t done = 0;
        crowd_place(c, tick);
        const uint32_t first = applies ? apply_some(world, producer, c) : 0;
        CHECK_OK(ph_move_many(producer, ENTITIES - first, c->ids + first, c->positions + first, &done));
        talk(producer, c, tick);
        set_areas(producer, c, tick);
        CHECK_OK(ph_tick(world, NULL));
        events += drain(consumers, &heard, &edges, &crossings);
        uint64_t made = atomic_load(&memory.calls) - before;
        last_call = made != 0 ? tick : last_call;
        calls += tick > WARM_PERIODS * PERIOD ? made : 0;
    }
    CHECK(calls == 0,
          "%s, workers %u shards %ux%u range %d: %" PRIu64 " allocations in %d ticks after %d (last in %" PRIu64 ")",
          index_name(index), workers, shards, shards, (int)range, calls, COUNTED_TICKS, WARM_PERIODS * PERIOD,
          last_call);
    CHECK(book->records >= WARM_PERIODS * PERIOD + COUNTED_TICKS, "%" PRIu64 " records", book->records);
    CHECK(events > ENTITIES && heard > ENTITIES && edges > ENTITIES && crossings > ENTITIES,
          "a walk without events, broadcasts and edges proves nothing");
    if (verbose) {
        (void)printf("%s, workers %u shards %u range %d: last allocation in tick %" PRIu64 ", %" PRIu64 " events\n",
                     index_name(index), workers, shards, (int)range, last_call, events);
    }
    CHECK_OK(ph_world_destroy(world));
    (void)fail_alloc_clean(&memory);
    free(c);
    free(book);
}

/* The lighthouse always; of the others, where tests do less, every so many-th. */
static bool is_chosen(int index, uint64_t every)
{
    return index == PH_INDEX_LIGHTHOUSE || (uint64_t)index % every == 0;
}

int main(int argc, char **argv)
{
    bool verbose = option_flag(argc, argv, "--verbose");
    uint64_t percent = test_amount(100), every = percent < 100 ? 100 / percent : 1;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        for (uint32_t shards = 1; shards <= 3; shards += 2) {
            bool once = (workers == 1) == (shards > 1); /* enough for each of the others */
            for (int index = 0; index < (once ? INDEX_COUNT : PH_INDEX_LIGHTHOUSE + 1); index++) {
                if (!is_chosen(index, every)) continue;
                const bool applies = index == PH_INDEX_LIGHTHOUSE;
                for (uint32_t i = 0; i < 1u + applies; i++) {
                    walk_world(workers, shards, PH_RANGE_RADIUS, (ph_index)index, i > 0, verbose);
                    walk_world(workers, shards, PH_RANGE_TOWERS, (ph_index)index, i > 0, verbose);
                }
            }
        }
    }
    return check_done("no_alloc");
}
