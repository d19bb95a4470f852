/*
 * A number for every tower of every instance, most of them 0: blocks of 8 x 8 towers exist only where a number is not
 * 0. Used by tower members and activation. Owned by a shard, as they are; written in the zones stage by the shard's
 * owner.
 */
#ifndef PHX_SHARDS_ZONES_TOWER_MAP_H
#define PHX_SHARDS_ZONES_TOWER_MAP_H

#include "base/idmap.h"

enum {
    PHX_TOWER_MAP_BITS = 3,
    PHX_TOWER_MAP_SIDE = 1 << PHX_TOWER_MAP_BITS,
    PHX_TOWER_MAP_CELLS = PHX_TOWER_MAP_SIDE * PHX_TOWER_MAP_SIDE
};

typedef struct phx_tower_map_block {
    uint32_t cells[PHX_TOWER_MAP_CELLS];
    uint64_t key;          /* 0 while free */
    uint32_t used;         /* cells that are not 0; the next free block while free */
    uint32_t above, below; /* of the stack of its place: see phx_tower_map_stack(); place + 1, 0 ends */
} phx_tower_map_block;

typedef struct phx_tower_map {
    phx_idmap index; /* block's key -> its place; PHX_TOWER_MAP_STACK | key in instance 0 -> the stack's first block */
    phx_tower_map_block *blocks;
    uint32_t count, capacity;
    uint32_t free_first; /* place + 1; 0 ends */
} phx_tower_map;

void phx_tower_map_init(phx_tower_map *map, phx_mem *mem);
/* Frees the memory: as after phx_tower_map_init(). */
void phx_tower_map_free(phx_tower_map *map, phx_mem *mem);
/* Room for all towers of x0..x1 and y0..y1, in any instance. false = no memory, nothing changed. */
bool phx_tower_map_reserve(phx_tower_map *map, phx_mem *mem, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1);
/* Sets a tower's number. Room was reserved, unless the value is 0 or the tower has a number that is not 0. */
void phx_tower_map_put(phx_tower_map *map, uint32_t instance, uint32_t tx, uint32_t ty, uint32_t value);

enum { PHX_TOWER_MAP_AXIS_BITS = 16 - PHX_TOWER_MAP_BITS }; /* of a block's coordinate */

/* A key is never 0, which no map takes. */
static inline uint64_t phx_tower_map_key(uint32_t instance, uint32_t tx, uint32_t ty)
{
    const uint64_t column = tx >> PHX_TOWER_MAP_BITS, row = ty >> PHX_TOWER_MAP_BITS;
    return ((uint64_t)instance << (2 * PHX_TOWER_MAP_AXIS_BITS) | row << PHX_TOWER_MAP_AXIS_BITS | column) + 1;
}

static inline uint32_t phx_tower_map_instance(const phx_tower_map_block *block)
{
    return (uint32_t)((block->key - 1) >> (2 * PHX_TOWER_MAP_AXIS_BITS));
}

/* The first tower along x, and along y, of a block that is in use. */
static inline uint32_t phx_tower_map_left(const phx_tower_map_block *block)
{
    return (uint32_t)(block->key - 1) % (1u << PHX_TOWER_MAP_AXIS_BITS) << PHX_TOWER_MAP_BITS;
}

static inline uint32_t phx_tower_map_bottom(const phx_tower_map_block *block)
{
    return (uint32_t)(block->key - 1) >> PHX_TOWER_MAP_AXIS_BITS << PHX_TOWER_MAP_BITS & UINT16_MAX;
}

static inline uint32_t phx_tower_map_cell(uint32_t tx, uint32_t ty)
{
    return (ty & (PHX_TOWER_MAP_SIDE - 1)) << PHX_TOWER_MAP_BITS | (tx & (PHX_TOWER_MAP_SIDE - 1));
}

static inline phx_tower_map_block *phx_tower_map_block_of(const phx_tower_map *map, uint32_t instance, uint32_t tx,
                                                          uint32_t ty)
{
    const uint64_t *at = phx_idmap_find(&map->index, phx_tower_map_key(instance, tx, ty));
    return at ? &map->blocks[*at] : NULL;
}

static const uint64_t PHX_TOWER_MAP_STACK = 1ull << 63;

/*
 * The blocks of a tower's place in all instances but 0 are a stack, so that they are found without their instances. The
 * first of them, and the next; NULL: the end.
 */
static inline const phx_tower_map_block *phx_tower_map_stack(const phx_tower_map *map, uint32_t tx, uint32_t ty)
{
    const uint64_t *at = phx_idmap_find(&map->index, PHX_TOWER_MAP_STACK | phx_tower_map_key(0, tx, ty));
    return at ? &map->blocks[*at] : NULL;
}

static inline const phx_tower_map_block *phx_tower_map_above(const phx_tower_map *map, const phx_tower_map_block *block)
{
    return block->above > 0 ? &map->blocks[block->above - 1] : NULL;
}

static inline uint32_t phx_tower_map_get(const phx_tower_map *map, uint32_t instance, uint32_t tx, uint32_t ty)
{
    const phx_tower_map_block *block = phx_tower_map_block_of(map, instance, tx, ty);
    return block ? block->cells[phx_tower_map_cell(tx, ty)] : 0;
}

#endif
