/*
 * A slow node; see live_slow.h.
 */
#include "cluster/live_slow.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_course.h"
#include "cluster/live_faults.h"
#include "cluster/live_waits.h"

/* ASLEEP_US: of a tick, for a mutex whose holder waits for a processor; a wait for the slow node's tick is 300 ms. */
enum { SLOW_WINDOW_MS = 5000, SLOW_WINDOWS = 3, ASLEEP_US = 10000 };

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* Ticks of the other nodes from their places on. */
typedef struct durations {
    live_times ticks_us, asleep_us;
} durations;

static void note_places(const live_cluster *cluster, size_t places[LIVE_RUNS_MAX])
{
    for (uint32_t i = 0; i < cluster->run_count; i++) places[i] = cluster->runs[i].ticks_us.count;
}

static size_t add_durations(const live_cluster *cluster, const live_run *but, const size_t places[], durations *to)
{
    size_t of_it = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (run == but) of_it = run->ticks_us.count - places[i];
        if (run == but || !live_is_node(run)) continue;
        for (size_t at = places[i]; at < run->ticks_us.count; at++) {
            VEC_PUSH(&to->ticks_us, run->ticks_us.items[at]);
            VEC_PUSH(&to->asleep_us, run->asleep_us.items[at]);
        }
    }
    return of_it;
}

static uint32_t p99_of(live_times *times)
{
    REQUIRE(times->count > 0);
    qsort(times->items, times->count, sizeof *times->items, compare_numbers);
    return times->items[(times->count - 1) * 99 / 100];
}

/*
 * p99 of their ticks is the machine's, where eleven processes share two processors; what they sleep is their own. So a
 * tick in a hundred that waits for the slow node is found.
 */
static void check_asleep(const live_cluster *cluster, durations *plain, durations *beside)
{
    const uint32_t plain_us = p99_of(&plain->asleep_us), beside_us = p99_of(&beside->asleep_us);
    (void)printf("  p99 of the time that they sleep in a tick: %u us without, %u us beside it\n", plain_us, beside_us);
    CHECK(beside_us <= plain_us + plain_us / 10 + ASLEEP_US,
          "seed %" PRIu64 ": others wait for a slow node: they sleep for %u us in a tick, %u us without it",
          cluster->seed, beside_us, plain_us);
}

/* Windows with and without the fault take turns, as the machine has other work. */
void live_slow_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    durations ticks[2] = {0};
    size_t places[LIVE_RUNS_MAX] = {0}, of_it = 0;
    uint64_t late_ms = 0;
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    for (uint32_t window = 0; window < 2 * SLOW_WINDOWS; window++) {
        const bool is_slow = window % 2 == 1;
        live_begin_measure(cluster);
        note_places(cluster, places);
        live_pass(cluster, SLOW_WINDOW_MS);
        const size_t counted = add_durations(cluster, run, places, &ticks[is_slow]);
        if (is_slow) of_it += counted;
        if (live_longest_silence_ms(cluster) > late_ms) late_ms = live_longest_silence_ms(cluster);
        server_signal(&run->process, SIGUSR2);
    }
    live_pass(cluster, 1000);
    const uint32_t plain_us = p99_of(&ticks[0].ticks_us), beside_us = p99_of(&ticks[1].ticks_us);
    const size_t other_ticks = ticks[1].ticks_us.count / (LIVE_NODES - 1);
    (void)printf("  p99 of the others' ticks: %u us without, %u us beside it: %.2f times\n", plain_us, beside_us,
                 (double)beside_us / (double)plain_us);
    (void)printf("  %zu ticks of it, %zu of each other one; it was late for %" PRIu64 " ms at a time\n", of_it,
                 other_ticks, late_ms);
    CHECK(of_it > 0 && other_ticks >= of_it * 3, "seed %" PRIu64 ": others wait for a slow node: %zu ticks to its %zu",
          cluster->seed, other_ticks, of_it);
    check_asleep(cluster, &ticks[0], &ticks[1]);
    CHECK(late_ms > 0, "seed %" PRIu64 ": its lag is not told", cluster->seed);
    live_check_nothing_lost(cluster, first);
    for (uint32_t i = 0; i < 2; i++) {
        VEC_FREE(&ticks[i].ticks_us);
        VEC_FREE(&ticks[i].asleep_us);
    }
    (void)live_await_rest(cluster, "behind a slow node");
}
