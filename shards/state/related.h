/*
 * Own observers with relations (PHX_SLOT_RELATED). Interest phase and later, any worker; nothing is written.
 */
#ifndef PHX_SHARDS_STATE_RELATED_H
#define PHX_SHARDS_STATE_RELATED_H

#include "shards/state/shard.h"

/* The relations of an own observer, or NULL: it has none, or the last one ended in this tick. */
static inline const phx_relation_set *phx_related_of(const phx_shard *shard, uint32_t slot)
{
    if (PHX_LIKELY(phx_idmap_count(&shard->relations.index) == 0)) return NULL;
    if (!(shard->store.body[slot].state & PHX_SLOT_RELATED)) return NULL;
    return phx_relations_of(&shard->relations, shard->store.name[slot].id);
}

/* Did the relations of a related observer change in this tick? Then it is evaluated. */
static inline bool phx_related_changed(const phx_shard *shard, uint32_t slot)
{
    const phx_relation_set *related = phx_related_of(shard, slot);
    return !related || related->changed_tick == shard->tick;
}

#endif
