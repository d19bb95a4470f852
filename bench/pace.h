/*
 * When ticks are due, and how late they end: for --hz. The schedule moves on while the
 * bench makes positions, hashes and checks, which no server does; a tick in which the engine
 * takes too long makes its next tick late. Used by run.c.
 */
#ifndef PHX_BENCH_PACE_H
#define PHX_BENCH_PACE_H

#include "base/core.h"

typedef struct bench_pace {
    uint64_t period_ns; /* 0 = no schedule: every tick is due when it begins */
    uint64_t due_ns;    /* when the coming tick is due; 0 = the first comes */
    uint64_t free_ns;   /* when the engine had done with the one before */
} bench_pace;

void bench_pace_start(bench_pace *pace, uint32_t hz);
/* Sleeps until the coming tick can begin. */
void bench_pace_wait(bench_pace *pace);
/* It ended at this time; returns how long after it was due, 0 without a schedule. */
uint64_t bench_pace_done(bench_pace *pace, uint64_t end_ns);

#endif
