/*
 * The kernels of updates by distance band for AVX2; see avx2_due.h and kernels.h. Float operations are the portable
 * kernel's, each rounded on its own.
 */
#include "shards/simd/avx2_due.h"

#if defined(__x86_64__)

#include <limits.h>
#include <math.h>
#include <string.h>

#include "shards/simd/avx2_lanes.h"
#include "shards/simd/due_rule.h"

_Static_assert((int)PH_BANDS_MAX == (int)LANES, "a vector has a value of each band");

/* An observer, in registers. */
typedef struct observer {
    __m256 x, y, z, was_x, was_y, was_z, view;
    __m256i hash, turn, share, last, every; /* by band; last: the share - 1 */
} observer;

AVX2_INLINE observer load_observer(const phx_due_query *by)
{
    const __m256i share = load_vector(by->share);
    return (observer){_mm256_set1_ps(by->x),
                      _mm256_set1_ps(by->y),
                      _mm256_set1_ps(by->z),
                      _mm256_set1_ps(by->was_x),
                      _mm256_set1_ps(by->was_y),
                      _mm256_set1_ps(by->was_z),
                      _mm256_set1_ps(by->square ? by->view : by->view * by->view),
                      _mm256_set1_epi32((int)by->hash),
                      load_vector(by->turn),
                      share,
                      _mm256_sub_epi32(share, _mm256_set1_epi32(1)),
                      load_vector(by->every)};
}

/* Whether the lanes' turns come in this tick, and they moved so lately that it matters. */
AVX2_INLINE __m256i in_turn(const phx_motion_columns *columns, uint32_t i, __m256i band, const observer *to)
{
    const __m256i pair = _mm256_xor_si256(load_vector(columns->hash + i), to->hash);
    const __m256i mixed = _mm256_mullo_epi32(pair, _mm256_set1_epi32((int)PHX_BAND_PHASE_FACTOR));
    const __m256i phase = _mm256_srli_epi32(mixed, PHX_BAND_PHASE_SHIFT);
    const __m256i n = _mm256_add_epi32(_mm256_permutevar8x32_epi32(to->turn, band), phase);
    const __m256i off = _mm256_mullo_epi32(n, _mm256_permutevar8x32_epi32(to->share, band));
    const __m256i last = _mm256_permutevar8x32_epi32(to->last, band);
    const __m256i turns = _mm256_cmpeq_epi32(_mm256_min_epu32(off, last), off);
    const __m256i every = _mm256_permutevar8x32_epi32(to->every, band);
    return _mm256_and_si256(turns, _mm256_cmpgt_epi32(every, load_vector(columns->age + i)));
}

/* The samples at i and behind it that are left out. */
AVX2_INLINE uint32_t left_out_bits(const uint32_t *bits, uint32_t i)
{
    uint16_t word;
    memcpy(&word, (const char *)bits + i / CHAR_BIT, sizeof word);
    return (uint32_t)word >> i % CHAR_BIT;
}

/* Adds the due samples of a span; rows: of rows, in any order. */
AVX2_INLINE void find_in_span_256(const phx_motion_columns *columns, phx_span span, const phx_due_query *by,
                                  const observer *at, uint32_t *keys, phx_due_found *found, bool square, bool rows,
                                  bool tall)
{
    const observer to = *at;
    const bool sphere = tall && by->sphere, by_level = tall && rows && by->level < INFINITY;
    const __m256 level = _mm256_set1_ps(by->level);
    const __m256 sign = _mm256_set1_ps(-0.0f);
    const __m128i band_bits = _mm_cvtsi32_si128((int)by->band_bits);
    const __m256 enters = _mm256_castsi256_ps(_mm256_set1_epi32(by->enters ? -1 : 0));
    uint32_t n = found->count;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(columns->x + i), to.x);
        __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(columns->y + i), to.y);
        __m256 d2 = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
        __m256 dz = _mm256_setzero_ps();
        if (sphere || by_level) dz = _mm256_sub_ps(_mm256_loadu_ps(columns->z + i), to.z);
        if (sphere) d2 = _mm256_add_ps(d2, _mm256_mul_ps(dz, dz));
        __m256 off = square ? _mm256_max_ps(_mm256_andnot_ps(sign, dx), _mm256_andnot_ps(sign, dy)) : d2;
        __m256 in = _mm256_cmp_ps(off, to.view, _CMP_LE_OQ);
        if (by_level) in = _mm256_and_ps(in, _mm256_cmp_ps(_mm256_andnot_ps(sign, dz), level, _CMP_LE_OQ));
        if (_mm256_movemask_ps(in) == 0) continue; /* the towers at the corners of a view */
        dx = _mm256_sub_ps(_mm256_loadu_ps(columns->was_x + i), to.was_x);
        dy = _mm256_sub_ps(_mm256_loadu_ps(columns->was_y + i), to.was_y);
        __m256 was = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
        if (sphere || by_level) dz = _mm256_sub_ps(_mm256_loadu_ps(columns->was_z + i), to.was_z);
        if (sphere) was = _mm256_add_ps(was, _mm256_mul_ps(dz, dz));
        off = square ? _mm256_max_ps(_mm256_andnot_ps(sign, dx), _mm256_andnot_ps(sign, dy)) : was;
        __m256 from = _mm256_setzero_ps();
        if (rows) from = _mm256_cmp_ps(off, to.view, _CMP_GT_OQ);
        if (by_level) from = _mm256_or_ps(from, _mm256_cmp_ps(_mm256_andnot_ps(sign, dz), level, _CMP_GT_OQ));
        from = _mm256_and_ps(from, enters);
        __m256i band = _mm256_setzero_si256(), due = _mm256_set1_epi32(by->all ? -1 : 0);
        for (uint32_t b = 0; b + 1 < by->band_count; b++) {
            const __m256 limit = _mm256_set1_ps(by->squares[b]);
            const __m256 beyond = _mm256_cmp_ps(d2, limit, _CMP_GT_OQ),
                         was_beyond = _mm256_cmp_ps(was, limit, _CMP_GT_OQ);
            band = _mm256_sub_epi32(band, _mm256_castps_si256(beyond));
            due = _mm256_or_si256(due, _mm256_castps_si256(_mm256_xor_ps(beyond, was_beyond)));
        }
        due = _mm256_or_si256(_mm256_or_si256(due, _mm256_castps_si256(from)), in_turn(columns, i, band, &to));
        due = _mm256_and_si256(due, _mm256_castps_si256(in));
        uint32_t lanes = lane_mask(due) & first_lane_bits(span.end - i);
        if (rows) {
            lanes &= ~left_out_bits(columns->left_out, i);
            found->special |= (lanes & lane_mask(load_vector(columns->word + i))) != 0;
            found->entered += (uint32_t)__builtin_popcount(lanes & lane_mask(_mm256_castps_si256(from)));
        }
        const choice of = choose_lanes(lanes);
        const __m256i item = columns->item ? load_vector(columns->item + i) : lanes_from(i);
        store_chosen_lanes(keys + n, &of, _mm256_or_si256(_mm256_sll_epi32(item, band_bits), band));
        n += of.count;
    }
    found->count = n;
}

