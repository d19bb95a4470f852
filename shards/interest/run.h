/*
 * The interest phase of a range of a shard's items: rows, entries of the nine-grid's tasks, or slots, as the storage
 * has them (state/storage.h). By the ticking thread, but phx_interest_run(), which is called by any worker.
 */
#ifndef PHX_SHARDS_INTEREST_RUN_H
#define PHX_SHARDS_INTEREST_RUN_H

#include "shards/interest/scratch.h"
#include "shards/state/storage.h"

/* The items that the interest phase has to cover in this tick. */
static inline uint32_t phx_interest_rows(const phx_shard *shard)
{
    return shard->changed ? shard->storage->items(shard) : 0;
}

/*
 * Visits the slots that phx_interest_run() would cover in these items, for which it had no memory; some are no
 * observers. The order of slots may differ from the order of items. If no order is available, `block` is true: the
 * slots of a whole block come, some of them done already.
 */
static inline void phx_interest_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count,
                                       phx_undone_fn visit, void *user)
{
    shard->storage->visit_undone(scratch, shard, first, count, visit, user);
}

/*
 * Finds the events of the observers in items [first, first + count); results are appended to the scratch's changes.
 * Returns how many items are done; fewer than count = no memory at the next one, which is untouched. Results of done
 * items stand; the rest can be run later.
 */
static inline uint32_t phx_interest_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard,
                                        uint32_t first, uint32_t count)
{
    PHX_ASSERT(first + count <= phx_interest_rows(shard));
    return shard->storage->run(scratch, directory, shard, first, count);
}

/* How many items from `first` on make a good chunk of about `wanted`. */
static inline uint32_t phx_interest_piece(const phx_shard *shard, uint32_t first, uint32_t wanted)
{
    return shard->storage->chunk_items(shard, first, phx_interest_rows(shard) - first, wanted);
}

#endif
