/*
 * The table of engines, in the order of the reports; see table.h.
 */
#include "bench/engines/table.h"

#include <string.h>

#include "bench/baselines/baselines.h"
#include "bench/engines/pharos.h"

static const bench_engine *const engines[] = {
    &bench_engine_pharos, &bench_engine_batch, &bench_engine_rescan_simd, &bench_engine_rescan, &bench_engine_towers,
    &bench_engine_kept,   &bench_engine_seen,  &bench_engine_spread,      &bench_engine_chosen,
};

uint32_t bench_engine_count(void)
{
    return (uint32_t)(sizeof engines / sizeof engines[0]);
}

const bench_engine *bench_engine_at(uint32_t index)
{
    PHX_ASSERT(index < bench_engine_count());
    return engines[index];
}

const bench_engine *bench_engine_find(const char *name)
{
    for (uint32_t i = 0; i < bench_engine_count(); i++) {
        if (strcmp(engines[i]->name, name) == 0) {
            return engines[i];
        }
    }
    return NULL;
}
