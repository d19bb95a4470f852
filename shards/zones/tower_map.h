/*
 * A number for every tower, most of them 0: blocks of 8 x 8 towers exist only where a number is not 0. Used by tower
 * members and activation. Owned by a shard, as they are.
 */
#ifndef PHX_SHARDS_ZONES_TOWER_MAP_H
#define PHX_SHARDS_ZONES_TOWER_MAP_H

#include "base/idmap.h"

enum { PHX_SHEET_BITS = 3, PHX_SHEET_SIDE = 1 << PHX_SHEET_BITS, PHX_SHEET_CELLS = PHX_SHEET_SIDE * PHX_SHEET_SIDE };

typedef struct phx_tower_map_block {
    uint32_t cells[PHX_SHEET_CELLS];
    uint64_t key;  /* 0 while free */
    uint32_t used; /* cells that are not 0; the next free block while free */
} phx_tower_map_block;

typedef struct phx_tower_map {
    phx_idmap index; /* block's key -> its place */
    phx_tower_map_block *blocks;
    uint32_t count, capacity;
    uint32_t free_first; /* place + 1; 0 ends */
} phx_tower_map;

void phx_tower_map_init(phx_tower_map *sheet, phx_mem *mem);
/* Frees the memory: as after phx_tower_map_init(). */
void phx_tower_map_free(phx_tower_map *sheet, phx_mem *mem);
/* Room for all towers of x0..x1 and y0..y1. false = no memory, nothing changed. */
bool phx_tower_map_reserve(phx_tower_map *sheet, phx_mem *mem, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1);
/* Sets a tower's number. Room was reserved, unless the value is 0 or the tower has a number that is not 0. */
void phx_tower_map_put(phx_tower_map *sheet, uint32_t tx, uint32_t ty, uint32_t value);

/* A key is never 0, which no map takes. */
static inline uint64_t phx_tower_map_key(uint32_t tx, uint32_t ty)
{
    return ((uint64_t)(ty >> PHX_SHEET_BITS) << 32 | tx >> PHX_SHEET_BITS) + 1;
}

static inline uint32_t phx_tower_map_cell(uint32_t tx, uint32_t ty)
{
    return (ty & (PHX_SHEET_SIDE - 1)) << PHX_SHEET_BITS | (tx & (PHX_SHEET_SIDE - 1));
}

static inline phx_tower_map_block *phx_tower_map_block_of(const phx_tower_map *sheet, uint32_t tx, uint32_t ty)
{
    const uint64_t *at = phx_idmap_find(&sheet->index, phx_tower_map_key(tx, ty));
    return at ? &sheet->blocks[*at] : NULL;
}

static inline uint32_t phx_tower_map_get(const phx_tower_map *sheet, uint32_t tx, uint32_t ty)
{
    const phx_tower_map_block *block = phx_tower_map_block_of(sheet, tx, ty);
    return block ? block->cells[phx_tower_map_cell(tx, ty)] : 0;
}

#endif
