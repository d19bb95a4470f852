/*
 * Sets observers aside; see set_aside.h.
 */
#include "world/publish/set_aside.h"

#include "shards/tick/set_aside.h"
#include "world/publish/change_counts.h"

bool phx_observer_holds_list(const phx_shard *shard, uint32_t slot)
{
    const uint32_t own = shard->store.body[slot].state & PHX_SLOT_OWN;
    return own && phx_attr_lists(phx_store_attr(&shard->store, slot), &shard->store.tail[slot].list);
}

void phx_set_banded_aside(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    for (uint32_t slot = 0; slot < shard->store.slots; slot++)
        if (phx_observer_holds_list(shard, slot) &&
            world->classes[phx_store_attr(&shard->store, slot)->kind].band_count > 0)
            phx_shard_set_aside(shard, slot);
}

void phx_clear_change(phx_change *change)
{
    change->leave_count = change->enter_count = 0;
    change->list_first = PHX_SLOT_NONE;
    change->flags = 0;
    change->commits = false;
}

void phx_clear_owed(phx_world *world, const phx_chunk *chunk)
{
    phx_change *changes = phx_chunk_changes(world, chunk);
    for (uint32_t c = 0; c < chunk->change_count; c++)
        if (world->shards[chunk->shard].store.tail[changes[c].slot].list.owed) phx_clear_change(&changes[c]);
}

void phx_drop_set_aside(phx_world *world)
{
    bool any = false;
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_shard *shard = &world->shards[s];
        any |= shard->owes_lists;
        for (uint32_t slot = 0; shard->owes_lists && slot < shard->store.slots; slot++) {
            if (!(shard->store.body[slot].state & PHX_SLOT_OWN) || !shard->store.tail[slot].list.owed) continue;
            const phx_name *name = &shard->store.name[slot];
            phx_consumer_drop_observer(world->consumers[name->consumer].consumer, name->id);
        }
    }
    for (uint32_t i = 0; any && i < world->chunk_count; i++) {
        phx_clear_owed(world, &world->chunks[i]);
        phx_publish_count(world, i);
    }
}

void phx_silence_observer(phx_world *world, uint64_t observer)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, observer, &shard, &slot)) return;
    phx_consumer_drop_observer(world->consumers[shard->store.name[slot].consumer].consumer, observer);
    phx_shard_set_aside(shard, slot);
}
