/*
 * The slow ticks of --tail. Written by report.c.
 */
#ifndef PHX_BENCH_REPORT_TAIL_H
#define PHX_BENCH_REPORT_TAIL_H

#include <stdio.h>

#include "bench/plan.h"

/* A table below the others; none without --tail. */
void bench_report_tail(FILE *out, const bench_plan *plan);

#endif
