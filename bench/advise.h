/*
 * --advise: which index, towers, shards and workers suit the user's own trace, or a crowd
 * made for the user's own world. Called by main.c instead of the runs and reports.
 */
#ifndef PHX_BENCH_ADVISE_H
#define PHX_BENCH_ADVISE_H

#include "bench/machine.h"
#include "bench/plan.h"

/*
 * Runs the candidates one after the other, some seconds each, on the one case of the plan; prints their figures and
 * the keys for the config. Returns the program's exit status.
 */
int bench_advise(FILE *out, const bench_plan *plan, const bench_machine *machine);

#endif
