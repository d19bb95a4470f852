/*
 * Rows follow their bodies, in a tick in which most entities moved and no grid was sorted anew. In the index phase, by
 * any workers, each its part; then once by the owner.
 */
#ifndef PHX_SHARDS_TICK_ROW_POSITIONS_H
#define PHX_SHARDS_TICK_ROW_POSITIONS_H

#include "shards/state/shard.h"

/*
 * The rows of one of so many parts follow their bodies: due, by any workers, if the grid is still behind; then, once,
 * phx_rows_copied().
 */
void phx_rows_copy_positions(phx_shard *shard, uint32_t part, uint32_t parts);

void phx_rows_copied(phx_shard *shard);

#endif
