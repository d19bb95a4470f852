/*
 * One crew, and two threads that tick worlds with it at the same time, each its own: one by ph_tick_many(), one by
 * single ticks and ph_find_many(). A thread submits to all worlds, another one takes batches. No call is refused for
 * the crew's sake, and every accepted command is applied. For TSan.
 *
 * Plain program: exit status 0 or 1, prints failures. Bounded by ticks, and by the commands for a tick.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include <pharos/pharos.h>

enum {
    WORLDS = 24,
    HALF = WORLDS / 2,
    TICKS = 150,
    ENTITIES = 40,
    QUERIES = 40,
    AHEAD = WORLDS * ENTITIES * 4 /* commands for each tick of all worlds of a thread: else ticks that fall behind get
                                     ever longer ones */
};

static ph_world worlds[WORLDS];
static ph_producer producers[WORLDS];
static ph_consumer consumers[WORLDS];
static uint64_t accepted[WORLDS]; /* by the producing thread; read once it has ended */
static _Atomic int tickers = 2;   /* seq_cst, as all here */
static _Atomic uint64_t rounds;   /* ticks of all worlds of a thread */
static _Atomic int failures;

static void expect(bool ok, const char *call, ph_status status)
{
    if (ok) return;
    atomic_fetch_add(&failures, 1);
    (void)fprintf(stderr, "stress_crew: %s: %s\n", call, ph_status_name(status));
}

static void *submit(void *unused)
{
    for (uint64_t i = 0; atomic_load(&tickers) > 0; i++) {
        while (i >= (atomic_load(&rounds) + 1) * AHEAD && atomic_load(&tickers) > 0) (void)sched_yield();
        const uint32_t w = (uint32_t)(i % WORLDS);
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_VIEW, .x = (float)(i * 7 % 300), .y = (float)(i * 11 % 300), .view = 90};
        const uint64_t id = 1 + i / WORLDS % ENTITIES;
        const ph_status status = i < (uint64_t)WORLDS * ENTITIES ? ph_enter(producers[w], id, &attrs)
                                                                 : ph_move(producers[w], id, attrs.x, attrs.y, 0);
        expect(status == PH_OK || status == PH_FULL, "a command", status);
        accepted[w] += status == PH_OK;
        if (i % 64 == 0) (void)sched_yield();
    }
    return unused;
}

static void take_all(uint32_t w)
{
    const ph_batch *batch;
    while (ph_batch_take(consumers[w], &batch) == PH_OK) {
        const ph_status status = ph_batch_return(consumers[w], batch);
        expect(status == PH_OK, "return", status);
    }
}

static void *consume(void *unused)
{
    while (atomic_load(&tickers) > 0) {
        for (uint32_t w = 0; w < WORLDS; w++) take_all(w);
        (void)sched_yield();
    }
    return unused;
}

static void *tick_together(void *unused)
{
    ph_status statuses[HALF];
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        const ph_status status = ph_tick_many(worlds, HALF, statuses);
        expect(status == PH_OK, "ph_tick_many", status);
        atomic_fetch_add(&rounds, 1);
    }
    atomic_fetch_sub(&tickers, 1);
    return unused;
}

static void *tick_one_by_one(void *unused)
{
    ph_query queries[QUERIES];
    ph_answer answers[QUERIES];
    ph_hit hits[QUERIES];
    for (uint32_t i = 0; i < QUERIES; i++) {
        queries[i] = (ph_query){.shape = PH_QUERY_CIRCLE, .x = 150, .y = 150, .radius = (float)i};
        answers[i] = (ph_answer){.hits = &hits[i], .capacity = 1};
    }
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint32_t w = HALF; w < WORLDS; w++) {
            ph_status status = ph_tick(worlds[w], NULL);
            expect(status == PH_OK, "ph_tick", status);
            status = ph_find_many(worlds[w], QUERIES, queries, answers);
            expect(status == PH_OK, "ph_find_many", status);
        }
        atomic_fetch_add(&rounds, 1);
    }
    atomic_fetch_sub(&tickers, 1);
    return unused;
}

int main(void)
{
    void *(*const bodies[])(void *) = {submit, consume, tick_together, tick_one_by_one};
    enum { THREADS = sizeof bodies / sizeof *bodies };
    const ph_crew_def crew_def = {.workers = 3};
    ph_world_def def = ph_world_def_default();
    ph_crew crew;
    pthread_t threads[THREADS];
    if (ph_crew_create(&crew_def, &crew) != PH_OK) return 1;
    def.crew = crew;
    for (uint32_t w = 0; w < WORLDS; w++) {
        def.share_min = w % 4 == 0 ? 0 : 2048; /* each fourth world's ticks are shared */
        if (ph_world_create(&def, &worlds[w]) != PH_OK || ph_producer_open(worlds[w], &producers[w]) != PH_OK ||
            ph_consumer_open(worlds[w], 0, &consumers[w]) != PH_OK)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, bodies[i], NULL) != 0) return 1;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (uint32_t w = 0; w < WORLDS; w++) {
        ph_stats stats;
        ph_status status = ph_tick(worlds[w], NULL); /* commands behind the last tick */
        expect(status == PH_OK, "the last tick", status);
        status = ph_world_stats(worlds[w], &stats);
        expect(status == PH_OK && stats.applied + stats.refused_in_tick == accepted[w], "commands were lost", status);
        status = ph_world_destroy(worlds[w]);
        expect(status == PH_OK, "destroy", status);
    }
    const ph_status status = ph_crew_destroy(crew);
    expect(status == PH_OK, "ph_crew_destroy", status);
    return atomic_load(&failures) == 0 ? 0 : 1;
}
