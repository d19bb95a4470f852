/*
 * The schedule of pharos-bench --hz: a slow tick of the engine makes its next tick
 * late, the bench's own time does not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/pace.h"
#include "tools/cli.h"

enum { MS = 1000000, HZ = 100, PERIOD = 10 * MS };

static void expect(const char *what, uint64_t is, uint64_t low, uint64_t high)
{
    if (is < low || is > high) {
        printf("%s: %llu, expected %llu to %llu\n", what, (unsigned long long)is, (unsigned long long)low,
               (unsigned long long)high);
        exit(1);
    }
}

static void late_engine_stays_late(void)
{
    bench_pace pace;
    bench_pace_start(&pace, HZ);
    bench_pace_wait(&pace);
    uint64_t due = pace.due_ns;
    expect("a tick of 3 ms", bench_pace_done(&pace, due + 3 * MS), 3 * MS, 3 * MS);
    expect("due one period later", pace.due_ns, due + PERIOD, due + PERIOD);
    expect("a tick of 25 ms", bench_pace_done(&pace, pace.due_ns + 25 * MS), 25 * MS, 25 * MS);
    uint64_t end = pace.free_ns + 2 * MS;
    expect("2 ms more, 10 ms later", bench_pace_done(&pace, end), 17 * MS, 17 * MS);
}

static void bench_work_moves_the_schedule(void)
{
    bench_pace pace;
    bench_pace_start(&pace, HZ);
    bench_pace_wait(&pace);
    uint64_t now = phx_clock_ns();
    pace.due_ns = now - 300 * MS;
    pace.free_ns = now - 200 * MS;
    bench_pace_wait(&pace);
    /* 100 ms of the 300 are the engine's. */
    expect("due", pace.due_ns, now - 100 * MS, phx_clock_ns() - 100 * MS);
}

static void waits_for_the_engine(void)
{
    bench_pace pace;
    bench_pace_start(&pace, HZ);
    bench_pace_wait(&pace);
    uint64_t due = pace.due_ns;
    pace.free_ns = phx_clock_ns() + 20 * MS;
    bench_pace_wait(&pace);
    uint64_t now = phx_clock_ns();
    expect("begins when the engine is free", now, pace.free_ns, UINT64_MAX);
    expect("due as before", pace.due_ns, due, due + (now - pace.free_ns));
}

static void no_schedule(void)
{
    bench_pace pace;
    bench_pace_start(&pace, 0);
    bench_pace_wait(&pace);
    expect("no latency", bench_pace_done(&pace, phx_clock_ns()), 0, 0);
}

int main(void)
{
    late_engine_stays_late();
    bench_work_moves_the_schedule();
    waits_for_the_engine();
    no_schedule();
    return 0;
}
