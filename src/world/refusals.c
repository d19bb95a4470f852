/*
 * The bounded queue of refusals; see refusals.h.
 */
#include "world/refusals.h"

bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound)
{
    *refusals = (phx_refusals){0};
    refusals->ring = phx_ring_create(mem, bound);
    if (!refusals->ring) return false;
    refusals->item_count = phx_ring_capacity(refusals->ring) + 1;
    refusals->items = phx_alloc(mem, refusals->item_count * sizeof *refusals->items, PHX_CACHE_LINE);
    if (refusals->items) return true;
    phx_refusals_free(refusals, mem);
    return false;
}

void phx_refusals_free(phx_refusals *refusals, phx_mem *mem)
{
    if (refusals->ring) phx_ring_destroy(mem, refusals->ring);
    phx_free(mem, refusals->items, refusals->item_count * sizeof *refusals->items, PHX_CACHE_LINE);
    *refusals = (phx_refusals){0};
}

bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal)
{
    if (phx_ring_count(refusals->ring) == phx_ring_capacity(refusals->ring)) return false;
    ph_refusal *item = &refusals->items[refusals->next];
    *item = refusal;
    if (!phx_ring_put(refusals->ring, item)) return false;
    refusals->next = (refusals->next + 1) % refusals->item_count;
    return true;
}

bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal)
{
    const ph_refusal *item = phx_ring_take(refusals->ring);
    if (!item) return false;
    *refusal = *item;
    return true;
}
