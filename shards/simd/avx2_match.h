/*
 * The kernels that match observers and candidates, and decide the fate of pairs, for AVX2. Called through the table of
 * kernels, by any worker, in the interest phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX2_MATCH_H
#define PHX_SHARDS_SIMD_AVX2_MATCH_H

#include "shards/simd/kernels.h"

/* Kernels of the AVX2 set in a file of their own: */
uint32_t phx_match_avx2(const phx_tile_candidates *c, uint32_t count, const phx_tile_observers *observers,
                        const phx_tile_limits *limits, phx_pairs *pairs);
uint32_t phx_match_stencil_avx2(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                const phx_tile_limits *limits, phx_pairs *pairs);
uint32_t phx_collect_flagged_avx2(const uint32_t *words, uint32_t count, uint32_t flag, uint32_t *which);
void phx_pairs_to_runs_avx2(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                            phx_observer_runs *runs);

#endif
