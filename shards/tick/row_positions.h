/*
 * Copies the positions of bodies to rows, in a tick in which most entities moved and the grid was not sorted anew. In
 * the index phase, by any workers, each its part; then once by the owner.
 */
#ifndef PHX_SHARDS_TICK_ROW_POSITIONS_H
#define PHX_SHARDS_TICK_ROW_POSITIONS_H

#include "shards/state/shard.h"

/*
 * Copies the positions of one of so many parts, by any workers, if grid.positions_stale; then, once, phx_rows_copied()
 * is due.
 */
void phx_rows_copy_positions(phx_shard *shard, uint32_t part, uint32_t parts);

void phx_rows_copied(phx_shard *shard);

#endif
