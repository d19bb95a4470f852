/*
 * The kernel of updates by distance band, for AVX2. Called through the table of kernels, by any worker, in the publish
 * phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX2_DUE_H
#define PHX_SHARDS_SIMD_AVX2_DUE_H

#include "shards/simd/kernels.h"

uint32_t phx_find_due_avx2(const phx_motion_columns *columns, phx_span span, const phx_due_query *by, uint32_t *words,
                           uint32_t *bands);

#endif
