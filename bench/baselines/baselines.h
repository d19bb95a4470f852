/*
 * The baselines as engines; each is defined in the file of its name. Named by the table of engines.
 */
#ifndef PHX_BENCH_BASELINES_H
#define PHX_BENCH_BASELINES_H

#include "bench/base/engine.h"

extern const bench_engine bench_engine_batch;
extern const bench_engine bench_engine_rescan;
extern const bench_engine bench_engine_rescan_simd;
extern const bench_engine bench_engine_towers;

#endif
