/*
 * The hook of batches (ph_world_def.batches): each batch that ph_batch_take() finds has had exactly one call, for its
 * consumer, in the call that ticks its world; calls of one world never overlap; and the call is made by the thread that
 * ticks, or with a crew by a worker of it. By ph_tick() with workers of the world's own, by ph_tick() and
 * ph_tick_many() with crews of task hooks and of threads, small worlds and large ones; and where each allocation of a
 * tick fails in turn, and ph_tick(), ph_tick_many() or ph_tick_finish() goes on with the tick.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/perm_tasks.h"

enum {
    WORLDS = 9,
    CONSUMERS = 3,
    SHARE_MIN = 200, /* each fourth world is large: its ticks are shared */
    SMALL = 24,
    LARGE = 400,     /* entities */
    BATCHES_MAX = 2, /* that wait for a consumer; later ticks are coalesced */
    TICKS = 40
};

/* What ticks the worlds at present. */
typedef enum ticked { NOTHING, BY_THREAD, BY_CREW, BY_THREADS_OF_CREW } ticked;

static _Atomic uint32_t now_ticked;         /* relaxed: set between the ticks of all worlds */
static pthread_t ticker;                    /* the thread that calls; the only one that the test has */
static _Thread_local bool works;            /* it runs a body of the crew */
static void (*real_body)(void *, uint32_t); /* of the parallel run */

typedef struct host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumers[CONSUMERS];
    uint64_t rng;
    uint32_t entities;
    _Atomic uint32_t inside;           /* calls at present; all atomics relaxed: counts that order nothing */
    _Atomic uint32_t calls[CONSUMERS]; /* of the hook */
    _Atomic uint32_t by_workers;       /* calls on another thread than the one that ticks */
    uint32_t taken[CONSUMERS];
} host;

/* ---- the hook ---- */

static void note_offer(void *user, uint32_t consumer)
{
    host *h = user;
    const ticked by = atomic_load_explicit(&now_ticked, memory_order_relaxed);
    const bool own = pthread_equal(pthread_self(), ticker);
    REQUIRE(consumer < CONSUMERS);
    (void)CHECK(atomic_fetch_add_explicit(&h->inside, 1, memory_order_relaxed) == 0, "two calls of one world at once");
    (void)CHECK(by != NOTHING, "a call while no world ticks");
    (void)CHECK(own || by == BY_THREADS_OF_CREW || (by == BY_CREW && works), "a call on a thread that ticks no world");
    atomic_fetch_add_explicit(&h->calls[consumer], 1, memory_order_relaxed);
    if (!own) atomic_fetch_add_explicit(&h->by_workers, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&h->inside, 1, memory_order_relaxed);
}

static void mark_worker(void *context, uint32_t index)
{
    works = true;
    real_body(context, index);
    works = false;
}

/* The hooks of perm_tasks, around bodies that mark their thread. */
static void run_marked(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    const ph_task_hooks threads = perm_tasks_threads(user);
    real_body = body;
    threads.parallel_for(threads.user, count, mark_worker, context);
}

/* ---- worlds ---- */

static void open_host(host *h, uint32_t index, ph_world_def def)
{
    h->rng = index + 1;
    h->entities = index % 4 == 3 ? LARGE : SMALL;
    def.world_size[0] = def.world_size[1] = 1000;
    def.shards[0] = 2;
    def.share_min = SHARE_MIN;
    def.consumers = CONSUMERS;
    def.consumer_batches = BATCHES_MAX;
    def.batches = (ph_batch_hook){.offered = note_offer, .user = h};
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    for (uint32_t c = 0; c < CONSUMERS; c++) REQUIRE(ph_consumer_open(h->world, c, &h->consumers[c]) == PH_OK);
}

/* Some ticks have nothing for some consumers. */
static void submit_tick(host *h, uint32_t tick)
{
    for (uint32_t i = 1; i <= h->entities; i++) {
        const uint32_t consumer = i % CONSUMERS;
        const float x = 1000 * phx_rng_unit(&h->rng), y = 1000 * phx_rng_unit(&h->rng);
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_VIEW | PH_CONSUMER, .x = x, .y = y, .view = 200, .consumer = consumer};
        if (tick == 0) CHECK_OK(ph_enter(h->producer, i, &attrs));
        else if ((tick >> consumer) % 2 == 0) CHECK_OK(ph_move(h->producer, i, x, y, 0));
    }
    if (tick % 5 == 4) CHECK_OK(ph_broadcast(h->producer, 1, "all", 3, NULL));
    if (tick % 7 == 6) CHECK_OK(ph_resend(h->producer, 1 + phx_rng_below(&h->rng, h->entities)));
}

/* Each batch that is there, and no other one, has had its call. */
static void compare_calls(host *h, uint32_t tick)
{
    for (uint32_t c = 0; c < CONSUMERS; c++) {
        const ph_batch *batch;
        while (ph_batch_take(h->consumers[c], &batch) == PH_OK) {
            h->taken[c]++;
            CHECK_OK(ph_batch_return(h->consumers[c], batch));
        }
        const uint32_t calls = atomic_load_explicit(&h->calls[c], memory_order_relaxed);
        CHECK(calls == h->taken[c], "tick %" PRIu32 ", consumer %" PRIu32 ": %" PRIu32 " calls, %" PRIu32 " batches",
              tick, c, calls, h->taken[c]);
    }
}

static uint32_t calls_by_workers(const host *hosts, uint32_t count)
{
    uint32_t calls = 0;
    for (uint32_t i = 0; i < count; i++) calls += atomic_load_explicit(&hosts[i].by_workers, memory_order_relaxed);
    return calls;
}

