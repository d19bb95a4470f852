/*
 * The kernels of the 3 x 3 cells of an observer, for AVX-512. Called through the table of kernels, by any worker, in
 * the interest phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_STENCIL_H
#define PHX_SHARDS_SIMD_AVX512_STENCIL_H

#include "shards/simd/kernels.h"

void phx_cell_offsets_avx512(uint32_t *at, uint32_t cells, uint32_t *stencil);

uint32_t phx_match_stencil_avx512(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                  const phx_tile_limits *limits, phx_pairs *pairs);

#endif
