/*
 * The library itself as an engine. Named by the table of engines, the plan and the reports.
 */
#ifndef PHX_BENCH_ENGINE_PHAROS_H
#define PHX_BENCH_ENGINE_PHAROS_H

#include "bench/base/engine.h"

extern const bench_engine bench_engine_pharos, bench_engine_kept; /* kept: and whole lists, by its consumer */
extern const bench_engine bench_engine_seen, bench_engine_spread, bench_engine_chosen; /* with a monitor */

/* Is it the library with something besides, so no other way to find events? */
bool bench_engine_adds(const bench_engine *engine);

#endif
