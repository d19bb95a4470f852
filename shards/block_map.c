/*
 * Leaves of the table of blocks; see block_map.h.
 */
#include "shards/block_map.h"

enum { LEAF_BLOCKS = PHX_LEAF_SIDE * PHX_LEAF_SIDE };

bool phx_block_map_init(phx_block_map *map, phx_mem *mem, const uint32_t towers[2])
{
    const uint32_t side = PHX_BLOCK_SIDE * PHX_LEAF_SIDE;
    map->width = (towers[0] + side - 1) / side;
    map->height = (towers[1] + side - 1) / side;
    map->leaf = phx_alloc_zero(mem, (size_t)map->width * map->height * sizeof *map->leaf, PHX_CACHE_LINE);
    return map->leaf != NULL;
}

void phx_block_map_free(phx_block_map *map, phx_mem *mem)
{
    size_t leaves = (size_t)map->width * map->height;
    if (!map->leaf) return;
    for (size_t i = 0; i < leaves; i++) phx_free(mem, map->leaf[i], LEAF_BLOCKS * sizeof(uint32_t), PHX_CACHE_LINE);
    phx_free(mem, map->leaf, leaves * sizeof *map->leaf, PHX_CACHE_LINE);
    *map = (phx_block_map){0};
}

uint32_t *phx_block_map_ensure(phx_block_map *map, phx_mem *mem, uint32_t bx, uint32_t by)
{
    uint32_t **leaf = &map->leaf[(by >> PHX_LEAF_BITS) * map->width + (bx >> PHX_LEAF_BITS)];
    if (!*leaf) *leaf = phx_alloc_zero(mem, LEAF_BLOCKS * sizeof(uint32_t), PHX_CACHE_LINE);
    return *leaf ? phx_block_map_place(map, bx, by) : NULL;
}
