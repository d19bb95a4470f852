/*
 * Numbers by tower; see tower_map.h.
 */
#include "shards/zones/tower_map.h"

#include <string.h>

void phx_tower_map_init(phx_tower_map *map, phx_mem *mem)
{
    *map = (phx_tower_map){0};
    phx_idmap_init(&map->index, mem);
}

void phx_tower_map_free(phx_tower_map *map, phx_mem *mem)
{
    phx_release(mem, (void **)&map->blocks, &map->capacity, sizeof *map->blocks);
    phx_idmap_free(&map->index);
    phx_tower_map_init(map, mem);
}

bool phx_tower_map_reserve(phx_tower_map *map, phx_mem *mem, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    uint32_t wide = (x1 >> PHX_TOWER_MAP_BITS) - (x0 >> PHX_TOWER_MAP_BITS) + 1;
    uint32_t high = (y1 >> PHX_TOWER_MAP_BITS) - (y0 >> PHX_TOWER_MAP_BITS) + 1;
    uint64_t more = (uint64_t)wide * high;
    uint64_t keys = phx_idmap_count(&map->index) + 2 * more; /* of a block and its stack */
    return keys < UINT32_MAX && phx_idmap_reserve(&map->index, (uint32_t)keys) &&
           phx_grow(mem, (void **)&map->blocks, &map->capacity, map->count, map->count + (size_t)more,
                    sizeof *map->blocks);
}

static uint64_t stack_key(const phx_tower_map_block *block)
{
    return PHX_TOWER_MAP_STACK | phx_tower_map_key(0, phx_tower_map_left(block), phx_tower_map_bottom(block));
}

/* Puts a block of another instance than 0 on the stack of its place. */
static void stack_put(phx_tower_map *map, phx_tower_map_block *block)
{
    const uint64_t key = stack_key(block);
    const uint32_t place = (uint32_t)(block - map->blocks);
    uint64_t *first = phx_idmap_find(&map->index, key);
    if (!first) {
        phx_idmap_insert(&map->index, key, place);
        return;
    }
    block->above = (uint32_t)*first + 1;
    map->blocks[*first].below = place + 1;
    *first = place;
}

static void stack_remove(phx_tower_map *map, const phx_tower_map_block *block)
{
    const uint64_t key = stack_key(block);
    if (block->above > 0) map->blocks[block->above - 1].below = block->below;
    if (block->below > 0) map->blocks[block->below - 1].above = block->above;
    else if (block->above > 0) *phx_idmap_find(&map->index, key) = block->above - 1;
    else (void)phx_idmap_remove(&map->index, key);
}

static phx_tower_map_block *make_map_block(phx_tower_map *map, uint64_t key)
{
    uint32_t place = map->free_first > 0 ? map->free_first - 1 : map->count++;
    PHX_ASSERT(map->blocks && place < map->capacity);
    phx_tower_map_block *block = &map->blocks[place];
    if (map->free_first > 0) map->free_first = block->used;
    memset(block, 0, sizeof *block);
    block->key = key;
    phx_idmap_insert(&map->index, key, place);
    if (phx_tower_map_instance(block) != 0) stack_put(map, block);
    return block;
}

static void block_drop(phx_tower_map *map, phx_tower_map_block *block)
{
    if (phx_tower_map_instance(block) != 0) stack_remove(map, block);
    (void)phx_idmap_remove(&map->index, block->key);
    block->key = 0;
    block->used = map->free_first;
    map->free_first = (uint32_t)(block - map->blocks) + 1;
}

void phx_tower_map_put(phx_tower_map *map, uint32_t instance, uint32_t tx, uint32_t ty, uint32_t value)
{
    phx_tower_map_block *block = phx_tower_map_block_of(map, instance, tx, ty);
    if (!block && value == 0) return;
    if (!block) block = make_map_block(map, phx_tower_map_key(instance, tx, ty));
    uint32_t *cell = &block->cells[phx_tower_map_cell(tx, ty)];
    block->used += (uint32_t)(value != 0) - (uint32_t)(*cell != 0);
    *cell = value;
    if (block->used == 0) block_drop(map, block);
}
