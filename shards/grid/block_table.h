/*
 * The blocks of 8 x 8 towers of a grid or nine-grid by place. In instance 0: a table of leaves, which exist where a
 * block is or was; finding a block takes two memory accesses and no search. In all other instances: a map with an entry
 * for each block that exists. Written by the shard's owner in the ingest and index phases and at the tick's end, read
 * in any phase.
 */
#ifndef PHX_SHARDS_GRID_BLOCK_TABLE_H
#define PHX_SHARDS_GRID_BLOCK_TABLE_H

#include "base/idmap.h"

enum {
    PHX_BLOCK_BITS = 3,
    PHX_BLOCK_SIDE = 1 << PHX_BLOCK_BITS, /* towers; its 64 towers make one 64 bit dirty set */
    PHX_BLOCK_TOWERS = PHX_BLOCK_SIDE * PHX_BLOCK_SIDE,
    PHX_LEAF_BITS = 6,
    PHX_LEAF_SIDE = 1 << PHX_LEAF_BITS /* blocks; a leaf is 16 KiB, less at the end of the world */
};

typedef struct phx_block_map {
    uint32_t **
        leaf; /* [height][width] of NULL or [64][64] block number + 1; leaves at the end of the world have fewer rows */
    uint32_t width, height;
    uint32_t blocks_high; /* blocks along y */
    phx_idmap apart;      /* of other instances: key of the block -> its number + 1 */
} phx_block_map;

bool phx_block_map_init(phx_block_map *map, phx_mem *mem, const uint32_t towers[2]);
void phx_block_map_free(phx_block_map *map, phx_mem *mem);

/* Number + 1 at a place in instance 0 that has a leaf; may be written. */
static inline uint32_t *phx_block_map_place(const phx_block_map *map, uint32_t bx, uint32_t by)
{
    PHX_ASSERT(bx >> PHX_LEAF_BITS < map->width && by < map->blocks_high);
    uint32_t *leaf = map->leaf[(by >> PHX_LEAF_BITS) * map->width + (bx >> PHX_LEAF_BITS)];
    return leaf ? &leaf[(by & (PHX_LEAF_SIDE - 1)) << PHX_LEAF_BITS | (bx & (PHX_LEAF_SIDE - 1))] : NULL;
}

/* A key is never 0, as the instance is not. */
static inline uint64_t phx_block_map_key(uint32_t instance, uint32_t bx, uint32_t by)
{
    enum { AXIS_BITS = 16 - PHX_BLOCK_BITS };
    return (uint64_t)instance << (2 * AXIS_BITS) | (uint64_t)by << AXIS_BITS | bx;
}

/* Room for one more block, at that place. false = no memory, unchanged. */
bool phx_block_map_reserve(phx_block_map *map, phx_mem *mem, uint32_t instance, uint32_t bx, uint32_t by);
/* Sets the number + 1 of the block at a place; 0: it is gone. Room was reserved, or there is a block already. */
void phx_block_map_put(phx_block_map *map, uint32_t instance, uint32_t bx, uint32_t by, uint32_t number);

/* The block's number + 1; 0: there is none. */
static inline uint32_t phx_block_map_find(const phx_block_map *map, uint32_t instance, uint32_t bx, uint32_t by)
{
    if (PHX_LIKELY(instance == 0)) {
        const uint32_t *place = phx_block_map_place(map, bx, by);
        return place ? *place : 0;
    }
    const uint64_t *number = phx_idmap_find(&map->apart, phx_block_map_key(instance, bx, by));
    return number ? (uint32_t)*number : 0;
}

/* The bits of ty << 16 | tx that differ if two towers are of different blocks. */
static const uint32_t PHX_OFF_BLOCK_BITS = ~((PHX_BLOCK_SIDE - 1u) << 16 | (PHX_BLOCK_SIDE - 1u));

#endif
