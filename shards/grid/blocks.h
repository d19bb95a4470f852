/*
 * Blocks of the grid: made, forgotten, and numbered so that neighbours are near in memory too. Called by the shard's
 * owner; see the .c for the phases.
 */
#ifndef PHX_SHARDS_GRID_BLOCKS_H
#define PHX_SHARDS_GRID_BLOCKS_H

#include "shards/grid/grid.h"

/*
 * There is a block for a tower in which somebody is, or for whom a row is put in: behind the others, without rows.
 * false = no memory. Ingest, exchange and index, the owner.
 */
bool phx_grid_block_visit(phx_grid *grid, phx_mem *mem, uint16_t tx, uint16_t ty);

/* Of a rebuild: the block at a place, made where there is none; NULL = no memory. */
phx_block *phx_grid_block_ensure(phx_grid *grid, phx_mem *mem, uint32_t bx, uint32_t by);

/* Before it, when starts are still right: idle blocks may go, and all may get other numbers. false = no memory. */
bool phx_grid_tidy_blocks(phx_grid *grid, phx_mem *mem, uint64_t tick);

#endif
