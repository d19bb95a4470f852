/*
 * Sets observers aside; see set_aside.h.
 */
#include "shards/tick/set_aside.h"

#include "shards/query/seen.h"
#include "shards/state/entity_change.h"

static bool count_listed(void *user, const uint32_t *targets, uint32_t count)
{
    (void)targets;
    *(uint64_t *)user += count;
    return true;
}

void phx_shard_set_aside(phx_shard *shard, uint32_t slot, bool told)
{
    phx_list *list = &shard->store.tail[slot].list;
    uint64_t seen = 0;
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_OWN);
    if (told) phx_shard_list_targets(shard, slot, count_listed, &seen);
    else seen = phx_shard_list_count(shard, slot);
    shard->counts.entries -= seen;
    list->derived = false;
    phx_list_release(&shard->lists, list);
    list->owed = true;
    shard->owes_lists = shard->partial_not_listed = true;
    shard->store.name[slot].fresh = true;
    phx_bands_drop_deferred(&shard->bands, slot);
    phx_shard_partial(shard, slot, true);
}