static void set_ticked(ticked by)
{
    atomic_store_explicit(&now_ticked, by, memory_order_relaxed);
}

/* ---- ticks with memory ---- */

static void play_own_workers(void)
{
    static host hosts[WORLDS];
    ph_world_def def = ph_world_def_default();
    memset(hosts, 0, sizeof hosts);
    def.workers = 3;
    for (uint32_t i = 0; i < WORLDS; i++) open_host(&hosts[i], i, def);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint32_t i = 0; i < WORLDS; i++) {
            submit_tick(&hosts[i], tick);
            set_ticked(BY_THREAD);
            CHECK_OK(ph_tick(hosts[i].world, NULL));
            set_ticked(NOTHING);
            if (tick % 4 != 1) compare_calls(&hosts[i], tick); /* else the bound is met */
        }
    }
    CHECK(calls_by_workers(hosts, WORLDS) == 0, "a worker of a world of its own made a call");
    for (uint32_t i = 0; i < WORLDS; i++) {
        for (uint32_t c = 0; c < CONSUMERS; c++) CHECK(hosts[i].taken[c] > TICKS / 4, "the scene has few batches");
        CHECK_OK(ph_world_destroy(hosts[i].world));
    }
}

static void play_crew(ph_task_hooks tasks)
{
    static host hosts[WORLDS];
    const ph_crew_def crew_def = {.workers = 3, .tasks = tasks};
    const ticked by = tasks.parallel_for ? BY_CREW : BY_THREADS_OF_CREW;
    ph_world_def def = ph_world_def_default();
    ph_world worlds[WORLDS];
    ph_status statuses[WORLDS];
    memset(hosts, 0, sizeof hosts);
    REQUIRE(ph_crew_create(&crew_def, &def.crew) == PH_OK);
    for (uint32_t i = 0; i < WORLDS; i++) {
        open_host(&hosts[i], i, def);
        worlds[i] = hosts[i].world;
    }
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        const uint32_t alone = tick % 3 == 2 ? 4 : 0; /* these tick one by one, with the same crew */
        for (uint32_t i = 0; i < WORLDS; i++) submit_tick(&hosts[i], tick);
        set_ticked(by);
        for (uint32_t i = 0; i < alone; i++) CHECK_OK(ph_tick(worlds[i], NULL));
        CHECK_OK(ph_tick_many(worlds + alone, WORLDS - alone, statuses));
        set_ticked(NOTHING);
        for (uint32_t i = 0; i < WORLDS && tick % 4 != 1; i++) compare_calls(&hosts[i], tick);
    }
    if (by == BY_CREW) CHECK(calls_by_workers(hosts, WORLDS) > 0, "no world was ticked by a worker");
    for (uint32_t i = 0; i < WORLDS; i++) CHECK_OK(ph_world_destroy(worlds[i]));
    CHECK_OK(ph_crew_destroy(def.crew));
}

/* ---- ticks that go on ---- */

/* A tick that stopped goes on: 0 by ph_tick(), 1 by ph_tick_many(), 2 by ph_tick_finish(). */
static uint32_t tick_in_parts(host *h, uint32_t way)
{
    uint32_t stops = 0;
    ph_status status = ph_tick(h->world, NULL);
    while (status == PH_NO_MEMORY && ++stops < 100) {
        if (way == 0) {
            status = ph_tick(h->world, NULL);
        } else if (way == 1) {
            const ph_status first = ph_tick_many(&h->world, 1, &status);
            CHECK(first == status, "the status of one world");
        } else {
            status = ph_tick_finish(h->world, NULL);
        }
    }
    CHECK_OK(status);
    return stops;
}

/* Some ticks, in the second and the third of which the nth allocation fails. Returns how many ticks stopped. */
static uint32_t play_stops(uint32_t index, uint32_t way, uint64_t nth, bool sticky)
{
    fail_alloc memory = {0};
    host h = {0};
    ph_world_def def = ph_world_def_default();
    uint32_t stops = 0;
    def.allocator = fail_alloc_hooks(&memory);
    open_host(&h, index, def);
    for (uint32_t tick = 0; tick < 5; tick++) {
        submit_tick(&h, tick);
        fail_alloc_order(&memory, tick == 0 || tick == 2 ? nth : 0, sticky);
        set_ticked(BY_THREAD);
        stops += tick_in_parts(&h, way) > 0;
        set_ticked(NOTHING);
        fail_alloc_order(&memory, 0, false);
        if (tick != 1) compare_calls(&h, tick);
    }
    CHECK_OK(ph_world_destroy(h.world));
    (void)fail_alloc_clean(&memory);
    return stops;
}

/* With `sticky` no memory comes back, so that nothing but ph_tick_finish() goes on. */
static void play_without_memory(uint32_t index, uint32_t way, bool sticky)
{
    uint32_t stops = 0, last = 1;
    for (uint64_t nth = 1; last > 0 || nth < 10; nth++) stops += last = play_stops(index, way, nth, sticky);
    CHECK(stops > 10, "world %" PRIu32 ", way %" PRIu32 ": %" PRIu32 " ticks stopped", index, way, stops);
}

int main(void)
{
    perm_tasks tasks = {.rng = 28};
    ticker = pthread_self();
    play_own_workers();
    play_crew((ph_task_hooks){.parallel_for = run_marked, .user = &tasks});
    play_crew((ph_task_hooks){0});
    for (uint32_t way = 0; way < 3; way++) play_without_memory(1, way, false);
    play_without_memory(1, 2, true);
    play_without_memory(3, 2, false);
    play_without_memory(3, 2, true);
    return check_done("batch_hook");
}
