/*
 * Consumers that begin anew; see renewals.h.
 */
#include "world/ingest/renewals.h"

#include "shards/ingest/commands.h"

/* Owes the whole list to an observer of a consumer that begins anew. false = no memory. */
static bool renew_list(const phx_world *world, phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (!phx_attr_observes(attr) || !world->consumers[attr->consumer].renews) return true;
    if (!phx_shard_ready(shard, 1)) return false;
    phx_shard_resend(shard, slot);
    return true;
}

bool phx_ingest_renew(phx_world *world)
{
    bool all = true;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        for (uint32_t slot = 0; slot < shard->store.slots; slot++)
            if (shard->store.body[slot].state & PHX_SLOT_OWN) all &= renew_list(world, shard, slot);
    }
    for (uint32_t i = 0; all && i < world->def.consumers; i++) world->consumers[i].renews = false;
    return all;
}
