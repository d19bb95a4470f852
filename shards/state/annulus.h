/*
 * The annulus of an observer with a margin: the targets in its list that its view would not admit now, as they are
 * beyond it, within view and margin. In range = radius such a list is derived (entity/list_pool.h), as a list without a
 * margin is, but for the annulus, which is kept: how a target came there decides whether it is listed. The targets of
 * the observer's relations are in no annulus.
 *
 * Emptied by the owner of the shard, in ingest, exchange and commit. In the interest phase written by the worker of the
 * observer, within its memory; else it waits for the commit. Read by all workers behind it, and between ticks.
 */
#ifndef PHX_SHARDS_STATE_ANNULUS_H
#define PHX_SHARDS_STATE_ANNULUS_H

#include "shards/state/shard.h"

/* The slots in an annulus. */
typedef struct phx_annulus {
    uint32_t *at;
    uint32_t count;
} phx_annulus;

/* The slots in a list of the pool. */
static inline phx_annulus phx_annulus_in(const phx_shard *shard, const phx_list *list)
{
    const phx_annulus annulus = {phx_list_entries(&shard->lists, list), list->count};
    PHX_ASSERT(annulus.at != NULL || annulus.count == 0);
    return annulus;
}

/* The annulus of a slot; empty if it has none. */
static inline phx_annulus phx_annulus_of(const phx_shard *shard, uint32_t slot)
{
    if (slot >= shard->annuli_capacity) return (phx_annulus){NULL, 0};
    return phx_annulus_in(shard, &shard->annuli[slot]);
}

/* The entries that are kept of an own observer's list: all of a stored list, the annulus of a derived one. */
static inline phx_annulus phx_list_kept(const phx_shard *shard, uint32_t slot)
{
    const phx_list *list = &shard->store.tail[slot].list;
    if (list->derived) return phx_annulus_of(shard, slot);
    return phx_annulus_in(shard, list);
}

/* Is the target in the annulus of an observer? */
static inline bool phx_annulus_has(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    const phx_annulus annulus = phx_annulus_of(shard, observer);
    bool found = false;
    for (uint32_t i = 0; i < annulus.count; i++) found |= annulus.at[i] == target;
    return found;
}

/* Removes a target, if it is there. By the owner, in ingest. */
static inline void phx_annulus_remove(phx_shard *shard, uint32_t observer, uint32_t target)
{
    const phx_annulus annulus = phx_annulus_of(shard, observer);
    for (uint32_t i = 0; i < annulus.count; i++) {
        if (annulus.at[i] != target) continue;
        annulus.at[i] = annulus.at[annulus.count - 1];
        phx_list_set_count(&shard->lists, &shard->annuli[observer], annulus.count - 1);
        return;
    }
}

/* Empties it; its memory stays. In the interest phase too, by the worker of the observer. */
static inline void phx_annulus_clear(phx_shard *shard, uint32_t slot)
{
    if (slot < shard->annuli_capacity) phx_list_set_count(&shard->lists, &shard->annuli[slot], 0);
}

/* Empties it, and gives its memory back. By the owner. */
static inline void phx_annulus_release(phx_shard *shard, uint32_t slot)
{
    if (slot < shard->annuli_capacity) phx_list_release(&shard->lists, &shard->annuli[slot]);
}

/* An annulus for each slot, if an own observer has a margin. false = no memory, nothing changed. */
bool phx_annuli_reserve(phx_shard *shard);

/* Are only annuli of derived lists not empty, and of observers with a margin? For PHX_VALIDATE. */
bool phx_annulus_valid(const phx_shard *shard, uint32_t slot);

#endif
