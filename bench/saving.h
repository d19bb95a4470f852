/*
 * --saving: the cost of images and of a journal, beside the goals of docs/saving.md. Called by main.c instead of the
 * runs and reports.
 */
#ifndef PHX_BENCH_SAVING_H
#define PHX_BENCH_SAVING_H

#include <stdio.h>

#include "bench/machine.h"
#include "bench/options.h"

/*
 * Of options: entities, workers (the first), rounds and seed. Prints a line for each goal. Returns the program's exit
 * status: a goal that is missed is no failure.
 */
int bench_saving(FILE *out, const bench_options *options, const bench_machine *machine);

#endif
