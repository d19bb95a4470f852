/*
 * Pairs, links, hides and reveals of the shard's own observers: a small array per observer that has any,
 * found by the observer's id. They travel with the observer when it migrates. Written by
 * the shard's owner (ingest, exchange); read in the interest phase.
 */
#ifndef PHX_SHARDS_ENTITY_RELATIONS_H
#define PHX_SHARDS_ENTITY_RELATIONS_H

#include "base/idmap.h"
#include "shards/entity/visibility.h"

typedef struct phx_relation_set {
    uint64_t observer;     /* 0 = free */
    uint64_t changed_tick; /* of the last change, or of the migration of its observer */
    phx_relation *items;
    uint32_t count, capacity;
    uint32_t next_free; /* of a free set */
} phx_relation_set;

typedef struct phx_relations {
    phx_idmap index; /* observer -> place in sets */
    phx_relation_set *sets;
    uint32_t set_count, sets_capacity, free_first;
} phx_relations;

void phx_relations_init(phx_relations *relations, phx_mem *mem);
void phx_relations_free(phx_relations *relations, phx_mem *mem);

/* The observer's set, or NULL. Valid until the next put. */
static inline const phx_relation_set *phx_relations_of(const phx_relations *relations, uint64_t observer)
{
    const uint64_t *at = phx_idmap_find(&relations->index, observer);
    return at ? &relations->sets[*at] : NULL;
}

/* The relation to target, or NULL. set may be NULL. */
const phx_relation *phx_relation_find(const phx_relation_set *set, uint64_t target);

/* Adds or replaces the relation to item.target (bits 0 removes it). false = no memory, unchanged. */
bool phx_relations_put(phx_relations *relations, phx_mem *mem, uint64_t observer, phx_relation item, uint64_t tick);

/* Drops all relations of an observer. The memory of the set is kept for the next one. */
void phx_relations_drop(phx_relations *relations, uint64_t observer);

#endif
