/*
 * The reverse of pairs, links, hides and reveals: the observers with a relation to each target, so that all these
 * relations end when the target leaves. Two entities with relations to each other are left out: each finds the other
 * one by its own relation, and a party has no others. One table for the world, by id. Written in the
 * ingest phase by the ticking thread; read by readers between ticks.
 */
#ifndef PHX_WORLD_TABLE_RELATION_INDEX_H
#define PHX_WORLD_TABLE_RELATION_INDEX_H

#include "base/idmap.h"

typedef struct phx_relation_observers {
    uint64_t *observers;
    uint32_t count, capacity;
    uint32_t next_free;
} phx_relation_observers;

typedef struct phx_relation_index {
    phx_idmap index; /* target -> place in entries */
    phx_relation_observers *entries;
    uint32_t entry_count, entries_capacity, free_first;
    uint64_t relations; /* number of relations in it, over all targets */
    uint64_t mutual;    /* two entities with relations to each other, which are not in it */
    bool undoes;        /* relations are put back as they were: targets may exchange their room */
    phx_mem *mem;
} phx_relation_index;

void phx_relation_index_init(phx_relation_index *relation_index, phx_mem *mem);
void phx_relation_index_free(phx_relation_index *relation_index);
/* The observers with a relation to the target, or NULL. Valid until the next change. */
const phx_relation_observers *phx_relation_index_of(const phx_relation_index *relation_index, uint64_t target);
/* Prefetches the place of a target that is asked for soon. */
static inline void phx_relation_index_prefetch(const phx_relation_index *relation_index, uint64_t target)
{
    if (relation_index->relations > 0) phx_idmap_prefetch(&relation_index->index, target);
}
/*
 * Adds a relation that is not there. false = no memory, unchanged. While `undoes`, that does not happen on the way back
 * to numbers of relations that all targets had at once before.
 */
bool phx_relation_index_add(phx_relation_index *relation_index, uint64_t target, uint64_t observer);
/* Removes a relation that is there. */
void phx_relation_index_remove(phx_relation_index *relation_index, uint64_t target, uint64_t observer);

#endif
