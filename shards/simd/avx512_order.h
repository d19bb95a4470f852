/*
 * The kernels that order targets and words, for AVX-512. Called through the table of kernels, by any worker, in the
 * interest and publish phases.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_ORDER_H
#define PHX_SHARDS_SIMD_AVX512_ORDER_H

#include "shards/simd/kernels.h"

/* Kernels of the AVX-512 set in a file of their own: */
void phx_order_keys_avx512(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place);
void phx_order_avx512(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place);
void phx_rank_words_avx512(const uint64_t *words, uint32_t count, uint32_t *place);

#endif
