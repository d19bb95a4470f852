/*
 * --federation: the cost of a common world of three nodes beside one world of the whole crowd. Called by main.c instead
 * of the runs and reports.
 */
#ifndef PHX_BENCH_FEDERATION_H
#define PHX_BENCH_FEDERATION_H

#include <stdio.h>

#include "bench/machine.h"
#include "bench/options.h"

/*
 * Of options: entities, rounds, seed and nats. Prints a line for each figure. Returns the program's exit status: a goal
 * that is missed is no failure.
 */
int bench_federation_run(FILE *out, const bench_options *options, const bench_machine *machine);

#endif
