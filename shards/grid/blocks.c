/*
 * The blocks of a grid: made where somebody comes, forgotten where nobody is, and numbered so that those near each
 * other in the world mostly are so in memory; see grid.h. Rows are in the order of blocks: what stands around one of
 * them was looked at not long before, for another. Called by the shard's owner: in the index phase, for a rebuild and
 * for a row that is put in alone, and before, where somebody steps to where no block is.
 */
#include "shards/grid/blocks.h"

#include <string.h>

#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"

/* Makes a block where none is; false = no memory. */
static bool make_grid_block(phx_grid *grid, phx_mem *mem, uint32_t bx, uint32_t by)
{
    uint32_t *place = phx_block_map_ensure(&grid->map, mem, bx, by);
    if (!place) return false;
    if (!phx_grow(mem, (void **)&grid->blocks, &grid->blocks_capacity, grid->block_count, (size_t)grid->block_count + 1,
                  sizeof(phx_block)))
        return false;
    phx_block *block = &grid->blocks[grid->block_count++];
    memset(block, 0, sizeof *block);
    block->bx = (uint16_t)bx;
    block->by = (uint16_t)by;
    block->reach_min = INFINITY; /* as a survey has it where nobody is */
    *place = grid->block_count;
    return true;
}

phx_block *phx_grid_block_ensure(phx_grid *grid, phx_mem *mem, uint32_t bx, uint32_t by)
{
    phx_block *block = phx_grid_block(grid, bx, by);
    if (PHX_LIKELY(block)) return block;
    return make_grid_block(grid, mem, bx, by) ? phx_grid_block(grid, bx, by) : NULL;
}

bool phx_grid_block_visit(phx_grid *grid, phx_mem *mem, uint16_t tx, uint16_t ty)
{
    const uint32_t bx = tx >> PHX_BLOCK_BITS, by = ty >> PHX_BLOCK_BITS;
    PHX_ASSERT(!grid->sorting); /* starts and row_end are right */
    if (PHX_LIKELY(phx_grid_block(grid, bx, by))) return true;
    if (!make_grid_block(grid, mem, bx, by)) return false;
    phx_block *block = &grid->blocks[grid->block_count - 1];
    for (uint32_t t = 0; t <= PHX_BLOCK_TOWERS; t++) block->start[t] = grid->row_end; /* behind all others */
    return true;
}

/* ---- forgotten ---- */

/* No row is in it, and nobody in this tick: who came step by step has its row elsewhere, but its marks here. */
static bool block_idle(const phx_block *block, uint64_t tick)
{
    return block->start[0] == block->start[PHX_BLOCK_TOWERS] && block->dirty_tick != tick;
}

/* Forgets the blocks that are idle once they are the most. */
static void drop_idle_blocks(phx_grid *grid, uint64_t tick)
{
    enum { KEEP_AT_LEAST = 64 };
    uint32_t empty = 0;
    for (uint32_t i = 0; i < grid->block_count; i++) empty += block_idle(&grid->blocks[i], tick);
    if (grid->block_count < KEEP_AT_LEAST || empty * 2 < grid->block_count) return;
    uint32_t kept = 0, ordered = grid->blocks_ordered;
    for (uint32_t i = 0; i < grid->block_count; i++) {
        phx_block *block = &grid->blocks[i];
        uint32_t *place = phx_block_map_place(&grid->map, block->bx, block->by);
        if (block_idle(block, tick)) {
            *place = 0;
            grid->blocks_ordered -= i < ordered;
            continue;
        }
        if (kept != i) grid->blocks[kept] = *block;
        *place = ++kept;
    }
    grid->block_count = kept;
}

/* ---- in order ---- */

/* The bits of a number, each with a 0 before it. */
static uint32_t spread_bits(uint16_t number)
{
    uint32_t bits = number;
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}

/* Morton's curve, which goes through each aligned square of 2^k x 2^k blocks before it leaves it. */
static uint32_t morton_code(const phx_block *block)
{
    return spread_bits(block->bx) | spread_bits(block->by) << 1;
}

/* The i-th becomes the one that the i-th word has in its lower half. Words are written over. */
static void permute_blocks(phx_grid *grid, uint64_t *words)
{
    phx_block *blocks = grid->blocks;
    for (uint32_t i = 0; i < grid->block_count; i++) {
        const phx_block first = blocks[i];
        uint32_t at = i, from;
        while ((from = (uint32_t)words[at]) != i) { /* the cycle that it is in, unless that is done */
            blocks[at] = blocks[from];
            words[at] = at;
            at = from;
        }
        blocks[at] = first;
        words[at] = at;
    }
}

/*
 * Once there are many new ones, which are behind the others in the order in which they were made: they are as right
 * there, but slower. Memory is taken for a moment: only where entities went to where nobody was lately, so in no
 * steady tick. false = there is none.
 */
static bool order_blocks(phx_grid *grid, phx_mem *mem)
{
    enum { NEW_PART = 8 };
    const uint32_t count = grid->block_count;
    if (count - grid->blocks_ordered <= count / NEW_PART) return true;
    uint64_t *words = phx_alloc(mem, 2 * (size_t)count * sizeof *words, PHX_CACHE_LINE);
    if (!words) return false;
    for (uint32_t i = 0; i < count; i++) words[i] = (uint64_t)morton_code(&grid->blocks[i]) << 32 | i;
    phx_order_words(words, words + count, count, phx_merge_words);
    permute_blocks(grid, words);
    phx_free(mem, words, 2 * (size_t)count * sizeof *words, PHX_CACHE_LINE);
    for (uint32_t i = 0; i < count; i++) {
        const phx_block *block = &grid->blocks[i];
        *phx_block_map_place(&grid->map, block->bx, block->by) = i + 1;
    }
    grid->blocks_ordered = count;
    return true;
}

bool phx_grid_tidy_blocks(phx_grid *grid, phx_mem *mem, uint64_t tick)
{
    PHX_ASSERT(grid->blocks_ordered <= grid->block_count);
    drop_idle_blocks(grid, tick);
    PHX_ASSERT(grid->blocks_ordered <= grid->block_count);
    return order_blocks(grid, mem);
}
