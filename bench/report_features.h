/*
 * The cost of features: ticks with them against ticks without, of one run. Written by report.c and report_data.c.
 */
#ifndef PHX_BENCH_REPORT_FEATURES_H
#define PHX_BENCH_REPORT_FEATURES_H

#include <stdio.h>

#include "bench/plan.h"

/* How many times as long a tick takes with the features as without. */
typedef struct bench_times_plain {
    double cpu_min, cpu_p50;   /* processor time of the whole program: other programs' load does not show in it */
    double tick_min, tick_p50; /* by the clock */
    double plain_us_min, plain_us_p50;
    double change_us; /* processor time of each command that is no move, by the minimum; 0 = there are none */
} bench_times_plain;

/* run has features, and ran. All 0: it was given up without them. */
bench_times_plain bench_times_plain_of(const bench_case *run, phx_mem *mem);

/* A table below the others; none without features. */
void bench_report_features(FILE *out, const bench_plan *plan);

/* For --list: all features, and the presets. */
void bench_report_feature_list(FILE *out);

#endif
