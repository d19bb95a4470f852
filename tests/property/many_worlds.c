/*
 * Many worlds and one crew: ph_tick_many() gives each world the batches and the hash of single ticks by one worker, for
 * crews of any size, of threads and of task hooks, for small worlds (done whole, by one worker each) and large ones (by
 * all); the status of one world is its own; a crew's life, and its want of memory. A small world of a large crew stays
 * small.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/digest.h"
#include "support/fail_alloc.h"
#include "support/perm_tasks.h"

enum {
    WORLDS = 14,
    LARGE = 3,       /* each fifth world has so many times more entities, */
    SHARE_MIN = 200, /* so that its ticks are shared */
    ENTITIES_MAX = 600,
    TICKS = 30,
    KIB = 1024
};

typedef struct host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t rng;
    uint32_t entities;
    uint64_t digest; /* of its batches */
} host;

typedef struct outcome {
    uint64_t digests[WORLDS], hashes[WORLDS];
} outcome;

/* ---- worlds ---- */

static uint32_t entities_of(uint32_t index)
{
    return index % 5 == 4 ? LARGE * SHARE_MIN : index * 5;
}

static void open_host(host *h, uint32_t index, const ph_world_def *def)
{
    *h = (host){.rng = index + 1, .entities = entities_of(index)};
    REQUIRE(ph_world_create(def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    REQUIRE(ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
}

static ph_world_def world_def(const ph_class *class)
{
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 1000;
    def.tower_size = 50;
    def.shards[0] = 2;
    def.classes = class;
    def.class_count = 1;
    def.share_min = SHARE_MIN;
    return def;
}

static ph_class world_class(void)
{
    ph_class class = ph_class_default("default");
    class.view = 60;
    class.margin = 10;
    class.cap = 12;
    class.band_count = 1;
    class.bands[0] = (ph_band){40, 2};
    return class;
}

/* The commands of a tick: all enter in the first; then walks, jumps, leaves and broadcasts. */
static void submit_tick(host *h, uint32_t tick)
{
    for (uint32_t i = 1; i <= h->entities; i++) {
        const float x = 1000 * phx_rng_unit(&h->rng), y = 1000 * phx_rng_unit(&h->rng);
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = y};
        const uint32_t kind = phx_rng_below(&h->rng, 20);
        ph_status status = PH_OK;
        if (tick == 0) status = ph_enter(h->producer, i, &attrs);
        else if (kind == 0) status = ph_leave(h->producer, i); /* refused, if it left before */
        else if (kind == 1) status = ph_enter(h->producer, i, &attrs);
        else if (kind == 2) status = ph_broadcast(h->producer, i, &kind, sizeof kind, NULL);
        else if (kind < 12) status = ph_move(h->producer, i, x, y, 0);
        CHECK(status == PH_OK, "a command: %s", ph_status_name(status));
    }
}

static void take_batches(host *h)
{
    const ph_batch *batch;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        h->digest = phx_mix64(h->digest + digest_batch(batch));
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
}

static void close_hosts(host *hosts, outcome *result)
{
    for (uint32_t i = 0; i < WORLDS; i++) {
        result->digests[i] = hosts[i].digest;
        CHECK_OK(ph_world_hash(hosts[i].world, &result->hashes[i]));
        CHECK_OK(ph_world_destroy(hosts[i].world));
    }
}

/* ---- the same by single ticks and by a crew ---- */

static void play_single(outcome *result)
{
    const ph_class class = world_class();
    const ph_world_def def = world_def(&class);
    host hosts[WORLDS];
    for (uint32_t i = 0; i < WORLDS; i++) {
        open_host(&hosts[i], i, &def);
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            submit_tick(&hosts[i], tick);
            CHECK_OK(ph_tick(hosts[i].world, NULL));
            take_batches(&hosts[i]);
        }
    }
    close_hosts(hosts, result);
}

static void play_crew(ph_crew crew, outcome *result)
{
    const ph_class class = world_class();
    ph_world_def def = world_def(&class);
    host hosts[WORLDS];
    ph_world worlds[WORLDS];
    ph_status statuses[WORLDS];
    def.crew = crew;
    def.workers = 200; /* not used with a crew */
    for (uint32_t i = 0; i < WORLDS; i++) {
        open_host(&hosts[i], i, &def);
        worlds[i] = hosts[i].world;
    }
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        const uint32_t alone = tick % 4 == 3 ? tick % WORLDS : 0; /* these tick one by one, with the same crew */
        for (uint32_t i = 0; i < WORLDS; i++) submit_tick(&hosts[i], tick);
        for (uint32_t i = 0; i < alone; i++) CHECK_OK(ph_tick(worlds[i], NULL));
        CHECK_OK(ph_tick_many(worlds + alone, WORLDS - alone, statuses));
        for (uint32_t i = 0; i < WORLDS - alone; i++) CHECK_OK(statuses[i]);
        for (uint32_t i = 0; i < WORLDS; i++) take_batches(&hosts[i]);
    }
    close_hosts(hosts, result);
}

