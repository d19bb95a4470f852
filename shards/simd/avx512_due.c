/*
 * The kernel of updates by distance band for AVX-512; see avx512_due.h and kernels.h. Float operations are the portable
 * kernel's, each rounded on its own.
 */
#include "shards/simd/avx512_due.h"

#if defined(__x86_64__)

#include "shards/simd/avx512_lanes.h"
#include "shards/simd/due_rule.h"

_Static_assert((int)PH_BANDS_MAX == (int)LANES / 2, "half a vector has a value of each band");

/* An observer, in registers. */
typedef struct observer {
    __m512 x, y, z, was_x, was_y, was_z, view;
    __m512i hash, turn, share, last, every; /* by band; last: the share - 1 */
} observer;

AVX512_INLINE __m512i by_band_512(const uint32_t *of)
{
    return _mm512_broadcast_i32x8(_mm256_loadu_si256((const __m256i *)(const void *)of));
}

AVX512_INLINE observer load_observer_512(const phx_due_query *by)
{
    const __m512i share = by_band_512(by->share);
    return (observer){_mm512_set1_ps(by->x),
                      _mm512_set1_ps(by->y),
                      _mm512_set1_ps(by->z),
                      _mm512_set1_ps(by->was_x),
                      _mm512_set1_ps(by->was_y),
                      _mm512_set1_ps(by->was_z),
                      _mm512_set1_ps(by->square ? by->view : by->view * by->view),
                      _mm512_set1_epi32((int)by->hash),
                      by_band_512(by->turn),
                      share,
                      _mm512_sub_epi32(share, _mm512_set1_epi32(1)),
                      by_band_512(by->every)};
}

/* Whether the lanes' turns come in this tick, and they moved so lately that it matters. */
AVX512_INLINE __mmask16 in_turn_512(const phx_motion_columns *columns, uint32_t i, __m512i band, const observer *to)
{
    const __m512i pair = _mm512_xor_si512(_mm512_loadu_si512(columns->hash + i), to->hash);
    const __m512i mixed = _mm512_mullo_epi32(pair, _mm512_set1_epi32((int)PHX_BAND_PHASE_FACTOR));
    const __m512i phase = _mm512_srli_epi32(mixed, PHX_BAND_PHASE_SHIFT);
    const __m512i n = _mm512_add_epi32(_mm512_permutexvar_epi32(band, to->turn), phase);
    const __m512i off = _mm512_mullo_epi32(n, _mm512_permutexvar_epi32(band, to->share));
    const __mmask16 turns = _mm512_cmple_epu32_mask(off, _mm512_permutexvar_epi32(band, to->last));
    return _mm512_mask_cmplt_epu32_mask(turns, _mm512_loadu_si512(columns->age + i),
                                        _mm512_permutexvar_epi32(band, to->every));
}

AVX512_INLINE uint32_t find_due_512(const phx_motion_columns *columns, phx_span span, const phx_due_query *by,
                                    uint32_t *words, uint32_t *bands, bool square, bool sphere)
{
    const observer to = load_observer_512(by);
    const __m512i one = _mm512_set1_epi32(1);
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(columns->x + i), to.x);
        __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(columns->y + i), to.y);
        __m512 d2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        __m512 off = square ? _mm512_max_ps(_mm512_abs_ps(dx), _mm512_abs_ps(dy)) : d2;
        const __mmask16 in = _mm512_mask_cmp_ps_mask(first_lane_mask(span.end - i), off, to.view, _CMP_LE_OQ);
        if (in == 0) continue; /* the towers at the corners of a view */
        dx = _mm512_sub_ps(_mm512_loadu_ps(columns->was_x + i), to.was_x);
        dy = _mm512_sub_ps(_mm512_loadu_ps(columns->was_y + i), to.was_y);
        __m512 was = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        if (sphere) {
            const __m512 dz = _mm512_sub_ps(_mm512_loadu_ps(columns->z + i), to.z);
            const __m512 was_dz = _mm512_sub_ps(_mm512_loadu_ps(columns->was_z + i), to.was_z);
            d2 = _mm512_add_ps(d2, _mm512_mul_ps(dz, dz));
            was = _mm512_add_ps(was, _mm512_mul_ps(was_dz, was_dz));
        }
        __m512i band = _mm512_setzero_si512();
        __mmask16 due = by->all ? 0xffff : 0;
        for (uint32_t b = 0; b + 1 < by->band_count; b++) {
            const __m512 limit = _mm512_set1_ps(by->squares[b]);
            const __mmask16 beyond = _mm512_cmp_ps_mask(d2, limit, _CMP_GT_OQ);
            band = _mm512_mask_add_epi32(band, beyond, band, one);
            due = _kor_mask16(due, _kxor_mask16(beyond, _mm512_cmp_ps_mask(was, limit, _CMP_GT_OQ)));
        }
        due = _kand_mask16(_kor_mask16(due, in_turn_512(columns, i, band, &to)), in);
        store_lanes(words + n, due, _mm512_loadu_si512(columns->word + i));
        store_lanes(bands + n, due, band);
        n += (uint32_t)__builtin_popcount(due);
    }
    return n;
}

AVX512 uint32_t phx_find_due_avx512(const phx_motion_columns *columns, phx_span span, const phx_due_query *by,
                                    uint32_t *words, uint32_t *bands)
{
    if (by->sphere) return find_due_512(columns, span, by, words, bands, by->square, true);
    if (by->square) return find_due_512(columns, span, by, words, bands, true, false);
    return find_due_512(columns, span, by, words, bands, false, false);
}

#endif
