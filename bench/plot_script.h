/*
 * A gnuplot script with its figures inside, drawn twice: PNG and SVG. Used by plot.c.
 */
#ifndef PHX_BENCH_PLOT_SCRIPT_H
#define PHX_BENCH_PLOT_SCRIPT_H

#include <stdio.h>

#include "bench/base/engine.h"

typedef struct bench_script {
    const char *folder;
    const char *name; /* of the files, without their ends */
    FILE *file;       /* holds all text before the plot command, data blocks above all */
    bench_error *error;
} bench_script;

/* Makes the folder when it is not there and looks for gnuplot; false: see error. */
bool bench_script_check(const char *folder, bench_error *error);

/* Opens folder/name.gp and writes the head: title, the line under it, style. false: see error. */
bool bench_script_begin(bench_script *script, const char *title, const char *under);
/* A named setting to a text, as gnuplot wants it quoted: bench_script_set(script, "xlabel", "entities"). */
void bench_script_set(bench_script *script, const char *setting, const char *text);
/* Ticks at 1, 2, 5, 10, ... of a logarithmic axis, 'x' or 'y', that shows low to high and a bit. */
void bench_script_log_axis(bench_script *script, char axis, double low, double high);
/* Ends the script with this plot command and has it drawn in both formats. */
bool bench_script_draw(bench_script *script, const char *command);

#endif
