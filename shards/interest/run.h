/*
 * The interest phase of a range of a shard's rows: each observer in the cheapest way. Any worker.
 */
#ifndef PHX_SHARDS_INTEREST_RUN_H
#define PHX_SHARDS_INTEREST_RUN_H

#include "shards/interest/scratch.h"

/*
 * What there is to evaluate in this tick, in rows: the grid's; in range = towers the items of its jobs
 * (ninegrid/ninegrid.h); with another index, slots.
 */
static inline uint32_t phx_interest_rows(const phx_shard *shard)
{
    if (!shard->changed || shard->blind) return 0;
    if (shard->alt) return shard->store.slots;
    return phx_shard_ninegrid(shard) ? shard->nine.item_count : shard->grid.row_end;
}

/*
 * Tells the slots, some of no observers, that phx_interest_run() would evaluate in these rows, for which it had no
 * memory: not always in the order of rows. Where that order can not be had, either, `block` is true, and those of a
 * whole block are told, with rows that are done.
 */
typedef void (*phx_undone_fn)(void *user, uint32_t slot, bool block);

void phx_interest_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                         void *user);

/*
 * Evaluates the observers in rows [first, first + count); results are appended to the
 * scratch's changes. Returns how many rows were done: fewer than count = no memory at the
 * next one, which is untouched; the results of those done stand, the rest can be run later.
 */
uint32_t phx_interest_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                          uint32_t count);

/*
 * How many rows from `first` on make a good piece of work of about `wanted`, four times as many where few moved and
 * these look around, or few observe: whole blocks, as a tile is made for each, unless one is large.
 */
uint32_t phx_interest_piece(const phx_shard *shard, uint32_t first, uint32_t wanted);

#endif
