/*
 * Pairs with a flag, in order: calls of phx_kernels.collect_flagged(). Room for all pairs and pad. In the interest
 * phase, any worker.
 */
#ifndef PHX_SHARDS_SIMD_FLAGGED_PAIRS_H
#define PHX_SHARDS_SIMD_FLAGGED_PAIRS_H

#include "shards/simd/kernels.h"

/* Finds the unsure pairs. Returns how many. */
static inline uint32_t phx_collect_unsure(const phx_kernels *kernels, const phx_pairs *pairs, uint32_t *which)
{
    return kernels->collect_flagged(pairs->observer, pairs->count, PHX_PAIR_UNSURE, which);
}

/* Finds the pairs with a special target; targets are words. Returns how many. */
static inline uint32_t phx_collect_special(const phx_kernels *kernels, const phx_pairs *pairs, uint32_t *which)
{
    return kernels->collect_flagged(pairs->target, pairs->count, PHX_ROW_SPECIAL, which);
}

#endif
