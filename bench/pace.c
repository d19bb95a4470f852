/*
 * The schedule of --hz; see pace.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* clock_nanosleep() */
#endif

#include "bench/pace.h"

#include <errno.h>
#include <time.h>

#include "tools/cli.h"

enum { SECOND_NS = 1000000000 };

void bench_pace_start(bench_pace *pace, uint32_t hz)
{
    *pace = (bench_pace){.period_ns = hz == 0 ? 0 : SECOND_NS / hz};
}

static void sleep_until(uint64_t time_ns)
{
    struct timespec until = {.tv_sec = (time_t)(time_ns / SECOND_NS), .tv_nsec = (long)(time_ns % SECOND_NS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

void bench_pace_wait(bench_pace *pace)
{
    if (pace->period_ns == 0) {
        return;
    }
    uint64_t now = phx_clock_ns();
    pace->due_ns = pace->due_ns == 0 ? now : pace->due_ns;
    uint64_t begin = pace->due_ns > pace->free_ns ? pace->due_ns : pace->free_ns;
    if (now < begin) {
        sleep_until(begin);
    } else { /* the bench's own work lasted beyond it: that is not the engine's lateness */
        pace->due_ns += now - begin;
    }
}

uint64_t bench_pace_done(bench_pace *pace, uint64_t end_ns)
{
    if (pace->period_ns == 0) {
        return 0;
    }
    PHX_ASSERT(end_ns >= pace->due_ns);
    uint64_t latency = end_ns - pace->due_ns;
    pace->free_ns = end_ns;
    pace->due_ns += pace->period_ns;
    return latency;
}
