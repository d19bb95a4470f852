/*
 * Applied entities: own entities that ph_apply() placed since the last tick, by tower. The index of the shard stays as
 * at the last tick's end until the next tick's index phase; so a query of a place takes applied entities from here, and
 * all other entities from the index. Instances have towers of their own.
 *
 * Written by the shard's owner in the stages of an apply; emptied at the tick's end. Read by any thread between ticks.
 */
#ifndef PHX_SHARDS_ENTITY_APPLIED_MAP_H
#define PHX_SHARDS_ENTITY_APPLIED_MAP_H

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"

/* An applied entity, in the chain of its tower's bucket. Numbers are places in entries + 1; 0 = none. */
typedef struct phx_applied_entry {
    uint32_t slot;
    uint32_t instance;
    uint16_t tx, ty;
    uint32_t next, before;
} phx_applied_entry;

typedef struct phx_applied_map {
    phx_applied_entry *entries;
    uint32_t *place;   /* by slot: its entry */
    uint32_t *buckets; /* by hash of instance and tower: the first entry; a power of two, 0 before the first use */
    uint32_t count, entries_capacity;
    uint32_t places_capacity;
    uint32_t bucket_count, buckets_capacity; /* buckets are cleared below bucket_count */
    bool apart;                              /* an entry is in another instance than 0 */
    uint32_t idle_ticks;                     /* in a row, in which most of the memory had no use */
} phx_applied_map;

void phx_applied_free(phx_applied_map *map, phx_mem *mem);

/* Room for so many more entries of a store. false = no memory; what was there stays. */
bool phx_applied_reserve(phx_applied_map *map, phx_mem *mem, const phx_store *store, uint32_t more);

/* Puts an own entity where its body is, also if it has an entry. Room was reserved. */
void phx_applied_put(phx_applied_map *map, phx_mem *mem, const phx_store *store, uint32_t slot);

static inline bool phx_applied_has(const phx_applied_map *map, uint32_t slot)
{
    return slot < map->places_capacity && map->place[slot] != 0;
}

/* A walk over the entries in a rectangle; *instance is the one that is asked for, NULL: all. */
typedef struct phx_applied_walk {
    const phx_applied_map *map;
    phx_hash_key key;
    phx_rect rect;
    uint32_t instance;
    uint32_t next;   /* entry to be looked at; 0: the next tower */
    uint32_t tx, ty; /* the tower behind the one at hand */
    bool every;      /* all entries are looked at, not towers */
    bool any;        /* of all instances */
} phx_applied_walk;

phx_applied_walk phx_applied_begin(const phx_applied_map *map, const phx_mem *mem, const uint32_t *instance,
                                   phx_rect rect);

/* The slot of the next entry, each once; PHX_SLOT_NONE = the end. Slots that died since may be among them. */
uint32_t phx_applied_next(phx_applied_walk *walk);

/* The tick's end: there are no applied entities. Memory of a storm is given back after some ticks. */
void phx_applied_end_tick(phx_applied_map *map, phx_mem *mem);

#endif
