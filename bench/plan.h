/*
 * The plan: every case that the command line asks for, with its world's definition,
 * checked before anything runs. Made by main.c.
 */
#ifndef PHX_BENCH_PLAN_H
#define PHX_BENCH_PLAN_H

#include "bench/case.h"
#include "bench/options.h"
#include "bench/sweep.h"

/* Scenarios that an engine can not run, for one reason. */
typedef struct bench_skip {
    const char *label; /* as a case's */
    const char *reason;
    char names[512]; /* of the scenarios; cut off when there are too many */
} bench_skip;

typedef struct bench_plan {
    ph_config **configs; /* one a group of cases; the cases' classes live there */
    uint32_t config_count;
    uint32_t config_room;
    bench_case *cases; /* cases of a group side by side */
    uint32_t case_count;
    uint32_t case_room;
    bench_skip skips[BENCH_LIST_MAX];
    uint32_t skip_count;
    phx_mem *mem;
} bench_plan;

/* false: the config, a key or a combination is wrong; see error. Free it in any case. */
bool bench_plan_make(bench_plan *plan, const bench_options *options, phx_mem *mem, bench_error *error);
void bench_plan_free(bench_plan *plan);

/* Cases [first, returned) are of the group of `first`: one scenario, with one number of entities. */
uint32_t bench_plan_scenario_end(const bench_plan *plan, uint32_t first);
/* Cases [first, returned) take turns with `first`: its group, or its scenario with all features. */
uint32_t bench_plan_turns_end(const bench_plan *plan, uint32_t first);
/* The first of cases [first, end) that was not given up; the first of all if all were. */
const bench_case *bench_plan_model(const bench_plan *plan, uint32_t first, uint32_t end);

#endif
