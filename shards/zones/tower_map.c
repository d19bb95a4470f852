/*
 * Numbers by tower; see tower_map.h.
 */
#include "shards/zones/tower_map.h"

#include <string.h>

void phx_tower_map_init(phx_tower_map *sheet, phx_mem *mem)
{
    *sheet = (phx_tower_map){0};
    phx_idmap_init(&sheet->index, mem);
}

void phx_tower_map_free(phx_tower_map *sheet, phx_mem *mem)
{
    phx_release(mem, (void **)&sheet->blocks, &sheet->capacity, sizeof *sheet->blocks);
    phx_idmap_free(&sheet->index);
    phx_tower_map_init(sheet, mem);
}

bool phx_tower_map_reserve(phx_tower_map *sheet, phx_mem *mem, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    uint32_t wide = (x1 >> PHX_SHEET_BITS) - (x0 >> PHX_SHEET_BITS) + 1;
    uint32_t high = (y1 >> PHX_SHEET_BITS) - (y0 >> PHX_SHEET_BITS) + 1;
    uint64_t needed = phx_idmap_count(&sheet->index) + (uint64_t)wide * high;
    /* free blocks are below count, so there are never more in use than keys in the map: this is enough for both */
    return needed < UINT32_MAX && phx_idmap_reserve(&sheet->index, (uint32_t)needed) &&
           phx_grow(mem, (void **)&sheet->blocks, &sheet->capacity, sheet->count, (size_t)needed,
                    sizeof *sheet->blocks);
}

static phx_tower_map_block *make_map_block(phx_tower_map *sheet, uint64_t key)
{
    uint32_t place = sheet->free_first > 0 ? sheet->free_first - 1 : sheet->count++;
    PHX_ASSERT(sheet->blocks && place < sheet->capacity);
    phx_tower_map_block *block = &sheet->blocks[place];
    if (sheet->free_first > 0) sheet->free_first = block->used;
    memset(block, 0, sizeof *block);
    block->key = key;
    phx_idmap_insert(&sheet->index, key, place);
    return block;
}

static void block_drop(phx_tower_map *sheet, phx_tower_map_block *block)
{
    (void)phx_idmap_remove(&sheet->index, block->key);
    block->key = 0;
    block->used = sheet->free_first;
    sheet->free_first = (uint32_t)(block - sheet->blocks) + 1;
}

void phx_tower_map_put(phx_tower_map *sheet, uint32_t tx, uint32_t ty, uint32_t value)
{
    phx_tower_map_block *block = phx_tower_map_block_of(sheet, tx, ty);
    if (!block && value == 0) return;
    if (!block) block = make_map_block(sheet, phx_tower_map_key(tx, ty));
    uint32_t *cell = &block->cells[phx_tower_map_cell(tx, ty)];
    block->used += (uint32_t)(value != 0) - (uint32_t)(*cell != 0);
    *cell = value;
    if (block->used == 0) block_drop(sheet, block);
}
