/*
 * One round of one case: the stream, the engine, the clock, the hash and the check.
 */
#ifndef PHX_BENCH_RUN_H
#define PHX_BENCH_RUN_H

#include "bench/case.h"

/* Called between ticks; 0 of 0 = the setup. */
typedef void (*bench_progress_fn)(void *user, uint64_t tick, uint64_t ticks);

typedef enum bench_run_result {
    BENCH_RUN_OK,
    BENCH_RUN_BAD_INPUT, /* the trace; see error */
    BENCH_RUN_TROUBLE    /* see error */
} bench_run_result;

/* Runs the case once more and adds the measurements to it. */
bench_run_result bench_run(bench_case *run, phx_mem *mem, bench_progress_fn progress, void *user, bench_error *error);

#endif
