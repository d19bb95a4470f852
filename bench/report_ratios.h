/*
 * Pharos against the baselines, under the table. Called by report.c.
 */
#ifndef PHX_BENCH_REPORT_RATIOS_H
#define PHX_BENCH_REPORT_RATIOS_H

#include <stdio.h>

#include "bench/plan.h"

/* How much faster Pharos is than each baseline, by scenario; nothing, when there are none. */
void bench_report_ratios(FILE *out, const bench_plan *plan);

#endif
