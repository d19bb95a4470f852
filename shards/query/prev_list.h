/*
 * Previous lists. In range = radius, the list of a plain observer (phx_grid_plain(): no cap that cuts) is not stored on
 * flat ground. It is derived (entity/list_pool.h): the rule gives it for the positions and attributes of the last
 * tick's end. Rows have these positions beside the new ones, grid/prev_rows.h has the rest, far_list.h the targets that
 * are seen from beyond a view, and state/annulus.h the ones in a margin. The targets of the observer's relations are in
 * none of these parts: each relation notes whether its target is listed (phx_relation.listed). So the list can be
 * derived at any time, also in the middle of the next tick, but for an observer of which relations change: its list is
 * stored just before (ingest/commands.h), until it is evaluated.
 *
 * Called by the owner in ingest and exchange, by any worker in the interest phase, by any thread between ticks. Nothing
 * is written.
 */
#ifndef PHX_SHARDS_QUERY_PREV_LIST_H
#define PHX_SHARDS_QUERY_PREV_LIST_H

#include "shards/query/row_query.h"
#include "shards/state/shard.h"
#include "shards/state/storage.h"

/*
 * Writes the slots of an own observer's derived list at the last tick's end to out[] (NULL: only counted). *pairs: adds
 * the distances compared.
 */
uint32_t phx_prev_list(const phx_shard *shard, uint32_t slot, uint32_t *out, uint64_t *pairs);

/* The same told in pieces of up to PHX_LIST_PIECE_MAX; between an apply and the index phase. */
void phx_prev_list_visit(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);

/* Had the derived list the target, a live slot? Between an apply and the index phase. */
bool phx_prev_list_has(const phx_shard *shard, uint32_t slot, uint32_t target);

/* An upper bound of its length; in the interest phase. */
uint32_t phx_prev_list_max(const phx_shard *shard, uint32_t slot);

/* Opens a row query for all rows in view of an own observer now, itself included; attributes are not checked. */
void phx_row_query_view(phx_row_query *query, const phx_shard *shard, uint32_t slot);

#endif
