/*
 * The times of measured ticks, and their figures. Filled by run.c between ticks, summed up by the reports.
 */
#ifndef PHX_BENCH_SAMPLES_H
#define PHX_BENCH_SAMPLES_H

#include "base/mem.h"

/* One measured tick. */
typedef struct bench_sample {
    uint64_t wall_ns;
    uint64_t submit_ns;  /* the part in which commands were handed over; 0 = not measured apart */
    uint64_t latency_ns; /* from when it was due to its end; 0 without --hz */
    uint64_t cpu_ns;     /* of all threads of this program meanwhile: other programs' load does not show in it */
    uint32_t moves;      /* move commands in it */
} bench_sample;

/* All measured ticks of all rounds. */
typedef struct bench_samples {
    bench_sample *ticks;
    uint32_t count;
    uint32_t room;
} bench_samples;

void bench_samples_add(bench_samples *samples, phx_mem *mem, bench_sample sample);
void bench_samples_free(bench_samples *samples, phx_mem *mem);

/* Of one time over all ticks, in microseconds. */
typedef struct bench_spread {
    double min, p50, p99, max;
} bench_spread;

/* The figures of all samples. */
typedef struct bench_summary {
    bench_spread tick_us;
    bench_spread submit_us;  /* the part in which commands were handed over; 0 = not measured apart */
    bench_spread rest_us;    /* the tick without it */
    bench_spread latency_us; /* from when it was due; 0 without --hz */
    bench_spread cpu_us;
    double ns_per_move_min, ns_per_move_median; /* over the ticks with moves; 0 = there were none */
} bench_summary;

bench_summary bench_samples_summary(const bench_samples *samples, phx_mem *mem);

/*
 * The slow ticks of a case by their own work: of each tick the least over identical rounds, so that a disturbance of
 * the machine has to hit the same tick in every round to show. In microseconds, by nearest rank.
 */
typedef struct bench_tail {
    double p50, p90, p99, p999, max;
} bench_tail;

/* The samples are of so many rounds, one after the other. */
bench_tail bench_samples_tail(const bench_samples *samples, uint32_t rounds, phx_mem *mem);

#endif
