/*
 * Heights at the last tick's end; see old_heights.h.
 */
#include "shards/state/old_heights.h"

bool phx_old_heights_reserve(phx_old_heights *old, phx_mem *mem, const phx_rules *rules, uint32_t slots)
{
    const uint32_t before = old->capacity;
    if (!phx_shape_is_tall(rules->shape)) return true;
    if (!phx_grow(mem, (void **)&old->at, &old->capacity, old->capacity, slots, sizeof *old->at)) return false;
    for (uint32_t slot = before; slot < old->capacity; slot++) old->at[slot] = old->level;
    return true;
}

/* Gives all slots one height of the span, if they have none. */
static void level_heights(phx_old_heights *old, phx_height_span span)
{
    if (old->is_level && phx_height_span_has(span, old->level)) return;
    old->level = span.low;
    old->is_level = true;
    for (uint32_t slot = 0; slot < old->capacity; slot++) old->at[slot] = old->level;
}

void phx_old_heights_follow(phx_old_heights *old, const phx_rules *rules, const phx_store *store, bool indexed,
                            const phx_height_span *flat)
{
    old->known = indexed && phx_shape_is_tall(rules->shape);
    if (!old->known) return;
    PHX_ASSERT(store->slots <= old->capacity);
    if (flat) {
        level_heights(old, *flat);
        return;
    }
    old->is_level = false;
    for (uint32_t slot = 0; slot < store->slots; slot++) old->at[slot] = store->body[slot].z;
}
