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

/*
 * ASLEEP_US: of a tick, for a mutex whose holder waits for a processor; a wait for the slow node's tick is 350 ms. Its
 * ticks are one to seven of the others: these make five at least, so that a machine that is busy has room, and a node
 * that waits for it has none.
 */
enum { SLOW_WINDOW_MS = 5000, SLOW_WINDOWS = 3, ASLEEP_US = 10000, TICKS_TO_ONE = 5, SHARE_PERCENT = 80 };

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* A time with one speed of the node, or with the other one. */
typedef struct window {
    uint64_t begin_ms, end_ms;
    bool is_slow;
} window;

/* Of all windows of one kind: ticks of one node, or of several, and the time that these had for them. */
typedef struct turns {
    uint64_t ticks, ms;
    live_times ticks_us, asleep_us;
} turns;

/* From the first status in the window to the last one in it: so no tick of another window counts. */
static void add_turns(const live_run *run, const window *in, turns *to)
{
    const live_mark *first = NULL, *last = NULL;
    for (size_t i = 0; i < run->marks.count; i++) {
        const live_mark *mark = &run->marks.items[i];
        if (mark->ms < in->begin_ms || mark->ms > in->end_ms) continue;
        if (!first) first = mark;
        last = mark;
    }
    if (!first) return;
    to->ticks += last->ticks - first->ticks;
    to->ms += last->ms - first->ms;
    for (size_t at = first->times; at < last->times; at++) {
        VEC_PUSH(&to->ticks_us, run->ticks_us.items[at]);
        VEC_PUSH(&to->asleep_us, run->asleep_us.items[at]);
    }
}

static uint64_t percent_of_due(const turns *of)
{
    return of->ms > 0 ? 100 * LIVE_TICK_MS * of->ticks / of->ms : 0;
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
static void check_asleep(const live_cluster *cluster, turns *plain, turns *beside)
{
    const uint32_t plain_us = p99_of(&plain->asleep_us), beside_us = p99_of(&beside->asleep_us);
    (void)printf("  p99 of the time that they sleep in a tick: %u us without, %u us beside it\n", plain_us, beside_us);
    CHECK(beside_us <= plain_us + plain_us / 10 + ASLEEP_US,
          "seed %" PRIu64 ": others wait for a slow node: they sleep for %u us in a tick, %u us without it",
          cluster->seed, beside_us, plain_us);
}

/* The machine is as busy with the slow node as without it, on the whole: so ticks are compared, and not times. */
static void check_turns(const live_cluster *cluster, const turns *plain, const turns *beside, const turns *slow)
{
    (void)printf("  the others make %" PRIu64 " %% of the ticks that are due without it, %" PRIu64
                 " %% beside it: %" PRIu64 " and %" PRIu64 "; the slow one %" PRIu64 " %%: %" PRIu64 "\n",
                 percent_of_due(plain), percent_of_due(beside), plain->ticks, beside->ticks, percent_of_due(slow),
                 slow->ticks);
    CHECK(slow->ticks > 0 && beside->ticks * slow->ms >= TICKS_TO_ONE * slow->ticks * beside->ms,
          "seed %" PRIu64 ": others wait for a slow node: %" PRIu64 " ticks in %" PRIu64 " ms, to %" PRIu64
          " in %" PRIu64,
          cluster->seed, beside->ticks, beside->ms, slow->ticks, slow->ms);
    CHECK(beside->ticks * plain->ms * 100 >= SHARE_PERCENT * plain->ticks * beside->ms,
          "seed %" PRIu64 ": others make %" PRIu64 " %% of their ticks beside a slow node, %" PRIu64 " %% without it",
          cluster->seed, percent_of_due(beside), percent_of_due(plain));
}

static void check_windows(const live_cluster *cluster, const live_run *run, const window *windows, uint32_t count)
{
    turns others[2] = {0}, own[2] = {0};
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *of = &cluster->runs[i];
        turns *to = of == run ? own : others;
        for (uint32_t n = 0; n < count && !of->is_gateway; n++) add_turns(of, &windows[n], &to[windows[n].is_slow]);
    }
    const uint32_t plain_us = p99_of(&others[0].ticks_us), beside_us = p99_of(&others[1].ticks_us);
    (void)printf("  p99 of the others' ticks: %u us without, %u us beside it: %.2f times\n", plain_us, beside_us,
                 (double)beside_us / (double)plain_us);
    check_turns(cluster, &others[0], &others[1], &own[1]);
    check_asleep(cluster, &others[0], &others[1]);
    for (uint32_t i = 0; i < 2; i++) {
        VEC_FREE(&others[i].ticks_us);
        VEC_FREE(&others[i].asleep_us);
        VEC_FREE(&own[i].ticks_us);
        VEC_FREE(&own[i].asleep_us);
    }
}

/* Windows with and without the fault take turns, as the machine has other work. */
void live_slow_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    window windows[2 * SLOW_WINDOWS];
    uint64_t late_ms = 0;
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    for (uint32_t i = 0; i < 2 * SLOW_WINDOWS; i++) {
        /* a tick of before the signal may go on for so long */
        windows[i] = (window){.begin_ms = live_now_ms() + cluster->slow_ms + LIVE_TICK_MS, .is_slow = i % 2 == 1};
        live_begin_measure(cluster);
        live_pass(cluster, SLOW_WINDOW_MS);
        if (live_longest_silence_ms(cluster) > late_ms) late_ms = live_longest_silence_ms(cluster);
        windows[i].end_ms = live_now_ms();
        server_signal(&run->process, SIGUSR2);
    }
    live_pass(cluster, 1000);
    (void)printf("  it was late for %" PRIu64 " ms at a time\n", late_ms);
    check_windows(cluster, run, windows, 2 * SLOW_WINDOWS);
    CHECK(late_ms > 0, "seed %" PRIu64 ": its lag is not told", cluster->seed);
    live_check_nothing_lost(cluster, first);
    (void)live_await_rest(cluster, "behind a slow node");
}
