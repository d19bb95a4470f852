/*
 * Own observers with relations (PHX_SLOT_RELATED). Interest phase and later, any worker; nothing is written but
 * guesses.
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

/*
 * The slot of a relation's target, or PHX_SLOT_NONE: it is not here. Interest phase, by the worker of the observer: the
 * slot is kept as a guess, as it seldom changes, and a look-up costs a cache miss or two.
 */
static inline uint32_t phx_related_slot(const phx_shard *shard, const phx_directory *directory, phx_relation *relation)
{
    const phx_store *store = &shard->store;
    const uint32_t guess = relation->slot;
    if (guess < store->slots && store->name[guess].id == relation->target && (store->body[guess].state & PHX_SLOT_LIVE))
        return guess;
    const uint32_t slot = phx_shard_find(shard, directory, relation->target);
    if (slot != guess) relation->slot = slot;
    return slot;
}

#endif
