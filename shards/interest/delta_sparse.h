/*
 * Events of blocks with few moved rows or few observers: these look around among the grid's rows (sparse_plan.h), and
 * no tile is made. In the interest phase, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_SPARSE_H
#define PHX_SHARDS_INTEREST_DELTA_SPARSE_H

#include "shards/interest/scratch.h"

/*
 * At the observers of some rows of the scratch's stir (sparse_plan.h), which has a way. How many rows are done: fewer =
 * no memory at the next one.
 */
uint32_t phx_delta_sparse(phx_scratch *scratch, phx_shard *shard, phx_span rows);

#endif
