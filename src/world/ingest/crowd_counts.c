/*
 * Entities by tower, for crowd control; see crowd_counts.h.
 */
#include "world/ingest/crowd_counts.h"

#include <string.h>

#include "shards/entity/entity_store.h"

enum { PADDED = PHX_BLOCK_SIDE + 2 }; /* a block's towers with a border of one tower */

void phx_crowd_counts_init(phx_crowd_counts *counts, phx_mem *mem)
{
    *counts = (phx_crowd_counts){.mem = mem};
    phx_idmap_init(&counts->places, mem);
}

void phx_crowd_counts_free(phx_crowd_counts *counts)
{
    if (!counts->mem) return;
    phx_idmap_free(&counts->places);
    phx_release(counts->mem, (void **)&counts->blocks, &counts->capacity, sizeof *counts->blocks);
}

void phx_crowd_counts_clear(phx_crowd_counts *counts)
{
    uint32_t used = 0;
    for (uint32_t b = 0; b < counts->count; b++) {
        used += counts->blocks[b].all > 0;
        counts->blocks[b].all = 0;
        memset(counts->blocks[b].entities, 0, sizeof counts->blocks[b].entities);
    }
    if (used >= counts->count - used) return;
    phx_idmap_clear(&counts->places);
    counts->count = 0;
}

/* Never 0. Blocks beside the last one of an axis have keys of their own, which no block has. */
static uint64_t key_of(uint32_t instance, uint32_t bx, uint32_t by)
{
    return ((uint64_t)instance << 32 | (uint64_t)by << 16 | bx) + 1;
}

/* Number of the block, made if there is none. PHX_SLOT_NONE = no memory. */
static uint32_t ensure_block(phx_crowd_counts *counts, uint32_t instance, uint32_t bx, uint32_t by)
{
    const uint64_t key = key_of(instance, bx, by);
    const uint64_t *number = phx_idmap_find(&counts->places, key);
    if (PHX_LIKELY(number)) return (uint32_t)*number;
    if (!phx_idmap_reserve(&counts->places, counts->count + 1) ||
        !phx_grow(counts->mem, (void **)&counts->blocks, &counts->capacity, counts->count, (size_t)counts->count + 1,
                  sizeof *counts->blocks))
        return PHX_SLOT_NONE;
    phx_idmap_insert(&counts->places, key, counts->count);
    counts->blocks[counts->count] = (phx_crowd_block){.instance = instance, .bx = bx, .by = by};
    return counts->count++;
}

uint32_t phx_crowd_counts_search(phx_crowd_counts *counts, uint32_t instance, uint32_t tx, uint32_t ty)
{
    const uint32_t number = ensure_block(counts, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    return number == PHX_SLOT_NONE ? PHX_SLOT_NONE : phx_crowd_counts_put(counts, number, tx, ty);
}

bool phx_crowd_counts_merge(phx_crowd_counts *counts, const phx_crowd_counts *from)
{
    for (uint32_t b = 0; b < from->count; b++) {
        const phx_crowd_block *block = &from->blocks[b];
        if (block->all == 0) continue;
        const uint32_t number = ensure_block(counts, block->instance, block->bx, block->by);
        if (number == PHX_SLOT_NONE) return false;
        counts->blocks[number].all += block->all;
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) counts->blocks[number].entities[t] += block->entities[t];
    }
    return true;
}

/* Copies the towers of the block at (dx, dy) of the middle one, of -1 to 1, that are in the padded square. */
static void copy_part(uint32_t padded[PADDED][PADDED], const phx_crowd_block *from, int dx, int dy)
{
    const uint32_t last = PHX_BLOCK_SIDE - 1;
    const uint32_t x0 = dx < 0 ? last : 0, x1 = dx > 0 ? 0 : last, y0 = dy < 0 ? last : 0, y1 = dy > 0 ? 0 : last;
    for (uint32_t y = y0; y <= y1; y++)
        for (uint32_t x = x0; x <= x1; x++)
            padded[(int)y + 1 + dy * PHX_BLOCK_SIDE][(int)x + 1 + dx * PHX_BLOCK_SIDE] =
                from->entities[y << PHX_BLOCK_BITS | x];
}

void phx_crowd_counts_around(const phx_crowd_counts *all, const phx_crowd_block *block,
                             uint32_t around[PHX_BLOCK_TOWERS])
{
    uint32_t padded[PADDED][PADDED] = {{0}};
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if ((dx < 0 && block->bx == 0) || (dy < 0 && block->by == 0)) continue;
            const uint64_t *number = phx_idmap_find(
                &all->places, key_of(block->instance, block->bx + (uint32_t)dx, block->by + (uint32_t)dy));
            if (number) copy_part(padded, &all->blocks[*number], dx, dy);
        }
    }
    for (uint32_t y = 0; y < PADDED; y++) /* sums of three along x, then along y */
        for (uint32_t x = 0; x < PHX_BLOCK_SIDE; x++) padded[y][x] += padded[y][x + 1] + padded[y][x + 2];
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
        const uint32_t x = t & (PHX_BLOCK_SIDE - 1), y = t >> PHX_BLOCK_BITS;
        around[t] = padded[y][x] + padded[y + 1][x] + padded[y + 2][x];
    }
}
