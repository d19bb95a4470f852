/*
 * The options that are comma lists, and numbers. A wrong word ends the program by argp_error(). Called by
 * parse_options.c while it reads; labels also by the plan and the reports.
 */
#ifndef PHX_BENCH_OPTION_LISTS_H
#define PHX_BENCH_OPTION_LISTS_H

#include <argp.h>

#include "bench/options.h"

/* pharos/INDEX */
const char *bench_index_label(ph_index index);

uint64_t bench_take_number(struct argp_state *state, const char *name, const char *text, uint64_t min, uint64_t max);

/* Each adds to a list of the options; a name may not come twice. */
void bench_add_scenario(struct argp_state *state, bench_options *options, const bench_scenario *scenario);
void bench_take_scenarios(struct argp_state *state, bench_options *options, const char *list);
void bench_take_engines(struct argp_state *state, bench_options *options, const char *list);
void bench_take_indexes(struct argp_state *state, bench_options *options, const char *list);
void bench_take_workers(struct argp_state *state, bench_options *options, const char *list);
void bench_take_producers(struct argp_state *state, bench_options *options, const char *list);
void bench_take_shards(struct argp_state *state, bench_options *options, const char *list);
void bench_take_features(struct argp_state *state, bench_options *options, const char *list);

#endif
