/*
 * Sets observers aside; see set_aside.h.
 */
#include "shards/tick/set_aside.h"

#include "shards/query/seen.h"
#include "shards/state/annulus.h"
#include "shards/state/entity_change.h"

void phx_shard_set_aside(phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list;
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_OWN);
    if (list->owed && (shard->store.body[slot].state & PHX_SLOT_PARTIAL)) return; /* in this tick, before */
    list->derived = false;
    phx_list_release(&shard->lists, list);
    phx_annulus_release(shard, slot);
    list->owed = true;
    shard->owes_lists = shard->partial_not_listed = true;
    shard->store.name[slot].fresh = true;
    shard->counts.resets++;
    phx_bands_drop_deferred(&shard->bands, slot);
    phx_shard_partial(shard, slot, true);
}

uint64_t phx_shard_count_entries(const phx_shard *shard)
{
    uint64_t entries = 0;
    for (uint32_t slot = 0; slot < shard->store.slots; slot++)
        if (shard->store.body[slot].state & PHX_SLOT_OWN) entries += phx_shard_list_count(shard, slot);
    return entries;
}
