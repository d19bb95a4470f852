/*
 * The bounded queue of refusals; see refusals.h.
 */
#include "world/refusals.h"

bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound)
{
    *refusals = (phx_refusals){.item_count = bound};
    refusals->ring = phx_ring_create(mem, bound);
    refusals->back = phx_ring_create(mem, bound);
    refusals->items = phx_alloc(mem, bound * sizeof *refusals->items, PHX_CACHE_LINE);
    if (!refusals->ring || !refusals->back || !refusals->items) {
        phx_refusals_free(refusals, mem);
        return false;
    }
    for (uint32_t i = 0; i < bound; i++) {
        bool put = phx_ring_put(refusals->back, &refusals->items[i]);
        PHX_ASSERT(put);
        (void)put;
    }
    return true;
}

void phx_refusals_free(phx_refusals *refusals, phx_mem *mem)
{
    if (refusals->ring) phx_ring_destroy(mem, refusals->ring);
    if (refusals->back) phx_ring_destroy(mem, refusals->back);
    phx_free(mem, refusals->items, refusals->item_count * sizeof *refusals->items, PHX_CACHE_LINE);
    *refusals = (phx_refusals){0};
}

bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal)
{
    ph_refusal *item = phx_ring_take(refusals->back);
    if (!item) return false;
    *item = refusal;
    bool put = phx_ring_put(refusals->ring, item);
    PHX_ASSERT(put); /* there are no more items than the ring holds */
    (void)put;
    return true;
}

bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal)
{
    ph_refusal *item = phx_ring_take(refusals->ring);
    if (!item) return false;
    *refusal = *item;
    bool put = phx_ring_put(refusals->back, item);
    PHX_ASSERT(put);
    (void)put;
    return true;
}
