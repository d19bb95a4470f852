/*
 * Towers of index = towers: towers in blocks, each with the entities in it, its subscribers, and its sync list.
 * See towers.c. Written in the index phase by the shard's owner, read by any worker later.
 */
#ifndef PHX_SHARDS_CLASSICAL_TOWERS_MAP_H
#define PHX_SHARDS_CLASSICAL_TOWERS_MAP_H

#include "base/idmap.h"
#include "shards/entity/bounds.h"
#include "shards/entity/list_pool.h"
#include "shards/simd/kernels.h"

enum {
    PHX_TOWERS_MAP_BLOCK_BITS = 2,
    PHX_TOWERS_MAP_BLOCK_SIDE =
        1 << PHX_TOWERS_MAP_BLOCK_BITS, /* towers of a block: few, so that a lone entity costs little */
    PHX_TOWERS_MAP_BLOCK_TOWERS = PHX_TOWERS_MAP_BLOCK_SIDE * PHX_TOWERS_MAP_BLOCK_SIDE,
    PHX_TOWERS_MAP_TOWERS_MAX =
        1024 /* towers with which an observer registers; one with more is notified of every change */
};

static const uint32_t PHX_TOWERS_MAP_NONE = UINT32_MAX;

typedef struct phx_towers_map_tower {
    phx_list objects;     /* entities in it */
    phx_list subscribers; /* own observers with the tower in their span or reach */
    uint64_t synced;      /* the tick of its last sync list */
    uint32_t sync;        /* then: the first entry of its sync list */
    uint32_t moved;       /* the tick, in 32 bits, of the last change of an entity in it */
} phx_towers_map_tower;

typedef struct phx_towers_map_block {
    uint16_t bx, by;
    uint32_t used; /* objects and subscribers of all its towers */
    uint32_t next; /* of a free one */
    bool idle;     /* is in idle[] */
    phx_towers_map_tower tower[PHX_TOWERS_MAP_BLOCK_TOWERS];
} phx_towers_map_block;

/* An entry of a tower's sync list. */
typedef struct phx_sync {
    uint32_t slot, next;
} phx_sync;

/*
 * The towers of one shard with entities or subscribers. A tower is named by block * PHX_TOWERS_MAP_BLOCK_TOWERS +
 * its place.
 */
typedef struct phx_towers_map {
    phx_towers_map_block *blocks;
    uint32_t block_count, blocks_capacity, block_free, live_count;
    phx_idmap places; /* by << 16 | bx, + 1 -> block */
    uint32_t *idle;   /* blocks that may be empty: freed when the next tick begins. Room for all blocks */
    uint32_t idle_count, idle_capacity;
    phx_list_pool pool;
    const phx_kernels *kernels;
    phx_sync *syncs; /* of this tick: the sync lists of all towers */
    uint32_t sync_count, syncs_capacity;
    uint32_t *synced; /* towers that have one */
    uint32_t synced_count, synced_capacity;
} phx_towers_map;

void phx_towers_map_init(phx_towers_map *map, phx_mem *mem, const phx_kernels *kernels);
void phx_towers_map_free(phx_towers_map *map, phx_mem *mem);

static inline phx_towers_map_tower *phx_towers_map_tower_at(const phx_towers_map *map, uint32_t tower)
{
    return &map->blocks[tower / PHX_TOWERS_MAP_BLOCK_TOWERS].tower[tower % PHX_TOWERS_MAP_BLOCK_TOWERS];
}

/* The tower; PHX_TOWERS_MAP_NONE: there is none. */
uint32_t phx_towers_map_find(const phx_towers_map *map, uint16_t tx, uint16_t ty);
/* Makes the tower if there is none, with room for one more object or subscriber. false = no memory. */
bool phx_towers_map_need(phx_towers_map *map, phx_mem *mem, uint16_t tx, uint16_t ty, bool subscriber);
/* Adds a slot to a set of an existing tower, and removes it; room was made. */
void phx_towers_map_add(phx_towers_map *map, uint16_t tx, uint16_t ty, bool subscriber, uint32_t slot);
void phx_towers_map_remove(phx_towers_map *map, phx_mem *mem, uint16_t tx, uint16_t ty, bool subscriber, uint32_t slot);

/* Begins a tick: empties the sync lists, and frees empty blocks. */
void phx_towers_map_begin(phx_towers_map *map);
/* Room for the sync entries of so many changes, two each. false = no memory. */
bool phx_towers_map_reserve_syncs(phx_towers_map *map, phx_mem *mem, uint32_t changes);
/* Adds a slot to the tower's sync list; notify: its observers are notified, too. */
void phx_towers_map_sync(phx_towers_map *map, uint16_t tx, uint16_t ty, uint32_t slot, uint64_t tick, bool notify);

/* A walk over the existing towers of a rectangle. */
typedef struct phx_towers_map_walk {
    const phx_towers_map *map;
    const phx_towers_map_block *block; /* the block at hand */
    phx_rect rect;
    uint32_t bx, by, next;
    uint64_t left;   /* its remaining towers */
    bool all;        /* the rectangle has more blocks than there are */
    uint16_t tx, ty; /* the last tower returned */
} phx_towers_map_walk;

phx_towers_map_walk phx_towers_map_open(const phx_towers_map *map, phx_rect rect);
/* NULL = the end. */
const phx_towers_map_tower *phx_towers_map_next(phx_towers_map_walk *walk);

bool phx_towers_map_valid(const phx_towers_map *map);

#endif
