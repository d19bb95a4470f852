/*
 * The kernels of the sparse plan, which compare rows without a tile, and the one that finds where a tile's rows are,
 * for AVX-512. Called through the table of kernels, by any worker, in the interest phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_ROWS_H
#define PHX_SHARDS_SIMD_AVX512_ROWS_H

#include "shards/simd/kernels.h"

/* Kernels of the AVX-512 set in a file of their own: */
uint32_t phx_find_view_changes_avx512(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                      const phx_view_range *limit, const phx_view_changes *out);
void phx_plan_row_ranges_avx512(const phx_grid_rows *rows, const phx_lookup *lookup, const uint32_t *observer_rows,
                                uint32_t count, phx_row_ranges *ranges);
phx_box phx_box_rows_avx512(const phx_grid_rows *rows, phx_span span, float longest_step);

#endif
