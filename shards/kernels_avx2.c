/*
 * The kernels for AVX2; see kernels.h. Those that it can not do better than the compiler does the
 * portable ones are the portable ones.
 */
#include "shards/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { LANES = 8 };

AVX2 static inline __m256i load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

AVX2 static uint32_t gather_avx2(const uint32_t *now, const uint32_t *old, const phx_span *spans, uint32_t count,
                                 const phx_candidates *to)
{
    const __m256i step = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t first = spans[s].first, length = spans[s].end - first;
        for (uint32_t i = 0; i < length; i += LANES) {
            _mm256_storeu_si256((__m256i *)(to->now + n + i), load(now + first + i));
            _mm256_storeu_si256((__m256i *)(to->old + n + i), load(old + first + i));
            _mm256_storeu_si256((__m256i *)(to->place + n + i),
                                _mm256_add_epi32(_mm256_set1_epi32((int)(first + i)), step));
        }
        n += length;
    }
    return n;
}

/* Distances as limits have them. */
AVX2 static inline __m256i apart(__m256i a, __m256i b, bool square)
{
    __m256i d = _mm256_sub_epi16(a, b);
    if (!square) return _mm256_madd_epi16(d, d);
    d = _mm256_abs_epi16(d);
    return _mm256_max_epu32(_mm256_and_si256(d, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(d, 16));
}

AVX2 static inline uint32_t mask_of(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Limits in registers. */
typedef struct borders {
    __m256i in_low, in_high, near_low, near_high;
} borders;

AVX2 static inline void match_one(const phx_candidates *c, uint32_t count, uint32_t place, uint32_t now, uint32_t old,
                                  const borders *b, bool square, phx_pairs *pairs)
{
    const __m256i here = _mm256_set1_epi32((int)now), there = _mm256_set1_epi32((int)old);
    uint32_t n = pairs->count;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i d = apart(load(c->now + i), here, square), e = apart(load(c->old + i), there, square);
        /* there is only "greater": an enter is not (d beyond high) and e beyond low */
        __m256i d_far = _mm256_cmpgt_epi32(d, b->in_high), e_far = _mm256_cmpgt_epi32(e, b->near_high);
        __m256i d_off = _mm256_cmpgt_epi32(d, b->near_low), e_off = _mm256_cmpgt_epi32(e, b->in_low);
        uint32_t lanes = count - i >= LANES ? 0xff : (1u << (count - i)) - 1;
        uint32_t mask = mask_of(_mm256_or_si256(_mm256_andnot_si256(d_far, e_off), _mm256_andnot_si256(e_far, d_off)));
        mask &= lanes;
        if (mask == 0) continue;
        uint32_t enters =
            mask_of(_mm256_andnot_si256(_mm256_cmpgt_epi32(d, b->in_low), _mm256_cmpgt_epi32(e, b->in_high)));
        uint32_t leaves =
            mask_of(_mm256_andnot_si256(_mm256_cmpgt_epi32(e, b->near_low), _mm256_cmpgt_epi32(d, b->near_high)));
        for (; mask != 0; mask &= mask - 1) {
            uint32_t at = (uint32_t)__builtin_ctz(mask);
            bool leave = leaves >> at & 1, sure = (enters | leaves) >> at & 1;
            pairs->observer[n] = place | (leave ? PHX_PAIR_LEAVE : 0) | (sure ? 0 : PHX_PAIR_UNSURE);
            pairs->target[n++] = c->place[i + at];
        }
    }
    pairs->count = n;
}

AVX2 static uint32_t match_avx2(const phx_candidates *candidates, uint32_t count, const phx_watchers *watchers,
                                const phx_limits *limits, phx_pairs *pairs)
{
    const borders b = {_mm256_set1_epi32(limits->in_low), _mm256_set1_epi32(limits->in_high),
                       _mm256_set1_epi32(limits->near_low), _mm256_set1_epi32(limits->near_high)};
    uint32_t w = 0;
    for (; w < watchers->count && pairs->capacity - pairs->count >= count; w++) {
        uint32_t place = watchers->place[w], now = watchers->now[place], old = watchers->old[place];
        if (limits->square) match_one(candidates, count, place, now, old, &b, true, pairs);
        else match_one(candidates, count, place, now, old, &b, false, pairs);
    }
    return w;
}

AVX2 static uint32_t find_avx2(const uint32_t *array, uint32_t count, uint32_t value)
{
    const __m256i wanted = _mm256_set1_epi32((int)value);
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        __m256i equal = _mm256_cmpeq_epi32(load(array + i), wanted);
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
        if (mask != 0) return i + (uint32_t)__builtin_ctz(mask);
    }
    while (i < count && array[i] != value) i++;
    return i;
}

const phx_kernels phx_kernels_avx2 = {.pick = phx_pick_portable,
                                      .gather = gather_avx2,
                                      .match = match_avx2,
                                      .match_sparse = phx_match_sparse_portable,
                                      .scan = phx_scan_portable,
                                      .nearer = phx_nearer_portable,
                                      .weigh = phx_weigh_portable,
                                      .within = phx_within_portable,
                                      .divide = phx_divide_portable,
                                      .find = find_avx2,
                                      .order = phx_order_portable};

#endif
