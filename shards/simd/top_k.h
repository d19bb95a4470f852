/*
 * The best K of many: at a cap, of those who may join a list, at a budget of updates. Pure functions on the caller's
 * arrays; the interest phase and updates (publish/band_updates.c) call them.
 */
#ifndef PHX_SHARDS_SIMD_TOP_K_H
#define PHX_SHARDS_SIMD_TOP_K_H

#include "shards/simd/kernels.h"

/* A candidate: the greatest `first` is the best, then the smallest key, then the smallest id. */
typedef struct phx_ranked {
    uint64_t id;
    double key;     /* d2; at a cap times sticky if it is not in the list */
    uint64_t first; /* at a cap bit 8: global or linked, bits 0-7: priority; of updates the weight */
    uint32_t slot;
} phx_ranked;

/* Moves the `keep` best of `count` > keep candidates to the front, in no order. */
void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep);

/*
 * A square of a distance, at most `most`, that at least `wanted` of the squares, and not many more, do not exceed;
 * `most` if there are so few.
 */
float phx_rank_radius(const float *squares, uint32_t count, uint32_t wanted, float most);

/*
 * A limit below `most` that exactly `keep` < count of the keys do not exceed, which are not negative; false: none was
 * found, as when keys are equal, and the limit is the last that was tried, if any.
 */
bool phx_rank_split(const phx_kernels *kernels, const double *keys, uint32_t count, uint32_t keep, double most,
                    double *limit);

#endif
