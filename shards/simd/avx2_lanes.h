/*
 * Common parts of the AVX2 kernels: the target of their functions; lanes of a vector and packed stores.
 * Included by the AVX2 kernels alone. Pure; in any phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX2_LANES_H
#define PHX_SHARDS_SIMD_AVX2_LANES_H

#include <immintrin.h>

#include "base/core.h"

#define AVX2 __attribute__((target("avx2,popcnt")))
/* parts of kernels: with "square" and "margin" constant, their branches are gone */
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { LANES = 8, HALF = LANES / 2, HALF_BYTES = 16, HALVES = 1 << HALF /* masks of a half */ };

AVX2_INLINE __m256i load_vector(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX2_INLINE void store_vector(uint32_t *to, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)to, v);
}

AVX2_INLINE uint32_t lane_mask(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Bits of a word for the remaining lanes. */
AVX2_INLINE uint32_t first_lane_bits(uint32_t count)
{
    return count >= LANES ? 0xff : (1u << count) - 1;
}

/* ---- packed stores ---- */

/* Shuffle bytes of a lane, of half a vector; and, by mask, of the lanes in it. AVX2 has no instruction for that. */
#define LANE(n) 4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3
#define NONE LANE(0) /* written, and overwritten later */
static const uint8_t chosen_lanes[HALVES][HALF_BYTES] = {
    {NONE, NONE, NONE, NONE},          {LANE(0), NONE, NONE, NONE},
    {LANE(1), NONE, NONE, NONE},       {LANE(0), LANE(1), NONE, NONE},
    {LANE(2), NONE, NONE, NONE},       {LANE(0), LANE(2), NONE, NONE},
    {LANE(1), LANE(2), NONE, NONE},    {LANE(0), LANE(1), LANE(2), NONE},
    {LANE(3), NONE, NONE, NONE},       {LANE(0), LANE(3), NONE, NONE},
    {LANE(1), LANE(3), NONE, NONE},    {LANE(0), LANE(1), LANE(3), NONE},
    {LANE(2), LANE(3), NONE, NONE},    {LANE(0), LANE(2), LANE(3), NONE},
    {LANE(1), LANE(2), LANE(3), NONE}, {LANE(0), LANE(1), LANE(2), LANE(3)}};
#undef NONE
#undef LANE

/* The lanes to store, packed, of several vectors. */
typedef struct choice {
    __m128i low, high; /* shuffles of the halves */
    uint32_t low_count, count;
} choice;

AVX2_INLINE choice choose_lanes(uint32_t mask)
{
    uint32_t low = mask % HALVES, high = mask / HALVES;
    uint32_t low_count = (uint32_t)__builtin_popcount(low);
    return (choice){_mm_loadu_si128((const __m128i *)(const void *)chosen_lanes[low]),
                    _mm_loadu_si128((const __m128i *)(const void *)chosen_lanes[high]), low_count,
                    low_count + (uint32_t)__builtin_popcount(high)};
}

AVX2_INLINE void store_chosen_lanes(uint32_t *to, const choice *of, __m256i v)
{
    __m128i low = _mm_shuffle_epi8(_mm256_castsi256_si128(v), of->low);
    __m128i high = _mm_shuffle_epi8(_mm256_extracti128_si256(v, 1), of->high);
    _mm_storeu_si128((__m128i *)(void *)to, low);
    _mm_storeu_si128((__m128i *)(void *)(to + of->low_count), high);
}

AVX2_INLINE void keep_floats(float *to, const choice *of, __m256 v)
{
    store_chosen_lanes((uint32_t *)(void *)to, of, _mm256_castps_si256(v));
}

/* first, first + 1, ... */
AVX2_INLINE __m256i lanes_from(uint32_t first)
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/*
 * A word of stencil[]: the lanes of a vector for the rows in a cell and the two beside it, or for the first of them;
 * and STENCIL_MORE if there are more.
 */
enum { STENCIL_MORE = 1 << LANES };

/* Sums of each lane and all lanes before it. */
AVX2_INLINE __m256i prefix_sums(__m256i v)
{
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8)); /* of each half */
    __m256i low = _mm256_permute2x128_si256(v, v, 0x08);
    return _mm256_add_epi32(v, _mm256_shuffle_epi32(low, 0xff));
}

#endif
