/*
 * The bounded queue of refusals; see refusals.h.
 */
#include "world/queue/refusals.h"

bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound)
{
    PHX_ASSERT(bound > 0);
    PHX_ASSERT(bound <= UINT32_C(1) << 31);
    refusals->bound = refusals->item_count = bound;
    while ((refusals->item_count & (refusals->item_count - 1)) != 0) refusals->item_count++;
    phx_refusals_start_at(refusals, 0);
    refusals->items = phx_alloc(mem, refusals->item_count * sizeof *refusals->items, PHX_CACHE_LINE);
    return refusals->items != NULL;
}

void phx_refusals_free(phx_refusals *refusals, phx_mem *mem)
{
    phx_free(mem, refusals->items, refusals->item_count * sizeof *refusals->items, PHX_CACHE_LINE);
    refusals->items = NULL;
}

bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal)
{
    uint32_t put = atomic_load_explicit(&refusals->put, memory_order_relaxed);
    /* pairs with the release in take: the item that is overwritten was read */
    if (put - atomic_load_explicit(&refusals->taken, memory_order_acquire) == refusals->bound) return false;
    refusals->items[put & (refusals->item_count - 1)] = refusal;
    PHX_STALL_POINT();
    atomic_store_explicit(&refusals->put, put + 1, memory_order_release);
    return true;
}

bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal)
{
    uint32_t taken = atomic_load_explicit(&refusals->taken, memory_order_relaxed);
    /* pairs with the release in put */
    if (taken == atomic_load_explicit(&refusals->put, memory_order_acquire)) return false;
    *refusal = refusals->items[taken & (refusals->item_count - 1)];
    PHX_STALL_POINT();
    atomic_store_explicit(&refusals->taken, taken + 1, memory_order_release);
    return true;
}

void phx_refusals_start_at(phx_refusals *refusals, uint32_t counter)
{
    atomic_init(&refusals->put, counter);
    atomic_init(&refusals->taken, counter);
}
