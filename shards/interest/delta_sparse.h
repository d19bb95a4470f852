/*
 * Events of a block with a sparse plan (sparse_plan.h): moved rows or observers query the grid's rows, and no tile is
 * made. In the interest phase, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_SPARSE_H
#define PHX_SHARDS_INTEREST_DELTA_SPARSE_H

#include "shards/interest/scratch.h"

/*
 * Finds the events of the observers in some rows of the scratch's plan, which has a way. Returns how many rows are
 * done; fewer = no memory at the next one.
 */
uint32_t phx_delta_sparse(phx_scratch *scratch, phx_shard *shard, phx_span rows);

#endif
