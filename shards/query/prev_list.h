/*
 * In range = radius, the list of a plain observer (phx_grid_view() above 0: no margin, cap or relations) is not kept
 * where the shape is flat and nothing is seen from farther than a view: it is implied (entity/list_pool.h), what the
 * rule says of positions and attributes at the last tick's end. Rows have these positions, old beside new, and
 * grid/prev_rows.h has what rows do not tell, so the list can be told at any time, also in the middle of the next tick.
 *
 * The owner in ingest and exchange; any worker in the interest phase; any thread between ticks. Nothing is written.
 */
#ifndef PHX_SHARDS_QUERY_PREV_LIST_H
#define PHX_SHARDS_QUERY_PREV_LIST_H

#include "shards/query/row_query.h"
#include "shards/state/shard.h"

/*
 * The slots in an own observer's implied list as it was at the last tick's end, to out[] (NULL: only counted).
 * *pairs: distances looked at are added.
 */
uint32_t phx_prev_list(const phx_shard *shard, uint32_t slot, uint32_t *out, uint64_t *pairs);

/* No fewer than those; in the interest phase. */
uint32_t phx_prev_list_max(const phx_shard *shard, uint32_t slot);

/* All within the view of an own observer by where they are now, itself too; the attributes are to be looked at. */
void phx_row_query_view(phx_row_query *near, const phx_shard *shard, uint32_t slot);

#endif
