/*
 * Heights at the last tick's end; see old_heights.h.
 */
#include "shards/state/old_heights.h"

bool phx_old_heights_reserve(phx_old_heights *old, phx_mem *mem, const phx_rules *rules, uint32_t slots)
{
    if (!phx_shape_is_tall(rules->shape)) return true;
    return phx_grow(mem, (void **)&old->at, &old->capacity, old->capacity, slots, sizeof *old->at);
}

void phx_old_heights_follow(phx_old_heights *old, const phx_rules *rules, const phx_store *store, bool indexed)
{
    old->known = indexed && phx_shape_is_tall(rules->shape);
    if (!old->known) return;
    PHX_ASSERT(store->slots <= old->capacity);
    for (uint32_t slot = 0; slot < store->slots; slot++) old->at[slot] = store->body[slot].z;
}
