/*
 * The table of engines, in the order of the reports. Read by the options and the plan.
 */
#ifndef PHX_BENCH_ENGINE_TABLE_H
#define PHX_BENCH_ENGINE_TABLE_H

#include "bench/base/engine.h"

uint32_t bench_engine_count(void);
const bench_engine *bench_engine_at(uint32_t index);
/* NULL = there is none of this name. */
const bench_engine *bench_engine_find(const char *name);

#endif