static void compare_outcomes(const outcome *expected, uint32_t workers, ph_task_hooks tasks)
{
    const ph_crew_def def = {.workers = workers, .tasks = tasks};
    ph_crew crew;
    outcome result;
    REQUIRE(ph_crew_create(&def, &crew) == PH_OK);
    play_crew(crew, &result);
    for (uint32_t i = 0; i < WORLDS; i++) {
        CHECK(result.digests[i] == expected->digests[i] && result.hashes[i] == expected->hashes[i],
              "world %u of %u entities, %u workers%s: batches or hash differ", i, entities_of(i), workers,
              tasks.parallel_for ? " of hooks" : "");
    }
    CHECK_OK(ph_crew_destroy(crew));
}

static void same_by_crews(void)
{
    outcome expected;
    perm_tasks tasks = {.rng = 5};
    play_single(&expected);
    for (uint32_t workers = 1; workers <= 4; workers++) compare_outcomes(&expected, workers, (ph_task_hooks){0});
    compare_outcomes(&expected, 3, perm_tasks_serial(&tasks));
    CHECK(tasks.calls > TICKS, "the hooks had no work: %" PRIu64 " calls", tasks.calls);
    compare_outcomes(&expected, 2, perm_tasks_threads(&tasks));
}

/* Large ticks are shared, small ones never wake the crew. */
static void shares_by_work(void)
{
    const ph_class class = world_class();
    ph_world_def def = world_def(&class);
    perm_tasks tasks = {.rng = 1};
    host small, large;
    def.workers = 2;
    def.tasks = perm_tasks_serial(&tasks);
    open_host(&small, 3, &def);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        submit_tick(&small, tick);
        CHECK_OK(ph_tick(small.world, NULL));
    }
    CHECK(tasks.calls == 0, "a small world woke the workers %" PRIu64 " times", tasks.calls);
    open_host(&large, 4, &def);
    submit_tick(&large, 0);
    CHECK_OK(ph_tick(large.world, NULL));
    CHECK(tasks.calls > 0, "a large world did not use the workers");
    CHECK_OK(ph_world_destroy(small.world));
    CHECK_OK(ph_world_destroy(large.world));
}

/*
 * Of ph_tick_many(): small worlds are done whole, all in one parallel run; a large one is left out of that run, and its
 * phases are parallel runs of its own.
 */
static void small_whole_large_by_all(void)
{
    enum { SMALL = 8 };
    const ph_class class = world_class();
    ph_world_def def = world_def(&class);
    perm_tasks tasks = {.rng = 1};
    const ph_crew_def crew_def = {.workers = 3, .tasks = perm_tasks_serial(&tasks)};
    host hosts[SMALL + 1];
    ph_world worlds[SMALL + 1];
    ph_status statuses[SMALL + 1];
    REQUIRE(ph_crew_create(&crew_def, &def.crew) == PH_OK);
    for (uint32_t i = 0; i <= SMALL; i++) {
        open_host(&hosts[i], i < SMALL ? 3 : 4, &def);
        worlds[i] = hosts[i].world;
    }
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        const uint32_t large = tick % 2;
        for (uint32_t i = 0; i < SMALL + large; i++) submit_tick(&hosts[i], i == SMALL ? tick / 2 : tick);
        const uint64_t before = tasks.calls;
        CHECK_OK(ph_tick_many(worlds, SMALL + large, statuses));
        const uint64_t calls = tasks.calls - before;
        CHECK(large > 0 ? calls > 2 : calls == 1, "tick %" PRIu32 "%s: %" PRIu64 " parallel runs", tick,
              large > 0 ? " with a large world" : "", calls);
    }
    for (uint32_t i = 0; i <= SMALL; i++) CHECK_OK(ph_world_destroy(worlds[i]));
    CHECK_OK(ph_crew_destroy(def.crew));
}

