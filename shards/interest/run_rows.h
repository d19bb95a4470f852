/*
 * The interest phase of a range of a shard's rows: each observer in the cheapest way. The operations of
 * state/storage.h; any worker, with a scratch of its own.
 */
#ifndef PHX_SHARDS_INTEREST_RUN_ROWS_H
#define PHX_SHARDS_INTEREST_RUN_ROWS_H

#include "shards/interest/run.h"

uint32_t phx_rows_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                      uint32_t count);

void phx_rows_visit_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                           void *user);

/*
 * Whole blocks, as each has a tile, unless a block is large. Four times as many rows as wanted if few rows moved and
 * the sparse plan is possible, or few rows are observers.
 */
uint32_t phx_rows_chunk_items(const phx_shard *shard, uint32_t first, uint32_t left, uint32_t wanted);

#endif
