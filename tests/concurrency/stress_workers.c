/*
 * base/workers.c under load: very many small runs, more workers than CPUs, several groups
 * of workers at once, groups made and taken down all the time, callers that change.
 *
 * The work is a chain in which every worker, or every piece that workers share, needs two results of the run
 * before, in plain memory. A run that starts too early, ends too early, or leaves a worker
 * out gives another result than the same chain in one thread; TSan sees it as a race.
 *
 * stress_workers [--seed N] [--runs N]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "base/workers.h"
#include "support/check.h"

typedef struct chain {
    uint64_t values[2][PH_WORKERS_MAX]; /* written by turns */
    uint64_t times[PH_WORKERS_MAX];     /* that a piece was done */
    uint64_t run;
    uint64_t seed;
    uint32_t count;
    bool dawdles; /* workers and caller sleep at random */
    bool shared;  /* values belong to pieces, of any worker; else to workers */
} chain;

/* Now and then as long as a sleeping thread takes to wake, mostly nothing. */
static void dawdle(uint64_t random)
{
    struct timespec pause = {0, (long)(random >> 8 & 0xffff)};

    if ((random & 63) == 0) {
        nanosleep(&pause, NULL);
    }
}

static uint64_t chain_step(const chain *it, uint32_t worker)
{
    const uint64_t *before = it->values[(it->run + 1) % 2];
    uint32_t next = worker + 1 < it->count ? worker + 1 : 0;

    return phx_mix64(before[worker] + 3 * before[next] + it->run);
}

static void chain_body(void *context, uint32_t worker)
{
    chain *it = context;

    it->values[it->run % 2][worker] = chain_step(it, worker);
    if (it->dawdles) {
        dawdle(phx_mix64(it->seed ^ (it->run << 16) ^ worker));
    }
}

static void chain_piece(void *context, uint32_t worker, uint32_t piece)
{
    chain *it = context;

    (void)worker;
    it->times[piece]++;
    chain_body(it, piece);
}

static void chain_begin(chain *it, uint32_t count, uint64_t seed, bool dawdles)
{
    memset(it, 0, sizeof(*it));
    it->seed = seed;
    it->count = count;
    it->dawdles = dawdles;
    for (uint32_t i = 0; i < count; i++) {
        it->values[0][i] = phx_mix64(seed + i);
    }
}

static void chain_run(chain *it, phx_workers *workers, uint64_t runs)
{
    for (uint64_t i = 0; i < runs; i++) {
        it->run++;
        if (it->run % 3 == 0) {
            phx_workers_wake_early(workers);
        }
        if (it->shared) {
            phx_parallel_for(workers, it->count, chain_piece, it);
        } else {
            phx_workers_run(workers, chain_body, it);
        }
        if (it->dawdles) {
            dawdle(phx_mix64(it->seed + it->run));
        }
    }
}

static void chain_check(const chain *got)
{
    chain expected;

    chain_begin(&expected, got->count, got->seed, false);
    while (expected.run < got->run) {
        expected.run++;
        for (uint32_t i = 0; i < got->count; i++) {
            chain_body(&expected, i);
        }
    }
    CHECK(memcmp(expected.values, got->values, sizeof(got->values)) == 0,
          "%u %s, %" PRIu64 " runs, seed %" PRIu64 ": not the result of one thread", got->count,
          got->shared ? "pieces" : "workers", got->run, got->seed);
    for (uint32_t i = 0; got->shared && i < got->count; i++) {
        CHECK(got->times[i] == got->run,
              "%u pieces, seed %" PRIu64 ": piece %u was done %" PRIu64 " times in %" PRIu64 " runs", got->count,
              got->seed, i, got->times[i], got->run);
    }
}

/* pieces 0: a value for each worker. */
static void run_count(uint32_t count, uint32_t pieces, uint64_t runs, uint64_t seed, bool dawdles)
{
    chain it;
    phx_mem mem;
    phx_workers *workers;

    phx_mem_init(&mem, phx_allocator_libc());
    workers = phx_workers_create(&mem, count, (ph_task_hooks){0});
    REQUIRE(workers != NULL);
    chain_begin(&it, pieces > 0 ? pieces : count, seed, dawdles);
    it.shared = pieces > 0;
    chain_run(&it, workers, runs);
    phx_workers_destroy(&mem, workers);
    CHECK(atomic_load(&mem.bytes) == 0, "memory is held");
    chain_check(&it);
}

/* ---- several at once, coming and going ---- */

typedef struct group {
    uint64_t seed;
    uint64_t runs;
} group;

static void *group_main(void *argument)
{
    const group *it = argument;
    uint64_t rng = it->seed;

    for (uint64_t done = 0; done < it->runs;) {
        uint64_t runs = phx_rng_below(&rng, 60); /* none, too */

        uint32_t pieces = phx_rng_below(&rng, 40);

        run_count(1 + phx_rng_below(&rng, 6), pieces, runs, phx_rng_next(&rng), phx_rng_below(&rng, 2) == 0);
        done += runs + 1;
    }
    return NULL;
}

static void run_groups(uint32_t count, uint64_t runs, uint64_t seed)
{
    pthread_t threads[16];
    group groups[16];

    REQUIRE(count <= 16);
    for (uint32_t i = 0; i < count; i++) {
        groups[i] = (group){phx_mix64(seed + i), runs};
        REQUIRE(pthread_create(&threads[i], NULL, group_main, &groups[i]) == 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
}

/* ---- the ticking thread is another one each time ---- */

typedef struct turn {
    chain *it;
    phx_workers *workers;
} turn;

static void *turn_main(void *argument)
{
    turn *mine = argument;

    chain_run(mine->it, mine->workers, 20);
    return NULL;
}

static void run_turns(uint32_t count, uint32_t turns, uint64_t seed)
{
    chain it;
    phx_mem mem;
    turn mine = {&it, NULL};

    phx_mem_init(&mem, phx_allocator_libc());
    mine.workers = phx_workers_create(&mem, count, (ph_task_hooks){0});
    REQUIRE(mine.workers != NULL);
    chain_begin(&it, count, seed, true);
    for (uint32_t i = 0; i < turns; i++) {
        pthread_t thread;

        REQUIRE(pthread_create(&thread, NULL, turn_main, &mine) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
        chain_run(&it, mine.workers, 3);
    }
    phx_workers_destroy(&mem, mine.workers);
    chain_check(&it);
}

int main(int argc, char **argv)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 8, 17, 33};
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t runs = option_number(argc, argv, "--runs", test_amount(10000));

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        run_count(counts[i], 0, runs / counts[i] + 1, seed + i, false);
        run_count(counts[i], 0, runs / counts[i] / 2 + 1, seed + i, true);
        run_count(counts[i], 3 * counts[i] + 1, runs / counts[i] + 1, seed + i, false);
        run_count(counts[i], PH_WORKERS_MAX, runs / counts[i] / 10 + 1, seed + i, true);
    }
    run_groups(4, runs / 10 + 1, seed);
    run_turns(3, (uint32_t)(runs / 200) + 1, seed);
    if (check_failures() != 0) {
        fprintf(stderr, "repeat with --seed %" PRIu64 " --runs %" PRIu64 "\n", seed, runs);
    }
    return check_done("stress_workers");
}
