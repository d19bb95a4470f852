/*
 * The common part of all plots: the title and the line under it, the plot command, colours and ranges of
 * axes. Used by plot.c, plot_sweeps.c and plot_bars.c.
 */
#ifndef PHX_BENCH_PLOT_FRAME_H
#define PHX_BENCH_PLOT_FRAME_H

#include "bench/machine.h"
#include "bench/plan.h"
#include "bench/plot_script.h"

typedef struct bench_plotter {
    const char *folder;
    const bench_plan *plan;
    const bench_machine *machine;
    bench_error *error;
} bench_plotter;

/* Begins a script; the line under its title says where the figures hold: machine, build, Pharos' layout and the day. */
bool bench_plot_begin(const bench_plotter *self, bench_script *script, const char *name, const char *title,
                      const bench_case *pharos);

/* The plot command, piece by piece; a piece that does not fit any more is a defect. */
typedef struct bench_plot_command {
    char text[8192];
    size_t used;
} bench_plot_command;

void bench_plot_add(bench_plot_command *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text before a line or a bar. */
const char *bench_plot_separator(const bench_plot_command *draw);

/* Of engines in the order of their table, of numbers of workers in theirs, of indexes in that of ph_index. */
const char *bench_plot_colour(uint32_t number);

/* The range of an axis. */
typedef struct bench_bounds {
    double low, high;
} bench_bounds;

void bench_bounds_widen(bench_bounds *of, double value);

#endif
