/*
 * Sets of slots, as towers have them: an array in a block of a pool (entity/list_pool.h), in no order. Adding and
 * removing keep the rest; a block that is far too large goes back. Written by an index's owner, in the index phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_SLOTSET_H
#define PHX_SHARDS_CLASSICAL_SLOTSET_H

#include "shards/entity/list_pool.h"
#include "shards/simd/kernels.h"

static inline phx_list phx_slotset_empty(void)
{
    return (phx_list){.size_class = PHX_LIST_NONE};
}

/* Room for one more slot. false = no memory, unchanged. */
bool phx_slotset_room(phx_list_pool *pool, phx_mem *mem, phx_list *set);

/* Adds a slot that is not in the set; room was made. */
static inline void phx_slotset_add(const phx_list_pool *pool, phx_list *set, uint32_t slot)
{
    PHX_ASSERT(set->count < phx_list_capacity(pool, set));
    phx_list_entries(pool, set)[set->count++] = slot;
}

/* Removes a slot that is in the set. The set moves to a smaller block if there is memory for it. */
void phx_slotset_remove(phx_list_pool *pool, phx_mem *mem, const phx_kernels *kernels, phx_list *set, uint32_t slot);

/* For PHX_VALIDATE. */
static inline bool phx_slotset_has(const phx_list_pool *pool, const phx_list *set, uint32_t slot)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (phx_list_entries(pool, set)[i] == slot) return true;
    return false;
}

#endif
