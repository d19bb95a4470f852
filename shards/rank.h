/*
 * The best K at a cap. A pure function on the caller's array; the interest phase calls it.
 */
#ifndef PHX_SHARDS_RANK_H
#define PHX_SHARDS_RANK_H

#include "shards/interest.h"

/* Moves the `keep` best of `count` > keep candidates to the front, in no order: SPEC section 3, cap. */
void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep);

#endif
