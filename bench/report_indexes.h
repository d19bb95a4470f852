/*
 * The indexes of Pharos side by side, under the table. Called by report.c.
 */
#ifndef PHX_BENCH_REPORT_INDEXES_H
#define PHX_BENCH_REPORT_INDEXES_H

#include <stdio.h>

#include "bench/plan.h"

/* The indexes that were asked for, side by side, and their work; nothing, when there are none. */
void bench_report_indexes(FILE *out, const bench_plan *plan);

#endif
