/*
 * Blocks of the grid: made, dropped when idle, and numbered so that blocks near each other are near in memory too.
 * Called by the shard's owner in the index phase, and before it where an entity steps to a place without a block.
 */
#ifndef PHX_SHARDS_GRID_BLOCKS_H
#define PHX_SHARDS_GRID_BLOCKS_H

#include "shards/grid/grid.h"

/*
 * Makes the block of a tower, behind the others and without rows, if there is none: for an entity that stands there, or
 * a row that is inserted. false = no memory. Ingest, exchange and index, the owner.
 */
bool phx_grid_block_visit(phx_grid *grid, phx_mem *mem, uint32_t instance, uint16_t tx, uint16_t ty);

/* In a rebuild: the block at a place, made if there is none. NULL = no memory. */
phx_block *phx_grid_block_ensure(phx_grid *grid, phx_mem *mem, uint32_t instance, uint32_t bx, uint32_t by);

/* Before a rebuild, while start[] is still right: drops idle blocks and may renumber all. false = no memory. */
bool phx_grid_tidy_blocks(phx_grid *grid, phx_mem *mem, uint64_t tick);

/* While start[] is right: would that change nothing? */
bool phx_grid_blocks_tidy(const phx_grid *grid, uint64_t tick);

/* Pairs of rows that share a tower, each row with itself, too. */
static inline uint64_t phx_block_pairs_together(const phx_block *block)
{
    uint64_t pairs = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
        const uint64_t n = block->start[t + 1] - block->start[t];
        pairs += n * n;
    }
    return pairs;
}

#endif
