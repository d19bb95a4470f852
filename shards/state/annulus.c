/*
 * Memory of annuli; see annulus.h.
 */
#include "shards/state/annulus.h"

bool phx_annuli_reserve(phx_shard *shard)
{
    const uint32_t had = shard->annuli_capacity;
    if (shard->margin_max == 0.0f) return true;
    if (!phx_grow(shard->mem, (void **)&shard->annuli, &shard->annuli_capacity, had, shard->store.slots,
                  sizeof *shard->annuli))
        return false;
    for (uint32_t slot = had; slot < shard->annuli_capacity; slot++) shard->annuli[slot] = phx_list_empty();
    return true;
}

bool phx_annulus_valid(const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    if (phx_annulus_of(shard, slot).count == 0) return true;
    return (store->body[slot].state & PHX_SLOT_OWN) && store->tail[slot].list.derived &&
           phx_store_attr(store, slot)->margin > 0.0f;
}
