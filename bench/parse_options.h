/*
 * Reading the command line. Called by main.c, once.
 */
#ifndef PHX_BENCH_PARSE_OPTIONS_H
#define PHX_BENCH_PARSE_OPTIONS_H

#include "bench/options.h"

/* Ends the program with exit status 2 and a hint when the line is wrong; 0 for --help and --version. */
void bench_options_parse(bench_options *options, int argc, char **argv, phx_mem *mem);
void bench_options_free(bench_options *options, int argc, phx_mem *mem);

#endif
