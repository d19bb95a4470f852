/*
 * The table of the blocks of 8 x 8 towers of a grid or nine-grid: leaves exist where a block is or was. Finding a block
 * takes two memory accesses and no search. Written by the shard's owner.
 */
#ifndef PHX_SHARDS_GRID_BLOCK_TABLE_H
#define PHX_SHARDS_GRID_BLOCK_TABLE_H

#include "base/mem.h"

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
} phx_block_map;

bool phx_block_map_init(phx_block_map *map, phx_mem *mem, const uint32_t towers[2]);
void phx_block_map_free(phx_block_map *map, phx_mem *mem);

/* Number + 1 at a place that has a leaf; may be written. */
static inline uint32_t *phx_block_map_place(const phx_block_map *map, uint32_t bx, uint32_t by)
{
    PHX_ASSERT(bx >> PHX_LEAF_BITS < map->width && by < map->blocks_high);
    uint32_t *leaf = map->leaf[(by >> PHX_LEAF_BITS) * map->width + (bx >> PHX_LEAF_BITS)];
    return leaf ? &leaf[(by & (PHX_LEAF_SIDE - 1)) << PHX_LEAF_BITS | (bx & (PHX_LEAF_SIDE - 1))] : NULL;
}

/* The same; makes the leaf if there is none. NULL = no memory. */
uint32_t *phx_block_map_ensure(phx_block_map *map, phx_mem *mem, uint32_t bx, uint32_t by);

/* The block's number + 1; 0: there is none. */
static inline uint32_t phx_block_map_find(const phx_block_map *map, uint32_t bx, uint32_t by)
{
    const uint32_t *place = phx_block_map_place(map, bx, by);
    return place ? *place : 0;
}

/* The bits of ty << 16 | tx that differ if two towers are of different blocks. */
static const uint32_t PHX_OFF_BLOCK_BITS = ~((PHX_BLOCK_SIDE - 1u) << 16 | (PHX_BLOCK_SIDE - 1u));

#endif
