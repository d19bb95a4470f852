/*
 * Top-k: the best k candidates at a cap, at adds_max, at a budget of updates. Pure functions on the caller's arrays;
 * called by the interest phase and by updates (publish/band_updates.c).
 */
#ifndef PHX_SHARDS_SIMD_TOP_K_H
#define PHX_SHARDS_SIMD_TOP_K_H

#include "shards/simd/kernels.h"

/* A candidate: the greatest `first` is the best, then the smallest key, then the smallest id. */
typedef struct phx_ranked {
    uint64_t id;
    double key;     /* d2; at a cap times sticky if it is not in the list */
    uint64_t first; /* at a cap phx_rank_of_target() (interest/rank_table.h); for updates the weight */
    uint32_t slot;
} phx_ranked;

/* Moves the `keep` best of `count` > keep candidates to the front, in no order. */
void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep);

/* Keys among which a limit is sought. */
typedef struct phx_split_bounds {
    uint32_t sure; /* so many are PHX_KEY_SURE */
    uint32_t keep; /* more than `sure` */
    double most;   /* above all keys but some, as of entities far outside the world */
    double guess;  /* is tried first; 0 = none */
} phx_split_bounds;

/*
 * Where keys are split. Keys up to `low` are among the best, and those above `high` are not; of those between the two,
 * some may be equal.
 */
typedef struct phx_split {
    double limit;     /* the last one tried, if any */
    bool found;       /* exactly `keep` keys do not exceed the limit */
    double low, high; /* not fewer than `keep` keys do not exceed `high` */
    uint32_t within;  /* so many keys do not exceed `low`: less than `keep` */
} phx_split;

/*
 * Seeks a limit below `most` that exactly `keep` < count of the keys do not exceed. There may be none, as when keys are
 * equal.
 */
phx_split phx_rank_split(const phx_kernels *kernels, const double *keys, uint32_t count, phx_split_bounds of);

#endif
