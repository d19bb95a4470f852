/*
 * The annulus of a list that was found whole; see evaluated_annulus.h.
 */
#include "shards/interest/evaluated_annulus.h"

#include <string.h>

#include "shards/interest/change_record.h"
#include "shards/state/annulus.h"

bool phx_evaluated_annulus_find(const phx_evaluation *at, bool derived, uint32_t *count)
{
    phx_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    *count = 0;
    if (!derived || !phx_attr_observes(at->attr) || at->attr->margin == 0.0f) return true;
    if (!phx_grow(scratch->mem, (void **)&scratch->annulus, &scratch->annulus_capacity, 0, at->count, sizeof(uint32_t)))
        return false;
    for (uint32_t i = 0; i < at->count; i++) {
        const uint32_t target = scratch->hits[i];
        if (phx_rule_sees(at->shard->rules, at->body, at->attr, &store->body[target], phx_store_attr(store, target),
                          NULL, false))
            continue;
        if (at->relations && phx_relation_find(at->relations, store->name[target].id)) continue;
        scratch->annulus[(*count)++] = target;
    }
    return true;
}

void phx_evaluated_annulus_write(const phx_evaluation *at, phx_change *change, uint32_t count)
{
    if (count == 0) phx_annulus_clear(at->shard, at->slot);
    else
        memcpy(phx_interest_annulus(at->scratch, at->shard, at->slot, change, count), at->scratch->annulus,
               count * sizeof(uint32_t));
}
