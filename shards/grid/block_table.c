/*
 * Leaves of the table of blocks; see block_table.h.
 */
#include "shards/grid/block_table.h"

/* Bytes of a leaf in row `y` of leaves: as many rows of blocks as the world has towers for. */
static size_t leaf_bytes(const phx_block_map *map, uint32_t y)
{
    const uint32_t left = map->blocks_high - (y << PHX_LEAF_BITS);
    return (size_t)(left < PHX_LEAF_SIDE ? left : PHX_LEAF_SIDE) * PHX_LEAF_SIDE * sizeof(uint32_t);
}

bool phx_block_map_init(phx_block_map *map, phx_mem *mem, const uint32_t towers[2])
{
    const uint32_t side = PHX_BLOCK_SIDE * PHX_LEAF_SIDE;
    map->width = (towers[0] + side - 1) / side;
    map->height = (towers[1] + side - 1) / side;
    map->blocks_high = (towers[1] + PHX_BLOCK_SIDE - 1) / PHX_BLOCK_SIDE;
    map->leaf = phx_alloc_zero(mem, (size_t)map->width * map->height * sizeof *map->leaf, PHX_CACHE_LINE);
    return map->leaf != NULL;
}

void phx_block_map_free(phx_block_map *map, phx_mem *mem)
{
    size_t leaves = (size_t)map->width * map->height;
    if (!map->leaf) return;
    for (size_t i = 0; i < leaves; i++)
        phx_free(mem, map->leaf[i], leaf_bytes(map, (uint32_t)(i / map->width)), PHX_CACHE_LINE);
    phx_free(mem, map->leaf, leaves * sizeof *map->leaf, PHX_CACHE_LINE);
    *map = (phx_block_map){0};
}

uint32_t *phx_block_map_ensure(phx_block_map *map, phx_mem *mem, uint32_t bx, uint32_t by)
{
    const uint32_t y = by >> PHX_LEAF_BITS;
    uint32_t **leaf = &map->leaf[y * map->width + (bx >> PHX_LEAF_BITS)];
    PHX_ASSERT(bx >> PHX_LEAF_BITS < map->width && by < map->blocks_high);
    if (!*leaf) *leaf = phx_alloc_zero(mem, leaf_bytes(map, y), PHX_CACHE_LINE);
    return *leaf ? phx_block_map_place(map, bx, by) : NULL;
}
