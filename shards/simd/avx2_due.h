/*
 * The kernels of updates by distance band, for AVX2. Called through the table of kernels, by any worker, in the publish
 * phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX2_DUE_H
#define PHX_SHARDS_SIMD_AVX2_DUE_H

#include "shards/simd/kernels.h"

phx_due_found phx_find_due_avx2(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                const phx_due_query *by, uint32_t *keys);
void phx_gather_samples_avx2(const phx_motion_sample *samples, const uint32_t *items, uint32_t count,
                             phx_gathered_samples *to);

#endif
