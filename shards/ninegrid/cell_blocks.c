/*
 * Cell blocks and the memory of their entries; see cell_blocks.h.
 */
#include "shards/ninegrid/cell_blocks.h"

#include <string.h>

static uint32_t entry_room(uint8_t size_class)
{
    return size_class == PHX_LIST_NONE ? 0 : 2u << size_class;
}

void phx_cell_block_release(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t)
{
    uint8_t size_class = cell_block->room[t];
    if (size_class == PHX_LIST_NONE) return;
    ninegrid->entries[cell_block->tower[t].first].slot = ninegrid->free_first[size_class];
    ninegrid->free_first[size_class] = cell_block->tower[t].first;
    cell_block->room[t] = PHX_LIST_NONE;
}

bool phx_cell_block_reserve(phx_ninegrid *ninegrid, phx_mem *mem, phx_cell_block *cell_block, uint32_t t)
{
    phx_tower *tower = &cell_block->tower[t];
    if (tower->count < entry_room(cell_block->room[t])) return true;
    uint8_t size_class = cell_block->room[t] == PHX_LIST_NONE ? 0 : (uint8_t)(cell_block->room[t] + 1);
    PHX_ASSERT(size_class < PHX_NINEGRID_SIZES);
    uint32_t first = ninegrid->free_first[size_class];
    if (first != PHX_NINEGRID_NONE) {
        ninegrid->free_first[size_class] = ninegrid->entries[first].slot;
        if (ninegrid->free_first[size_class] != PHX_NINEGRID_NONE) /* the block that is taken next */
            __builtin_prefetch(&ninegrid->entries[ninegrid->free_first[size_class]], 1);
    } else {
        size_t needed = (size_t)ninegrid->entries_used + entry_room(size_class);
        if (!phx_grow(mem, (void **)&ninegrid->entries, &ninegrid->entries_capacity, ninegrid->entries_used,
                      needed + PHX_NINEGRID_AT_ONCE, sizeof(phx_cell_entry)))
            return false;
        first = ninegrid->entries_used;
        ninegrid->entries_used = (uint32_t)needed;
    }
    if (tower->count > 0)
        memcpy(ninegrid->entries + first, ninegrid->entries + tower->first, tower->count * sizeof(phx_cell_entry));
    phx_cell_block_release(ninegrid, cell_block, t);
    tower->first = first;
    cell_block->room[t] = size_class;
    return true;
}

phx_cell_block *phx_cell_block_ensure(phx_ninegrid *ninegrid, phx_mem *mem, uint32_t instance, uint16_t tx, uint16_t ty)
{
    uint16_t bx = tx >> PHX_BLOCK_BITS, by = ty >> PHX_BLOCK_BITS;
    phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, instance, bx, by);
    if (PHX_LIKELY(cell_block)) return cell_block;
    if (!phx_block_map_reserve(&ninegrid->map, mem, instance, bx, by) ||
        !phx_grow(mem, (void **)&ninegrid->cell_blocks, &ninegrid->cell_blocks_capacity, ninegrid->cell_block_count,
                  (size_t)ninegrid->cell_block_count + 1, sizeof(phx_cell_block)))
        return NULL;
    cell_block = &ninegrid->cell_blocks[ninegrid->cell_block_count++];
    phx_block_map_put(&ninegrid->map, instance, bx, by, ninegrid->cell_block_count);
    memset(cell_block, 0, sizeof *cell_block);
    cell_block->instance = instance;
    cell_block->bx = bx;
    cell_block->by = by;
    memset(cell_block->room, PHX_LIST_NONE, sizeof cell_block->room);
    return cell_block;
}
