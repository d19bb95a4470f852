/*
 * The best K at a cap. Pure functions on the caller's arrays; the interest phase calls them.
 */
#ifndef PHX_SHARDS_RANK_H
#define PHX_SHARDS_RANK_H

#include "shards/interest.h"

/* Moves the `keep` best of `count` > keep candidates to the front, in no order: SPEC section 3, cap. */
void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep);

/*
 * A square of a distance, at most `most`, that at least `wanted` of the squares, and not many more, do not exceed;
 * `most` if there are so few.
 */
float phx_rank_radius(const float *squares, uint32_t count, uint32_t wanted, float most);

/* A limit that exactly `keep` of the keys do not exceed; false: none was found, as when keys are equal. */
bool phx_rank_split(const phx_kernels *kernels, const double *keys, uint32_t count, uint32_t keep, double *limit);

#endif
