/*
 * The reports: the table for people, JSON lines and CSV for programs. Written by
 * main.c when all rounds are done.
 */
#ifndef PHX_BENCH_REPORT_H
#define PHX_BENCH_REPORT_H

#include <stdio.h>

#include "bench/machine.h"
#include "bench/options.h"
#include "bench/plan.h"

/* All scenarios and engines, for --list. */
void bench_report_list(FILE *out);

/* Longest bench_report_title() with its end. */
enum { BENCH_TITLE_SIZE = 128 };

/* The case in words: scenario, engine, workers, shards, and producers where there are several. */
void bench_report_title(const bench_case *run, char title[BENCH_TITLE_SIZE]);

/* The cases that an engine can not run, a line for each engine and reason. */
void bench_report_skips(FILE *out, const bench_plan *plan);
void bench_report_table(FILE *out, const bench_plan *plan, const bench_machine *machine);
/* How much faster Pharos is than each baseline, by scenario; nothing, when there are none. */
void bench_report_ratios(FILE *out, const bench_plan *plan);
/* Submitting and the rest of the tick, of cases with different numbers of producers; nothing, when there are none. */
void bench_report_producers(FILE *out, const bench_plan *plan);
/* Broadcasts and queries, of scenarios with broadcasts; nothing, when there are none. */
void bench_report_talk(FILE *out, const bench_plan *plan);
/* Queries of places, of scenarios that ask; nothing, when there are none. */
void bench_report_places(FILE *out, const bench_plan *plan);
/* The indexes that were asked for, side by side, and their work; nothing, when there are none. */
void bench_report_indexes(FILE *out, const bench_plan *plan);
/* One object, one line. */
void bench_report_json(FILE *out, const bench_case *run, const bench_machine *machine, phx_mem *mem);
void bench_report_csv_header(FILE *out);
void bench_report_csv(FILE *out, const bench_case *run, phx_mem *mem);

/* The faults that the checks found, one a line; false = there are none. */
bool bench_report_faults(FILE *out, const bench_plan *plan);

#endif
