/*
 * Memory of a storm goes some ticks after it (phx_trim(), list_pool.h), nothing is lost by that, and a tick that is
 * starved behind it takes its commands as ever: the runs of a tick, stored lists, updates and events of a crowd, block
 * messages of broadcasts. Calm ticks behind it allocate nothing.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/watched_memory.h"

enum {
    KIB = 1024,
    CALM_TICKS = 40,     /* more than an array is kept that is not used */
    RUNS_ENTITIES = 100, /* each is moved and asked for in turn: no two commands make one run */
    STORM_RUNS = 40000,
    RUN_QUEUED = 64,     /* bytes of a run in its block, at most */
    STARVED_RUNS = 3000, /* more than the runs of 128 KiB, below which none is given back */
    CROWD = 700,         /* all in view of all */
    FAR_ACROSS = 40,     /* apart by so much, they are in hundreds of blocks of towers */
    FAR_APART = 200,
    STORM_BROADCASTS = 100,
    STORM_LEAST = 4096 * KIB /* bytes of block messages */
};

static watched_memory watched;
static ph_world world;
static ph_producer producer;
static ph_consumer consumer;

static void open_world(const ph_class *classes, uint32_t count)
{
    ph_world_def def = ph_world_def_default();
    watched_memory_init(&watched);
    def.allocator = watched_memory_allocator(&watched);
    def.workers = 1;
    if (count > 0) {
        def.classes = classes;
        def.class_count = count;
    }
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    REQUIRE(ph_producer_open(world, &producer) == PH_OK && ph_consumer_open(world, 0, &consumer) == PH_OK);
}

static void close_world(void)
{
    REQUIRE(ph_world_destroy(world) == PH_OK);
    watched_memory_all_back(&watched);
}

static void take_all(void)
{
    const ph_batch *batch;
    while (ph_batch_take(consumer, &batch) == PH_OK) REQUIRE(ph_batch_return(consumer, batch) == PH_OK);
}

static void tick(void)
{
    REQUIRE(ph_tick(world, NULL) == PH_OK);
    take_all();
}

static void verify_lists(void)
{
    ph_verification progress = {0};
    ph_difference difference = {0};
    while (progress.rounds == 0 && difference.kind == PH_DIFFERENCE_NONE)
        REQUIRE(ph_verify(world, UINT64_MAX, &progress, &difference) == PH_OK);
    CHECK(difference.kind == PH_DIFFERENCE_NONE, "observer %" PRIu64 ", target %" PRIu64, difference.observer,
          difference.target);
}

static void at_most(const char *what, uint64_t bytes, uint64_t most)
{
    (void)printf("%s: %" PRIu64 " KiB\n", what, bytes / KIB);
    CHECK(bytes <= most, "%s: %" PRIu64 " bytes, at most %" PRIu64, what, bytes, most);
}

/* ---- runs ---- */

static float place_of(uint32_t command)
{
    return (float)(command % 9000);
}

static void submit_runs(uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 2) {
        const uint64_t id = i / 2 % RUNS_ENTITIES + 1;
        REQUIRE(ph_move(producer, id, place_of(i), 0, 0) == PH_OK);
        REQUIRE(ph_resend(producer, id) == PH_OK);
    }
}

/* All commands of the starved tick are applied in the end, the last move of each entity last. */
static void starved_runs(void)
{
    submit_runs(STARVED_RUNS);
    watched_memory_fail_after(&watched, 0);
    REQUIRE(ph_tick(world, NULL) == PH_NO_MEMORY);
    REQUIRE(ph_tick_finish(world, NULL) == PH_OK);
    watched_memory_fail_after(&watched, UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++) tick();
    ph_stats stats;
    REQUIRE(ph_world_stats(world, &stats) == PH_OK);
    CHECK(stats.queued == 0, "%" PRIu64 " commands wait", stats.queued);
    for (uint32_t i = STARVED_RUNS - 2 * RUNS_ENTITIES; i < STARVED_RUNS; i += 2) {
        const uint32_t id = i / 2 % RUNS_ENTITIES + 1;
        ph_attrs now;
        REQUIRE(ph_entity_get(world, id, &now) == PH_OK);
        CHECK(now.x == place_of(i), "entity %u at %g, not %g", id, (double)now.x, (double)place_of(i));
    }
}

