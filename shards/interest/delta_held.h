/*
 * The delta of a list that adds_max holds back: targets are held, and the best of them join in each tick.
 *
 * Let c be the key of the last target that joined (state/list_cut.h). A target of that rank with a key below c is
 * listed; one that is held has no lower key. So the ones that join were beyond c, and are now among the nearest of
 * those: rows that were so far off and are so near, of which the list tells which few are listed. They are found in the
 * tile, or in the grid where few observe (held_rows.h).
 *
 * The pairs of the tile (delta_tile.h), or of the sparse plan, are the targets that come into view or leave it. Those
 * that leave are leaves if they are listed. The note has the number of held targets, and all of them change it: so it
 * is known whether more are held than may join, without a look at them. If not, all join, and the list is derived from
 * now on.
 *
 * As at a cap (delta_cut.h) that is right only if no target changed otherwise than by a step. Interest phase, by the
 * worker of the observer. Called by delta_tile.c and delta_sparse.c.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_HELD_H
#define PHX_SHARDS_INTEREST_DELTA_HELD_H

#include "shards/interest/scratch.h"

/* Is an own observer of the tile renewed? One that has pairs, or may have events without one, has held targets. */
static inline bool phx_delta_renewed(const phx_tile *tile, const phx_shard *shard, uint32_t row)
{
    return tile->renewed && phx_prev_rows_renewed(&shard->previous, row);
}

/* May an own observer have held targets? Such a one may have events without a pair. */
static inline bool phx_delta_may_hold(const phx_tile *tile, const phx_shard *shard)
{
    return tile->renewed && shard->rules->adds_least < UINT32_MAX; /* a class has an adds_max */
}

/* Has the renewed own observer at a place held targets, and may such a delta find its events? */
bool phx_delta_held_due(const phx_tile *tile, const phx_shard *shard, uint32_t place);

/* The same of the renewed own observer of a row, in a sparse plan that finds pairs of held lists. */
bool phx_delta_held_due_sparse(const phx_shard *shard, uint32_t row);

/* Is the observer at an own place renewed and to be evaluated? */
static inline bool phx_delta_renewed_alone(const phx_tile *tile, const phx_shard *shard, uint32_t place)
{
    return phx_delta_renewed(tile, shard, tile->row[place]) && !phx_delta_held_due(tile, shard, place);
}

/*
 * Finds the events of such an observer, from the words of its pairs, in scratch->targets. Its change goes behind the
 * words of all runs, for which there is room. PHX_DELTA_EVALUATE: it is untouched.
 */
phx_delta_result phx_delta_held(phx_scratch *scratch, phx_shard *shard, uint32_t place, phx_span words);

/* The same of an observer in a sparse plan. There is no room for its change, nor for others behind it. */
phx_delta_result phx_delta_held_sparse(phx_scratch *scratch, phx_shard *shard, uint32_t row, phx_span words);

#endif
