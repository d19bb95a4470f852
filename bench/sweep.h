/*
 * The sweeps behind the plots: a scenario at several sizes. Read by the plan.
 */
#ifndef PHX_BENCH_SWEEP_H
#define PHX_BENCH_SWEEP_H

#include "bench/case.h"

/* Points of all sweeps together. */
enum { BENCH_SWEEP_MAX = 16 };

typedef struct bench_sweep {
    const char *name;
    const bench_scenario *scenario;
    uint32_t entities;
    uint32_t ticks;
    float side; /* of the world; 0 = the scenario's for so many */
    bench_plot plot;
} bench_sweep;

/* Fills sweeps and returns how many there are; no more entities than entities_max, 0 = as many as it takes. */
uint32_t bench_sweep_make(bench_sweep sweeps[BENCH_SWEEP_MAX], uint32_t entities_max);

#endif
