/*
 * Renames: entities that changed their kind or user data in this tick. Leave events and pending changes of slow
 * consumers have the new name, also in shards that have only a ghost that is no longer repeated, or an immigrant's
 * list. Few in any tick. Written in the ingest phase by the ticking thread, read by all shards in the index phase, and
 * by the ticking thread in the publish phase.
 */
#ifndef PHX_SHARDS_ENTITY_RENAMES_H
#define PHX_SHARDS_ENTITY_RENAMES_H

#include "base/idmap.h"

typedef struct phx_rename {
    uint64_t id;
    uint64_t user_data;
    uint32_t incarnation;
    uint16_t kind;
    uint16_t reserved;
} phx_rename;

typedef struct phx_renames {
    phx_idmap index; /* incarnation + 1 -> place in items */
    phx_rename *items;
    uint32_t count, capacity;
} phx_renames;

static inline void phx_renames_init(phx_renames *renames, phx_mem *mem)
{
    *renames = (phx_renames){0};
    phx_idmap_init(&renames->index, mem);
}

static inline void phx_renames_free(phx_renames *renames, phx_mem *mem)
{
    phx_idmap_free(&renames->index);
    phx_release(mem, (void **)&renames->items, &renames->capacity, sizeof(phx_rename));
}

static inline void phx_renames_clear(phx_renames *renames)
{
    if (renames->count > 0) phx_idmap_clear(&renames->index);
    renames->count = 0;
}

/* Room for one more. false = no memory, unchanged. */
static inline bool phx_renames_ready(phx_renames *renames, phx_mem *mem)
{
    return phx_idmap_reserve(&renames->index, renames->count + 1) &&
           phx_grow(mem, (void **)&renames->items, &renames->capacity, renames->count, (size_t)renames->count + 1,
                    sizeof(phx_rename));
}

/* Adds a rename, room was made; a second one of an incarnation replaces the first. */
static inline void phx_renames_put(phx_renames *renames, phx_rename item)
{
    const uint64_t *at = phx_idmap_find(&renames->index, (uint64_t)item.incarnation + 1);
    uint64_t place = at ? *at : renames->count++;
    if (!at) phx_idmap_insert(&renames->index, (uint64_t)item.incarnation + 1, place);
    renames->items[place] = item;
}

/* NULL = not renamed. */
static inline const phx_rename *phx_renames_of(const phx_renames *renames, uint32_t incarnation)
{
    if (renames->count == 0) return NULL;
    const uint64_t *at = phx_idmap_find(&renames->index, (uint64_t)incarnation + 1);
    return at ? &renames->items[*at] : NULL;
}

#endif
