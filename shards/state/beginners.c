/*
 * Observers that may begin a list; see beginners.h.
 */
#include "shards/state/beginners.h"

bool phx_shard_reserve_beginner(phx_shard *shard)
{
    phx_slot_array *beginners = &shard->beginners;
    return phx_grow(shard->mem, (void **)&beginners->at, &beginners->capacity, beginners->count,
                    (size_t)beginners->count + 1, sizeof(uint32_t));
}

bool phx_shard_begins(const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    return (store->body[slot].state & PHX_SLOT_OWN) && store->name[slot].fresh &&
           phx_attr_observes(phx_store_attr(store, slot));
}

void phx_shard_note_beginner(phx_shard *shard, uint32_t slot)
{
    phx_slot_array *beginners = &shard->beginners;
    if (!phx_shard_begins(shard, slot)) return;
    PHX_ASSERT(beginners->count < beginners->capacity);
    beginners->at[beginners->count++] = slot;
}
