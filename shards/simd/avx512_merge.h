/*
 * Merging words, eight at a time, for AVX-512. Called through the table of kernels, by any worker, in the interest
 * phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_MERGE_H
#define PHX_SHARDS_SIMD_AVX512_MERGE_H

#include "base/core.h"

void phx_merge_avx512(const void *a, uint32_t a_count, const void *b, uint32_t b_count, void *out);

#endif
