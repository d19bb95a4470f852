/*
 * Sets of slots; see slotset.h.
 */
#include "shards/classical/slotset.h"

#include <string.h>

/* Moves a set into a block for `count`, at least its size. false = no memory. */
static bool resize_set(phx_list_pool *pool, phx_mem *mem, phx_list *set, uint32_t count)
{
    phx_list to = phx_slotset_empty();
    if (!phx_list_reserve(pool, mem, &to, count)) return false;
    if (set->count > 0) memcpy(phx_list_entries(pool, &to), phx_list_entries(pool, set), set->count * sizeof(uint32_t));
    to.count = set->count;
    phx_list_release(pool, set);
    *set = to;
    return true;
}

bool phx_slotset_room(phx_list_pool *pool, phx_mem *mem, phx_list *set)
{
    return set->count < phx_list_capacity(pool, set) || resize_set(pool, mem, set, set->count + 1);
}

void phx_slotset_remove(phx_list_pool *pool, phx_mem *mem, const phx_kernels *kernels, phx_list *set, uint32_t slot)
{
    enum { SPARE = 4, LEAST = 16 }; /* a block shrinks to half once it is a quarter full, so it does not flap */
    uint32_t *entries = phx_list_entries(pool, set), at = kernels->find_u32(entries, set->count, slot);
    PHX_ASSERT(at < set->count);
    entries[at] = entries[--set->count];
    if (set->count == 0) phx_list_release(pool, set);
    else if (phx_list_capacity(pool, set) >= LEAST && set->count <= phx_list_capacity(pool, set) / SPARE)
        (void)resize_set(pool, mem, set,
                         phx_list_capacity(pool, set) / 2); /* without memory it stays as large as it is */
}
