/*
 * Per block: number and views of its own observers. Called by the shard's owner; see
 * the .c for the phases.
 */
#ifndef PHX_SHARDS_GRID_BLOCK_SUMMARY_H
#define PHX_SHARDS_GRID_BLOCK_SUMMARY_H

#include "shards/grid/grid.h"

/* A row's view, or PHX_ROW_SPECIAL, is another: between ticks' interest phases, the owner. */
void phx_grid_changed(phx_grid *grid, uint32_t row);

/* The same of a block's rows as a whole, whose watching bits are right. */
void phx_grid_changed_block(phx_grid *grid, uint32_t number);

/* Finds what blocks say of their observers, where that changed: once rows and views are those of the interest phase. */
void phx_block_summary_update(phx_grid *grid);

/* Do blocks say what they would if they were asked again? For PHX_VALIDATE. */
bool phx_block_summary_valid(const phx_grid *grid);

#endif
