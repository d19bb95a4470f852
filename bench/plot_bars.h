/*
 * Plots of bars, in a group for each scenario. Called by plot.c after the runs; without figures there is no
 * plot.
 */
#ifndef PHX_BENCH_PLOT_BARS_H
#define PHX_BENCH_PLOT_BARS_H

#include "bench/plot_frame.h"

/* One bar an engine, on one worker. */
bool bench_plot_engines(const bench_plotter *self);
/* One bar an index of Pharos. */
bool bench_plot_indexes(const bench_plotter *self);
/* One bar a number of workers: how much faster a tick of Pharos is than with one. */
bool bench_plot_workers(const bench_plotter *self);

#endif
