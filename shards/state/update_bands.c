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
    phx_release(mem, (void **)&bands->histories, &bands->histories_capacity, sizeof *bands->histories);
    phx_release(mem, (void **)&bands->items, &bands->items_capacity, sizeof *bands->items);
    phx_release(mem, (void **)&bands->entered, &bands->entered_capacity, sizeof *bands->entered);
    phx_release(mem, (void **)&bands->samples, &bands->samples_capacity, sizeof *bands->samples);
    phx_release(mem, (void **)&bands->queries, &bands->queries_capacity, sizeof *bands->queries);
    phx_release(mem, (void **)&bands->rows.was, &bands->rows.was_capacity, sizeof *bands->rows.was);
    phx_release(mem, (void **)&bands->rows.key, &bands->rows.key_capacity, sizeof *bands->rows.key);
    phx_release(mem, (void **)&bands->deferred, &bands->deferred_capacity, sizeof *bands->deferred);
    phx_release(mem, (void **)&bands->unresolved, &bands->unresolved_capacity, sizeof *bands->unresolved);
    phx_list_pool_free(&bands->pool, mem);
}

void phx_bands_drop_deferred(phx_bands *bands, uint32_t slot)
{
    phx_list *deferred = slot < bands->deferred_capacity ? &bands->deferred[slot] : NULL;
    if (!deferred || deferred->size_class == PHX_LIST_NONE) return;
    if (deferred->count > 0) bands->waiting--;
    phx_list_release(&bands->pool, deferred);
}