/* ---- statuses ---- */

static void statuses_of_worlds(void)
{
    enum { SOME = 6 };
    const ph_class class = world_class();
    const ph_crew_def crew_def = {.workers = 2};
    ph_world_def def = world_def(&class);
    fail_alloc memory = {0};
    host hosts[SOME];
    ph_world worlds[SOME + 2];
    ph_status statuses[SOME + 2];
    ph_crew crew;
    ph_stats stats;
    REQUIRE(ph_crew_create(&crew_def, &crew) == PH_OK);
    def.crew = crew;
    for (uint32_t i = 0; i < SOME; i++) {
        def.allocator = i == 2 ? fail_alloc_hooks(&memory) : (ph_allocator){0};
        if (i == 4) def.crew = (ph_crew){0}; /* a world of its own may be among them */
        open_host(&hosts[i], i + 1, &def);
        submit_tick(&hosts[i], 0);
        worlds[i] = hosts[i].world;
    }
    REQUIRE(ph_world_destroy(hosts[3].world) == PH_OK);
    worlds[SOME] = worlds[1];         /* again */
    worlds[SOME + 1] = (ph_world){0}; /* null */
    fail_alloc_order(&memory, 1, true);
    CHECK_STATUS(ph_tick_many(worlds, SOME + 2, statuses), PH_NO_MEMORY);
    static const ph_status expected[SOME + 2] = {PH_OK, PH_OK, PH_NO_MEMORY, PH_BAD_HANDLE,
                                                 PH_OK, PH_OK, PH_BUSY,      PH_BAD_HANDLE};
    for (uint32_t i = 0; i < SOME + 2; i++) CHECK_STATUS(statuses[i], expected[i]);
    fail_alloc_order(&memory, 0, false);
    CHECK_STATUS(ph_tick_many(worlds + 2, 1, statuses), PH_OK); /* goes on with its first tick */
    CHECK_OK(ph_world_stats(worlds[2], &stats));
    CHECK(stats.ticks == 1, "tick %" PRIu64, stats.ticks);
    CHECK_OK(ph_world_stats(worlds[1], &stats));
    CHECK(stats.ticks == 1, "a world that is named twice ticks once, not %" PRIu64 " times", stats.ticks);
    CHECK_STATUS(ph_tick_many(NULL, 1, statuses), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_tick_many(worlds, 1, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_tick_many(NULL, 0, NULL), PH_OK);
    CHECK_STATUS(ph_crew_destroy(crew), PH_BUSY);
    for (uint32_t i = 0; i < SOME; i++)
        if (i != 3) CHECK_OK(ph_world_destroy(hosts[i].world));
    CHECK_OK(ph_crew_destroy(crew));
    CHECK_STATUS(ph_crew_destroy(crew), PH_BAD_HANDLE);
    (void)fail_alloc_clean(&memory);
}

/* Every allocation of a shared and of a small tick fails once: the batches are the same. */
static void ticks_without_memory(void)
{
    const ph_class class = world_class();
    const ph_crew_def crew_def = {.workers = 2};
    ph_crew crew;
    REQUIRE(ph_crew_create(&crew_def, &crew) == PH_OK);
    for (uint32_t index = 3; index <= 4; index++) { /* a small world, and a large one */
        uint64_t digest = 0, failures = 0;
        for (uint64_t nth = 0; nth == 0 || failures > 0; nth++) {
            fail_alloc memory = {0};
            ph_world_def def = world_def(&class);
            host h;
            ph_status status = PH_OK;
            def.allocator = fail_alloc_hooks(&memory);
            def.crew = crew;
            open_host(&h, index, &def);
            failures = 0;
            for (uint32_t tick = 0; tick < 3; tick++) {
                submit_tick(&h, tick);
                fail_alloc_order(&memory, tick == 0 ? nth : 0, false);
                while (ph_tick_many(&h.world, 1, &status) != PH_OK)
                    REQUIRE(CHECK(status == PH_NO_MEMORY && ++failures < 100, "%s", ph_status_name(status)));
                failures += atomic_load(&memory.failed) > 0;
                take_batches(&h);
            }
            if (nth == 0) digest = h.digest;
            CHECK(h.digest == digest, "world %u, allocation %" PRIu64 ": other batches", index, nth);
            CHECK_OK(ph_world_destroy(h.world));
            (void)fail_alloc_clean(&memory);
            if (nth > 0 && failures == 0) break;
            nth += index == 4 ? 6 : 0; /* it has hundreds */
        }
    }
    CHECK_OK(ph_crew_destroy(crew));
}

/* ---- crews ---- */

static void refused_crews(void)
{
    const ph_allocator half = {.allocate = fail_alloc_hooks(&(fail_alloc){0}).allocate};
    const ph_crew_def bad[] = {{.workers = 0},
                               {.workers = PH_WORKERS_MAX + 1},
                               {.workers = 1, .reserved = 1},
                               {.workers = 1, .reserved2 = {0, 0, 0, 1}},
                               {.workers = 1, .tasks = {.reserved = {1}}},
                               {.workers = 1, .allocator = {.reserved = {0, 1}}},
                               {.workers = 1, .allocator = half}};
    const ph_crew_def good = {.workers = 2};
    ph_crew crew = {1, 1}, crews[PH_CREWS_MAX];
    ph_world world;
    char reason[200];
    CHECK_STATUS(ph_crew_create(NULL, &crew), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_crew_create(&good, NULL), PH_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crew = (ph_crew){1, 1};
        CHECK_STATUS(ph_crew_create(&bad[i], &crew), PH_BAD_ARGUMENT);
        CHECK(crew.index1 == 0, "a crew that was not made is not null");
    }
    CHECK_STATUS(ph_crew_destroy((ph_crew){0}), PH_BAD_HANDLE);
    CHECK_STATUS(ph_crew_destroy((ph_crew){PH_CREWS_MAX + 1, 1}), PH_BAD_HANDLE);
    for (uint32_t i = 0; i < PH_CREWS_MAX; i++) CHECK_OK(ph_crew_create(&(ph_crew_def){.workers = 1}, &crews[i]));
    CHECK_STATUS(ph_crew_create(&good, &crew), PH_TAKEN);
    for (uint32_t i = 0; i < PH_CREWS_MAX; i++) CHECK_OK(ph_crew_destroy(crews[i]));
    ph_world_def def = ph_world_def_default();
    def.crew = crews[3]; /* no more */
    CHECK_STATUS(ph_world_def_check(&def, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strstr(reason, "crew = {4,") == reason, "the reason is: %s", reason);
    CHECK_STATUS(ph_world_create(&def, &world), PH_BAD_DEF);
}

static void crews_without_memory(void)
{
    fail_alloc memory = {0};
    ph_crew_def def = {.workers = 3, .allocator = fail_alloc_hooks(&memory)};
    ph_crew crew;
    uint64_t nth = 1;
    for (;; nth++) {
        fail_alloc_order(&memory, nth, false);
        ph_status status = ph_crew_create(&def, &crew);
        if (status == PH_OK) break;
        CHECK_STATUS(status, PH_NO_MEMORY);
        CHECK(atomic_load(&memory.blocks) == 0, "blocks are left");
    }
    CHECK(nth == 3, "a crew has two allocations, not %" PRIu64, nth - 1);
    CHECK_OK(ph_crew_destroy(crew));
    (void)fail_alloc_clean(&memory);
}

/* The memory of further workers comes with the first shared tick. */
static void small_in_a_large_crew(void)
{
    const ph_crew_def crew_def = {.workers = 4};
    fail_alloc memory = {0};
    ph_world_def def = ph_world_def_default();
    ph_crew crew;
    host h = {0};
    REQUIRE(ph_crew_create(&crew_def, &crew) == PH_OK);
    def.crew = crew;
    def.allocator = fail_alloc_hooks(&memory);
    open_host(&h, 0, &def);
    CHECK_OK(ph_tick(h.world, NULL));
    CHECK(atomic_load(&memory.bytes) <= 64 * KIB, "a fresh world holds %" PRIu64 " bytes", atomic_load(&memory.bytes));
    CHECK_OK(ph_world_destroy(h.world));
    CHECK_OK(ph_crew_destroy(crew));
    (void)fail_alloc_clean(&memory);
}

int main(void)
{
    same_by_crews();
    shares_by_work();
    small_whole_large_by_all();
    statuses_of_worlds();
    ticks_without_memory();
    refused_crews();
    crews_without_memory();
    small_in_a_large_crew();
    return check_done("many_worlds");
}
