/*
 * The interest phase of a range of a shard's rows: each observer in the cheapest way. Any worker.
 */
#ifndef PHX_SHARDS_INTEREST_RUN_H
#define PHX_SHARDS_INTEREST_RUN_H

#include "shards/interest/scratch.h"

/*
 * The rows that the interest phase has to cover in this tick: the grid's rows; in range = towers the items of the tasks
 * (ninegrid/ninegrid.h); with a classical index, slots.
 */
static inline uint32_t phx_interest_rows(const phx_shard *shard)
{
    if (!shard->changed) return 0;
    if (shard->alt) return shard->store.slots;
    return phx_shard_ninegrid(shard) ? shard->nine.item_count : shard->grid.row_end;
}

/*
 * Receives the slots that phx_interest_run() would cover in these rows, for which it had no memory; some are no
 * observers. They come not always in the order of rows. If that order is not available either, `block` is true, and the
 * slots of a whole block come, with rows that are done.
 */
typedef void (*phx_undone_fn)(void *user, uint32_t slot, bool block);

void phx_interest_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                         void *user);

/*
 * Finds the events of the observers in rows [first, first + count); results are appended to the scratch's changes.
 * Returns how many rows are done; fewer than count = no memory at the next one, which is untouched. Results of done
 * rows stand; the rest can be run later.
 */
uint32_t phx_interest_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                          uint32_t count);

/*
 * How many rows from `first` on make a good chunk of about `wanted` rows: whole blocks, as each has a tile, unless a
 * block is large. Four times as many if few rows moved and the sparse plan is possible, or few rows are observers.
 */
uint32_t phx_interest_piece(const phx_shard *shard, uint32_t first, uint32_t wanted);

#endif
