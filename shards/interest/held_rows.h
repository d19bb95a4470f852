/*
 * Rows where held targets may stand that join a list (delta_held.h), found in the grid: the rows of the towers around
 * an observer are compared with two distances, one before the tick's steps and one behind them. So few observers need
 * no candidates of their cells in a tile, and in a sparse plan there is no tile.
 *
 * Interest phase, by the worker of the observer. Called by delta_held.c.
 */
#ifndef PHX_SHARDS_INTEREST_HELD_ROWS_H
#define PHX_SHARDS_INTEREST_HELD_ROWS_H

#include "shards/interest/scratch.h"

/* The most rows that may be found in the view of an observer. */
uint32_t phx_held_rows_most(const phx_shard *shard, uint32_t row, float view);

/*
 * Finds rows that are up to `far` from the observer of a row, and were farther than `near` before: all of these, and
 * some at the two distances. In the plane alone. rows, spare: room for phx_held_rows_most() and pad. Returns how many.
 */
uint32_t phx_held_rows_find(phx_scratch *scratch, const phx_shard *shard, uint32_t row, double near, double far,
                            uint32_t *rows, uint32_t *spare);

#endif
