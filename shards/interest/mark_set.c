/*
 * Marks by slot; see mark_set.h.
 */
#include "shards/interest/mark_set.h"

#include <string.h>

static const uint32_t EPOCH_MAX = UINT32_MAX >> PHX_MARK_BITS;

bool phx_scratch_marks(phx_scratch *scratch, const phx_store *store)
{
    scratch->marked = true;
    if (PHX_LIKELY(store->slots <= scratch->mark_capacity)) return true;
    phx_release(scratch->mem, (void **)&scratch->mark, &scratch->mark_capacity, sizeof(uint32_t));
    if (!phx_grow(scratch->mem, (void **)&scratch->mark, &scratch->mark_capacity, 0, store->capacity, sizeof(uint32_t)))
        return false;
    memset(scratch->mark, 0, scratch->mark_capacity * sizeof(uint32_t));
    return true;
}

uint32_t phx_scratch_epoch(phx_scratch *scratch)
{
    if (scratch->epoch == EPOCH_MAX) {
        memset(scratch->mark, 0, scratch->mark_capacity * sizeof(uint32_t));
        scratch->epoch = 0;
    }
    return ++scratch->epoch << PHX_MARK_BITS;
}

bool phx_interest_differ(phx_scratch *scratch, const phx_store *store, uint32_t *enters, uint32_t *leaves)
{
    if (*enters == 0 || *leaves == 0) return true;
    if (!phx_scratch_marks(scratch, store)) return false;
    const uint32_t tag = phx_scratch_epoch(scratch), old = tag | PHX_MARK_OLD, both = old | PHX_MARK_NEW;
    uint32_t *mark = scratch->mark, *enter = scratch->enter, *leave = scratch->leave, n = 0;
    for (uint32_t i = 0; i < *leaves; i++) mark[leave[i]] = old;
    for (uint32_t i = 0; i < *enters; i++) {
        const uint32_t slot = enter[i], was = mark[slot] == old;
        mark[slot] = was ? both : tag;
        enter[n] = slot;
        n += !was;
    }
    *enters = n;
    n = 0;
    for (uint32_t i = 0; i < *leaves; i++) {
        leave[n] = leave[i];
        n += mark[leave[i]] == old;
    }
    *leaves = n;
    return true;
}
