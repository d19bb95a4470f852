/*
 * The library as many small worlds with one crew. Named by the plan, for scenarios of such worlds.
 */
#ifndef PHX_BENCH_ENGINE_WORLDS_H
#define PHX_BENCH_ENGINE_WORLDS_H

#include "bench/base/engine.h"

/* Entity i is in world (i - 1) / BENCH_WORLD_ENTITIES. Knows enters and moves alone. */
extern const bench_engine bench_engine_worlds;

#endif
