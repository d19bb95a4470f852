/*
 * Per block: number and views of its own observers. Called by the shard's owner where attributes change, and in the
 * index phase, once rows are as in the interest phase.
 */
#ifndef PHX_SHARDS_GRID_BLOCK_SUMMARY_H
#define PHX_SHARDS_GRID_BLOCK_SUMMARY_H

#include "shards/grid/grid.h"

/* Notes that a row's view or word, which were these, changed. By the owner, outside of the interest phase. */
void phx_grid_changed(phx_grid *grid, uint32_t row, float view, phx_row_word word);

/* The same for the rows of a block as a whole, whose observer bits are right. */
void phx_grid_changed_block(phx_grid *grid, uint32_t number);

/* A row with this view and word came into a block, or left it: as phx_grid_changed_block(), unless its summary follows.
 */
void phx_block_summary_add(phx_grid *grid, uint32_t number, float view, phx_row_word word);
void phx_block_summary_remove(phx_grid *grid, uint32_t number, float view, phx_row_word word);

/* Updates the summaries of the blocks where observers changed. Once rows and views are as in the interest phase. */
void phx_block_summary_update(phx_grid *grid);

/* Are all summaries as if computed anew? For PHX_VALIDATE. */
bool phx_block_summary_valid(const phx_grid *grid);

#endif