static void runs(void)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .view = 10};
    open_world(NULL, 0);
    for (uint32_t i = 0; i < RUNS_ENTITIES; i++) REQUIRE(ph_enter(producer, i + 1, &attrs) == PH_OK);
    tick();
    const uint64_t before = watched.bytes;
    submit_runs(STORM_RUNS);
    tick();
    for (uint32_t i = 0; i < CALM_TICKS; i++) {
        submit_runs(2);
        tick();
    }
    /* blocks of commands go one by one, as many are taken: the limit leaves no room for the runs beside them */
    at_most("a storm of commands, ticks after it", watched.bytes - before, STORM_RUNS * (uint64_t)RUN_QUEUED);
    const uint64_t calls = watched.calls;
    submit_runs(2);
    tick();
    CHECK(watched.calls == calls, "a calm tick asks for memory");
    starved_runs();
    close_world();
}

/* ---- a crowd ---- */

static void move_crowd(float side)
{
    for (uint32_t i = 0; i < CROWD; i++)
        REQUIRE(ph_move(producer, i + 1, 1000 + side * (float)(i % 30), 1000 + side * (float)(i / 30), 0) == PH_OK);
}

/* Lists are stored, as there is a margin, and updates are due for all; then all stand apart. */
static void crowd(void)
{
    ph_class class = ph_class_default("default");
    class.view = 100;
    class.margin = 10;
    class.band_count = 1;
    class.bands[0] = (ph_band){.radius = 110, .every = 1};
    open_world(&class, 1);
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 5000, .y = 5000, .view = 100};
    for (uint32_t i = 0; i < CROWD; i++) REQUIRE(ph_enter(producer, i + 1, &attrs) == PH_OK);
    for (uint32_t i = 0; i < CALM_TICKS; i++) {
        move_crowd(i % 2 ? 1.0f : 1.5f);
        tick();
    }
    const uint64_t most = watched.bytes;
    verify_lists();
    for (uint32_t i = 0; i < CALM_TICKS; i++) {
        move_crowd(i % 2 ? 40.0f : 39.5f);
        tick();
    }
    verify_lists();
    at_most("a crowd that went apart, of a crowd's memory", watched.bytes, most / 4);
    const uint64_t calls = watched.calls;
    for (uint32_t i = 0; i < CALM_TICKS; i++) {
        move_crowd(i % 2 ? 40.0f : 39.5f);
        tick();
    }
    CHECK(watched.calls == calls, "calm ticks ask for memory");
    verify_lists();
    close_world();
}

/* ---- broadcasts ---- */

static void broadcast_to_all(uint32_t count)
{
    const ph_broadcast_place place = {.x = 5000, .y = 5000, .radius = 20000};
    for (uint32_t i = 0; i < count; i++) REQUIRE(ph_broadcast_at(producer, &place, &i, sizeof i) == PH_OK);
}

/* To all places of the world, where one entity hears: block messages are nearly all of the memory. */
static void broadcasts(void)
{
    open_world(NULL, 0);
    for (uint32_t i = 0; i < FAR_ACROSS * FAR_ACROSS; i++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW,
                                .x = FAR_APART * (float)(i % FAR_ACROSS),
                                .y = FAR_APART * (float)(i / FAR_ACROSS),
                                .view = i == 0 ? 10 : 0};
        REQUIRE(ph_enter(producer, i + 1, &attrs) == PH_OK);
    }
    broadcast_to_all(1);
    tick();
    const uint64_t before = watched.bytes;
    broadcast_to_all(STORM_BROADCASTS);
    tick();
    const uint64_t storm = watched.bytes - before;
    CHECK(storm > STORM_LEAST, "a storm of broadcasts has %" PRIu64 " bytes", storm);
    for (uint32_t i = 0; i < CALM_TICKS; i++) {
        broadcast_to_all(1);
        tick();
    }
    at_most("a storm of broadcasts, ticks after it", watched.bytes - before, storm / 16);
    const uint64_t calls = watched.calls;
    broadcast_to_all(1);
    tick();
    CHECK(watched.calls == calls, "a calm tick asks for memory");
    close_world();
}

int main(void)
{
    runs();
    crowd();
    broadcasts();
    return check_done("storms");
}