AVX2_INLINE phx_due_found find_due(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                   const phx_due_query *by, uint32_t *keys, bool square, bool rows, bool tall)
{
    const observer to = load_observer(by);
    phx_due_found found = {0, 0, false};
    for (uint32_t s = 0; s < span_count; s++)
        find_in_span_256(columns, spans[s], by, &to, keys, &found, square, rows, tall);
    return found;
}

AVX2 phx_due_found phx_find_due_avx2(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                     const phx_due_query *by, uint32_t *keys)
{
    const bool rows = columns->left_out != NULL;
    const bool tall = by->sphere || by->level < INFINITY;
    if (by->square || tall) return find_due(columns, spans, span_count, by, keys, by->square, rows, tall);
    if (rows) return find_due(columns, spans, span_count, by, keys, false, true, false);
    return find_due(columns, spans, span_count, by, keys, false, false, false);
}

_Static_assert(sizeof(phx_motion_sample) == 2 * HALF * sizeof(float), "a sample is two halves of a vector");

/* One half of eight samples: columns of HALF fields. */
AVX2_INLINE void gather_half(const phx_motion_sample *samples, const uint32_t *items, uint32_t half, __m256 to[HALF])
{
    __m256 of[HALF];
    for (uint32_t i = 0; i < HALF; i++) {
        const float *low = (const float *)(const void *)&samples[items[i]],
                    *high = (const float *)(const void *)&samples[items[HALF + i]];
        of[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low + half * HALF)),
                                     _mm_loadu_ps(high + half * HALF), 1);
    }
    const __m256 a = _mm256_unpacklo_ps(of[0], of[1]), b = _mm256_unpacklo_ps(of[2], of[3]);
    const __m256 c = _mm256_unpackhi_ps(of[0], of[1]), d = _mm256_unpackhi_ps(of[2], of[3]);
    to[0] = _mm256_shuffle_ps(a, b, 0x44);
    to[1] = _mm256_shuffle_ps(a, b, 0xee);
    to[2] = _mm256_shuffle_ps(c, d, 0x44);
    to[3] = _mm256_shuffle_ps(c, d, 0xee);
}

AVX2 void phx_gather_samples_avx2(const phx_motion_sample *samples, const uint32_t *items, uint32_t count,
                                  phx_gathered_samples *to)
{
    const __m256i ages = _mm256_set1_epi32(UINT16_MAX);
    PHX_ASSERT(count <= PHX_SAMPLES_MAX);
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t last[LANES] = {0};
        const uint32_t *of = items + i, left = count - i;
        __m256 column[HALF];
        for (uint32_t k = PHX_SAMPLES_AHEAD; k < PHX_SAMPLES_AHEAD + LANES && k < left; k++)
            __builtin_prefetch(&samples[of[k]]);
        if (left < LANES) of = memcpy(last, of, left * sizeof *of); /* the others: any sample */
        gather_half(samples, of, 0, column);
        _mm256_storeu_ps(to->x + i, column[0]);
        _mm256_storeu_ps(to->y + i, column[1]);
        _mm256_storeu_ps(to->z + i, column[2]);
        _mm256_storeu_ps(to->was_x + i, column[3]);
        gather_half(samples, of, 1, column);
        _mm256_storeu_ps(to->was_y + i, column[0]);
        store_vector(to->hash + i, _mm256_castps_si256(column[1]));
        store_vector(to->age + i, _mm256_and_si256(_mm256_castps_si256(column[2]), ages));
    }
}

#endif
