/*
 * Common parts of the AVX-512 kernels: the target of their functions, as phx_simd_supported() checks it; masks of valid
 * lanes; partial stores; distances in units. Pure; in any phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_LANES_H
#define PHX_SHARDS_SIMD_AVX512_LANES_H

#include <immintrin.h>

#include "base/core.h"

#define AVX512 \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi2,avx512vnni,avx512vpopcntdq,bmi2,popcnt")))
/* parts of kernels: with "square" constant, its branch is gone */
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

enum { LANES = 16 };

static const uint32_t lane_numbers[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

AVX512_INLINE __mmask16 first_lane_mask(uint32_t count)
{
    return count >= LANES ? (__mmask16)0xffff : (__mmask16)((1u << count) - 1);
}

/* Stores the lanes of the mask, packed. */
AVX512_INLINE void store_lanes(uint32_t *to, __mmask16 mask, __m512i v)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, v));
}

/* first, first + 1, ... */
AVX512_INLINE __m512i lanes_from_512(uint32_t first)
{
    return _mm512_add_epi32(_mm512_set1_epi32((int)first), _mm512_loadu_si512(lane_numbers));
}

/* Distances of positions in units, in the measure of the limits. */
AVX512_INLINE __m512i unit_distances_512(__m512i a, __m512i b, bool square)
{
    __m512i d = _mm512_sub_epi16(a, b);
    if (!square) return _mm512_madd_epi16(d, d);
    d = _mm512_abs_epi16(d);
    return _mm512_max_epu32(_mm512_and_si512(d, _mm512_set1_epi32(0xffff)), _mm512_srli_epi32(d, 16));
}

/* Position of an observer, now and before. */
typedef struct eye {
    __m512i here, there;
} eye;

#endif
