/*
 * The table of scenarios, in the order of the reports. Read by the options and by --list.
 */
#ifndef PHX_BENCH_SCENARIO_TABLE_H
#define PHX_BENCH_SCENARIO_TABLE_H

#include "bench/base/scenario.h"

uint32_t bench_scenario_count(void);
const bench_scenario *bench_scenario_at(uint32_t index);
/* NULL = there is none of this name. */
const bench_scenario *bench_scenario_find(const char *name);

#endif
