/*
 * Measures and bounds; see live_bounds.h.
 */
#include "cluster/live_bounds.h"

#include <inttypes.h>

enum {
    EXCUSED_MAX = 3, /* of five in a fault: two were seen, behind a leader of etcd that stood still */
    STALLS = 4,      /* a time of several processes, one after the other, each of which may be late */
    BOUNDS_TOLD = 4, /* of one fault there may be a single bound, and it is left out by right */
    TICKS_SHARE = 3  /* one that waits a second in each tick has less: a second's ticks of before, and these */
};

/* One that goes on counts too, but for the ticks behind its end in which that is not told yet. */
static uint64_t silence_at(const live_run *run, uint64_t now_ms)
{
    uint64_t ms = run->measure.silence_ms;
    for (uint32_t peer = 1; peer <= LIVE_PEERS_MAX; peer++) {
        const uint64_t told_ms = run->silent_since_ms[peer] + (uint64_t)LIVE_LAG_END_TICKS * LIVE_TICK_MS;
        if (run->silent_since_ms[peer] != 0 && now_ms > told_ms + ms) ms = now_ms - told_ms;
    }
    return ms;
}

uint64_t live_longest_silence_ms(const live_cluster *cluster)
{
    uint64_t ms = 0;
    const uint64_t now_ms = live_now_ms();
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        if (!live_is_node(&cluster->runs[i])) continue;
        const uint64_t silence_ms = silence_at(&cluster->runs[i], now_ms);
        if (silence_ms > ms) ms = silence_ms;
    }
    return ms;
}

void live_check_silence(const live_cluster *cluster, uint64_t least_ms)
{
    const uint64_t ms = live_longest_silence_ms(cluster);
    CHECK(ms >= least_ms || cluster->excused > 0,
          "seed %" PRIu64 ": a silence of %" PRIu64 " ms was told, %" PRIu64 " are the least", cluster->seed, ms,
          least_ms);
}

uint64_t live_longest_gap_ms(const live_cluster *cluster)
{
    uint64_t ms = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_up(&cluster->runs[i]) && cluster->runs[i].measure.gap_ms > ms) ms = cluster->runs[i].measure.gap_ms;
    return ms;
}

uint64_t live_least_lease_ms(const live_cluster *cluster)
{
    uint64_t ms = cluster->lease_ms;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_up(&cluster->runs[i]) && cluster->runs[i].measure.is_whole &&
            cluster->runs[i].measure.lease_least_ms < ms)
            ms = cluster->runs[i].measure.lease_least_ms;
    return ms;
}

void live_check_ticks(const live_cluster *cluster, const char *when)
{
    const uint64_t due = cluster->passed_ms / LIVE_TICK_MS;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        const uint64_t ticks = run->ticks - run->measure.ticks_before;
        if (!live_is_up(run) || run->is_excused || !run->measure.is_whole) continue;
        (void)printf("  run %u: %" PRIu64 " ticks of %" PRIu64 " %s\n", i, ticks, due, when);
        CHECK(ticks >= due / TICKS_SHARE, "seed %" PRIu64 ": run %u makes %" PRIu64 " ticks of %" PRIu64 " %s",
              cluster->seed, i, ticks, due, when);
    }
}

/* All of this process, whichever cluster they are of. */
static uint32_t bounds, bounds_checked;

static void check_bound(const live_cluster *cluster, const char *what, uint64_t ms, uint64_t bound_ms, uint64_t late_ms)
{
    (void)printf("  %-50s %6" PRIu64 " ms, bound %5" PRIu64 " ms (this machine was late by %" PRIu64 " ms)%s\n", what,
                 ms, bound_ms, late_ms, cluster->excused > 0 ? ", not checked" : "");
    bounds++;
    if (cluster->excused > 0) return;
    bounds_checked++;
    CHECK(ms <= bound_ms + STALLS * late_ms, "seed %" PRIu64 ": %s %" PRIu64 " ms, bound %" PRIu64, cluster->seed, what,
          ms, bound_ms);
}

void live_bound(const live_cluster *cluster, const char *what, uint64_t ms, uint64_t bound_ms)
{
    check_bound(cluster, what, ms, bound_ms, cluster->stall_ms);
}

void live_bound_written(const live_cluster *cluster, const char *what, uint64_t ms, uint64_t bound_ms)
{
    check_bound(cluster, what, ms, bound_ms, cluster->stall_ms + cluster->disk_ms);
}

void live_bounds_end(void)
{
    const uint32_t left_out = bounds - bounds_checked;
    (void)printf("%u of %u bounds were checked; %u were not, as a member ended by no fault of its own meanwhile\n",
                 bounds_checked, bounds, left_out);
    CHECK(bounds < BOUNDS_TOLD || left_out <= bounds / 2, "%u of %u bounds were not checked: the run shows too little",
          left_out, bounds);
}

void live_check_excused(const live_cluster *cluster)
{
    const uint32_t count = cluster->excused_all;
    if (count == 0) return;
    (void)printf("  %u members ended by no fault of theirs, of %u at most\n", count, EXCUSED_MAX);
    CHECK(count <= EXCUSED_MAX, "seed %" PRIu64 ": %u members ended: too many for an excuse", cluster->seed, count);
}
