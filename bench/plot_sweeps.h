/*
 * Plots of lines: the cost of a move over a sweep. Called by plot.c after the runs.
 */
#ifndef PHX_BENCH_PLOT_SWEEPS_H
#define PHX_BENCH_PLOT_SWEEPS_H

#include "bench/plot_frame.h"

/* One line an engine: over the entities, or over the targets in view, of the sweep's cases; none = no plot. */
bool bench_plot_sweep(const bench_plotter *self, bench_plot kind, const char *name, const char *title);

#endif
