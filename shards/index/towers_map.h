/*
 * The parts of index = towers: towers in blocks, with who stands in them, who watches them, and what is to be told.
 * See towers.c.
 */
#ifndef PHX_SHARDS_INDEX_TOWERS_MAP_H
#define PHX_SHARDS_INDEX_TOWERS_MAP_H

#include "base/idmap.h"
#include "shards/entity/bounds.h"
#include "shards/entity/list_pool.h"
#include "shards/simd/kernels.h"

enum {
    PHX_OBSERVER_KIND_BITS = 2,
    PHX_OBSERVER_KIND_SIDE =
        1 << PHX_OBSERVER_KIND_BITS, /* towers of a block: few, so that who stands alone costs little */
    PHX_OBSERVER_KIND_TOWERS = PHX_OBSERVER_KIND_SIDE * PHX_OBSERVER_KIND_SIDE,
    PHX_OBSERVER_KIND_MAX = 1024 /* towers that an observer registers with; who looks farther is told of everything */
};

static const uint32_t PHX_OBSERVER_KIND_NONE_AT = UINT32_MAX;

typedef struct phx_watch_tower {
    phx_list objects;  /* who stands in it */
    phx_list watchers; /* own observers that look at it */
    uint64_t synced;   /* the tick in which it last had something to tell */
    uint32_t sync;     /* then: the first of its sync list */
    uint32_t moved;    /* the tick, in 32 bits, in which anybody in it last changed at all */
} phx_watch_tower;

typedef struct phx_watch_block {
    uint16_t bx, by;
    uint32_t used; /* objects and watchers of all its towers */
    uint32_t next; /* of a free one */
    bool idle;     /* is in idle[] */
    phx_watch_tower tower[PHX_OBSERVER_KIND_TOWERS];
} phx_watch_block;

/* Who is to be told about, in the sync list of a tower. */
typedef struct phx_sync {
    uint32_t slot, next;
} phx_sync;

/* The towers of one shard that anybody stands in or watches. A tower is named by block * PHX_OBSERVER_KIND_TOWERS + its
 * place.
 */
typedef struct phx_watch_map {
    phx_watch_block *blocks;
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
} phx_watch_map;

void phx_watch_map_init(phx_watch_map *map, phx_mem *mem, const phx_kernels *kernels);
void phx_watch_map_free(phx_watch_map *map, phx_mem *mem);

static inline phx_watch_tower *phx_watch_tower_at(const phx_watch_map *map, uint32_t tower)
{
    return &map->blocks[tower / PHX_OBSERVER_KIND_TOWERS].tower[tower % PHX_OBSERVER_KIND_TOWERS];
}

/* PHX_OBSERVER_KIND_NONE_AT: there is none. */
uint32_t phx_watch_find(const phx_watch_map *map, uint16_t tx, uint16_t ty);
/* Makes the tower if need be, with room for an object or a watcher more. false = no memory. */
bool phx_watch_need(phx_watch_map *map, phx_mem *mem, uint16_t tx, uint16_t ty, bool watcher);
/* Into, and out of, a set of a tower that there is; room was made. */
void phx_watch_add(phx_watch_map *map, uint16_t tx, uint16_t ty, bool watcher, uint32_t slot);
void phx_watch_remove(phx_watch_map *map, phx_mem *mem, uint16_t tx, uint16_t ty, bool watcher, uint32_t slot);

/* A new tick: sync lists are empty, and blocks that nobody is in go. */
void phx_watch_begin(phx_watch_map *map);
/* Room for the sync entries of so many changes, two each. false = no memory. */
bool phx_watch_reserve_syncs(phx_watch_map *map, phx_mem *mem, uint32_t changes);
/* The tower is to tell of a slot; told: its watchers as well, else only who asks. */
void phx_watch_sync(phx_watch_map *map, uint16_t tx, uint16_t ty, uint32_t slot, uint64_t tick, bool told);

/* The towers there are in a rectangle. */
typedef struct phx_watch_walk {
    const phx_watch_map *map;
    const phx_watch_block *block; /* the one being gone through */
    phx_rect rect;
    uint32_t bx, by, next;
    uint64_t left;   /* of its towers */
    bool all;        /* the rectangle has more blocks than there are */
    uint16_t tx, ty; /* of the last one told */
} phx_watch_walk;

phx_watch_walk phx_watch_open(const phx_watch_map *map, phx_rect rect);
/* NULL = through. */
const phx_watch_tower *phx_watch_next(phx_watch_walk *walk);

bool phx_watch_map_valid(const phx_watch_map *map);

#endif
