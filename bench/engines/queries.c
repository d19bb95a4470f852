/*
 * Timing ph_list() and ph_observers(); see queries.h. The same entities are asked about
 * several times over, and the fastest pass counts: the first one fills the caches.
 */
#include "bench/engines/queries.h"

#include "base/rng.h"
#include "bench/base/memory.h"
#include "tools/cli.h"

enum { ASKED = 2000, PASSES = 5 };

typedef ph_status (*query_fn)(ph_world world, uint64_t id, uint64_t *ids, uint32_t capacity, uint32_t *count);

/* One pass; *found gets how many ids it brought. */
static ph_status pass(ph_world world, query_fn query, uint32_t count, uint64_t *ids, uint64_t *found, uint64_t *ns)
{
    uint64_t rng = 1; /* each pass and query asks for the same entities */
    uint64_t begin = phx_clock_ns();
    *found = 0;
    for (uint32_t i = 0; i < ASKED; i++) {
        uint32_t got;
        ph_status status = query(world, 1 + phx_rng_below(&rng, count), ids, count, &got);
        if (status != PH_OK) {
            return status;
        }
        *found += got;
    }
    *ns = phx_clock_ns() - begin;
    return PH_OK;
}

/* ns per id of the fastest pass; 0 when there were none. */
static ph_status measure(ph_world world, query_fn query, uint32_t count, uint64_t *ids, double *ns_per_id)
{
    *ns_per_id = 0;
    for (uint32_t i = 0; i < PASSES; i++) {
        uint64_t found, ns;
        ph_status status = pass(world, query, count, ids, &found, &ns);
        if (status != PH_OK) {
            return status;
        }
        double each = found > 0 ? (double)ns / (double)found : 0;
        *ns_per_id = i == 0 || each < *ns_per_id ? each : *ns_per_id;
    }
    return PH_OK;
}

bool bench_queries_measure(ph_world world, uint32_t count, phx_mem *mem, bench_queries *times, bench_error *error)
{
    uint64_t *ids = bench_alloc(mem, count * sizeof *ids);
    ph_status status = measure(world, ph_list, count, ids, &times->list_ns_per_id);
    if (status == PH_OK) {
        status = measure(world, ph_observers, count, ids, &times->observers_ns_per_id);
    }
    phx_free(mem, ids, count * sizeof *ids, PHX_CACHE_LINE);
    return status == PH_OK || bench_fail(error, "a query: %s", ph_status_text(status));
}
