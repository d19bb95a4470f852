/*
 * Order: the best K at a cap, and the order of events inside a change. Pure functions on
 * caller's arrays; the interest phase calls them.
 */
#ifndef PHX_SHARDS_RANK_H
#define PHX_SHARDS_RANK_H

#include "shards/interest.h"

/* Moves the `keep` best of `count` > keep candidates to the front, in no order: SPEC section 3, cap. */
void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep);

/* Orders by kind, then id. spare has room for `count`; the result is in `items`. */
void phx_sort_targets(phx_sorted *items, phx_sorted *spare, uint32_t count);

#endif
