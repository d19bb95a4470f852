/*
 * The blocks of a grid: made where an entity comes, dropped where none is, and numbered so that blocks near each other
 * in the world mostly are near in memory; see grid.h. Rows are in the order of blocks, so the neighbours of a block are
 * still in the cache from the block before. Called by the shard's owner: in the index phase for a rebuild and for an
 * inserted row; before it, where an entity steps to a place without a block.
 */
#include "shards/grid/blocks.h"

#include <string.h>

#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"
#include "shards/grid/row_sort.h"

/* Makes a block where there is none. false = no memory, or as many blocks as there can be. */
static bool make_grid_block(phx_grid *grid, phx_mem *mem, uint32_t instance, uint32_t bx, uint32_t by)
{
    if (grid->block_count >= PHX_GRID_BLOCKS_MAX) return false;
    if (!phx_block_map_reserve(&grid->map, mem, instance, bx, by)) return false;
    if (!phx_grow(mem, (void **)&grid->blocks, &grid->blocks_capacity, grid->block_count, (size_t)grid->block_count + 1,
                  sizeof(phx_block)))
        return false;
    phx_block *block = &grid->blocks[grid->block_count++];
    memset(block, 0, sizeof *block);
    block->bx = (uint16_t)bx;
    block->by = (uint16_t)by;
    block->instance = instance;
    block->reach_min = INFINITY; /* as in the summary of an empty block */
    phx_block_map_put(&grid->map, instance, bx, by, grid->block_count);
    return true;
}

phx_block *phx_grid_block_ensure(phx_grid *grid, phx_mem *mem, uint32_t instance, uint32_t bx, uint32_t by)
{
    phx_block *block = phx_grid_block(grid, instance, bx, by);
    if (PHX_LIKELY(block)) return block;
    return make_grid_block(grid, mem, instance, bx, by) ? phx_grid_block(grid, instance, bx, by) : NULL;
}

bool phx_grid_block_visit(phx_grid *grid, phx_mem *mem, uint32_t instance, uint16_t tx, uint16_t ty)
{
    const uint32_t bx = tx >> PHX_BLOCK_BITS, by = ty >> PHX_BLOCK_BITS;
    PHX_ASSERT(!grid->sorting); /* start[] and row_end are right */
    if (PHX_LIKELY(phx_grid_block(grid, instance, bx, by))) return true;
    if (!make_grid_block(grid, mem, instance, bx, by)) return false;
    phx_block *block = &grid->blocks[grid->block_count - 1];
    for (uint32_t t = 0; t <= PHX_BLOCK_TOWERS; t++) block->start[t] = grid->row_end; /* behind all other blocks */
    return true;
}

/* ---- idle blocks ---- */

/*
 * Has the block no row, and no entity in this tick? An entity that stepped here has its row elsewhere, but its marks
 * here.
 */
static bool block_idle(const phx_block *block, uint64_t tick)
{
    return block->start[0] == block->start[PHX_BLOCK_TOWERS] && block->dirty_tick != tick;
}

/* Are most blocks idle? Of few blocks it makes no difference. */
static bool most_idle(const phx_grid *grid, uint64_t tick)
{
    enum { KEEP_AT_LEAST = 64 };
    uint32_t empty = 0;
    for (uint32_t i = 0; i < grid->block_count; i++) empty += block_idle(&grid->blocks[i], tick);
    return grid->block_count >= KEEP_AT_LEAST && empty * 2 >= grid->block_count;
}

static void drop_idle_blocks(phx_grid *grid, uint64_t tick)
{
    uint32_t kept = 0, ordered = grid->blocks_ordered;
    for (uint32_t i = 0; i < grid->block_count; i++) {
        phx_block *block = &grid->blocks[i];
        if (block_idle(block, tick)) {
            phx_block_map_put(&grid->map, block->instance, block->bx, block->by, 0);
            grid->blocks_ordered -= i < ordered;
            continue;
        }
        if (kept != i) grid->blocks[kept] = *block;
        kept++;
        phx_block_map_put(&grid->map, grid->blocks[kept - 1].instance, grid->blocks[kept - 1].bx,
                          grid->blocks[kept - 1].by, kept);
    }
    grid->block_count = kept;
}

/* ---- order ---- */

/* Spreads the bits of a number, with a 0 before each. */
static uint32_t spread_bits(uint16_t number)
{
    uint32_t bits = number;
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}

/* Morton's curve: it visits each aligned square of 2^k x 2^k blocks as a whole. */
static uint32_t morton_code(const phx_block *block)
{
    return spread_bits(block->bx) | spread_bits(block->by) << 1;
}

/* Moves blocks: the i-th becomes the one in the lower half of the i-th word. Words are overwritten. */
static void permute_blocks(phx_grid *grid, uint64_t *words)
{
    phx_block *blocks = grid->blocks;
    for (uint32_t i = 0; i < grid->block_count; i++) {
        const phx_block first = blocks[i];
        uint32_t at = i, from;
        while ((from = (uint32_t)words[at]) != i) { /* follow the cycle of i, unless it is done */
            blocks[at] = blocks[from];
            words[at] = at;
            at = from;
        }
        blocks[at] = first;
        words[at] = at;
    }
}

static bool many_new(const phx_grid *grid)
{
    enum { NEW_PART = 8 };
    return grid->block_count - grid->blocks_ordered > grid->block_count / NEW_PART;
}

/*
 * Orders the blocks, as there are many new ones. New blocks are behind the others in the order in which they were
 * made: right, but slower. Memory is taken for a moment, only where entities went to new places, so in no steady tick.
 * false = no memory.
 */
static bool order_blocks(phx_grid *grid, phx_mem *mem)
{
    const uint32_t count = grid->block_count;
    uint64_t *words = phx_alloc(mem, 2 * (size_t)count * sizeof *words, PHX_CACHE_LINE);
    if (!words) return false;
    for (uint32_t i = 0; i < count; i++) words[i] = (uint64_t)morton_code(&grid->blocks[i]) << 32 | i;
    phx_order_words(words, words + count, count, phx_merge_words);
    permute_blocks(grid, words);
    if (phx_idmap_count(&grid->map.apart) > 0) { /* an instance is one run of blocks, along the curve */
        for (uint32_t i = 0; i < count; i++) words[i] = (uint64_t)grid->blocks[i].instance << 32 | i;
        phx_order_words(words, words + count, count, phx_merge_words);
        permute_blocks(grid, words);
    }
    phx_free(mem, words, 2 * (size_t)count * sizeof *words, PHX_CACHE_LINE);
    for (uint32_t i = 0; i < count; i++) {
        const phx_block *block = &grid->blocks[i];
        phx_block_map_put(&grid->map, block->instance, block->bx, block->by, i + 1);
    }
    grid->blocks_ordered = count;
    return true;
}

bool phx_grid_blocks_tidy(const phx_grid *grid, uint64_t tick)
{
    return !most_idle(grid, tick) && !many_new(grid);
}

bool phx_grid_tidy_blocks(phx_grid *grid, phx_mem *mem, uint64_t tick)
{
    PHX_ASSERT(grid->blocks_ordered <= grid->block_count);
    if (most_idle(grid, tick)) drop_idle_blocks(grid, tick);
    PHX_ASSERT(grid->blocks_ordered <= grid->block_count);
    return !many_new(grid) || order_blocks(grid, mem);
}
