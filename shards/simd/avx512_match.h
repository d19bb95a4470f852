/*
 * The kernel that matches observers and candidates, for AVX-512. Called through the table of kernels, by any worker, in
 * the interest phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_MATCH_H
#define PHX_SHARDS_SIMD_AVX512_MATCH_H

#include "shards/simd/kernels.h"

/* Kernels of the AVX-512 set in files of their own: */
uint32_t phx_match_avx512(const phx_tile_candidates *candidates, uint32_t count, const phx_tile_observers *observers,
                          const phx_tile_limits *limits, phx_pairs *pairs);

#endif
