/*
 * The reports for programs: JSON lines and CSV. Written by main.c when all rounds are done.
 */
#ifndef PHX_BENCH_REPORT_DATA_H
#define PHX_BENCH_REPORT_DATA_H

#include <stdio.h>

#include "bench/case.h"
#include "bench/machine.h"

/* One object, one line. */
void bench_report_json(FILE *out, const bench_case *run, const bench_machine *machine, phx_mem *mem);
void bench_report_csv_header(FILE *out);
void bench_report_csv(FILE *out, const bench_case *run, phx_mem *mem);

#endif
