/*
 * Memory of updates by distance band; see update_bands.h.
 */
#include "shards/state/update_bands.h"

void phx_bands_init(phx_bands *bands)
{
    phx_list_pool_init(&bands->pool);
}

void phx_bands_free(phx_bands *bands, phx_mem *mem)
{
    phx_release(mem, (void **)&bands->trails, &bands->trails_capacity, sizeof *bands->trails);
    phx_release(mem, (void **)&bands->strides, &bands->strides_capacity, sizeof *bands->strides);
    phx_release(mem, (void **)&bands->waits, &bands->waits_capacity, sizeof *bands->waits);
    phx_release(mem, (void **)&bands->arrivals, &bands->arrivals_capacity, sizeof *bands->arrivals);
    phx_list_pool_free(&bands->pool, mem);
}

void phx_bands_drop_deferred(phx_bands *bands, uint32_t slot)
{
    phx_list *waits = slot < bands->waits_capacity ? &bands->waits[slot] : NULL;
    if (!waits || waits->size_class == PHX_LIST_NONE) return;
    if (waits->count > 0) bands->waiting--;
    phx_list_release(&bands->pool, waits);
}
