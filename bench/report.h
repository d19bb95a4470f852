/*
 * The reports for people: the table, --list and the faults. Written by main.c when all
 * rounds are done.
 */
#ifndef PHX_BENCH_REPORT_H
#define PHX_BENCH_REPORT_H

#include <stdio.h>

#include "bench/machine.h"
#include "bench/plan.h"

/* All scenarios and engines, for --list. */
void bench_report_list(FILE *out);

/* Longest bench_report_title() with its end. */
enum { BENCH_TITLE_SIZE = 256 };

/* The case in words: scenario, features, engine, workers, shards, and producers where there are several. */
void bench_report_title(const bench_case *run, char title[BENCH_TITLE_SIZE]);

/* The cases that an engine can not run, a line for each engine and reason. */
void bench_report_skips(FILE *out, const bench_plan *plan);
void bench_report_table(FILE *out, const bench_plan *plan, const bench_machine *machine);
/* The faults that the checks found, one a line; false = there are none. */
bool bench_report_faults(FILE *out, const bench_plan *plan);

#endif
