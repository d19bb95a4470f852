/*
 * --plot DIR: the figures as pictures, by gnuplot. Called by main.c before the runs
 * (are the folder and gnuplot there?) and after them.
 */
#ifndef PHX_BENCH_PLOT_H
#define PHX_BENCH_PLOT_H

#include "bench/machine.h"
#include "bench/plan.h"

/* Makes the folder when it is not there and looks for gnuplot; false: see error. */
bool bench_plot_check(const char *folder, bench_error *error);

/*
 * Writes NAME.gp, NAME.png and NAME.svg for each plot that the cases have figures for; a
 * .gp file holds the figures and makes the pictures again: cd DIR; gnuplot NAME.gp.
 */
bool bench_plot_write(const char *folder, const bench_plan *plan, const bench_machine *machine, bench_error *error);

#endif
