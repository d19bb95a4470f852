/*
 * The kernels of updates by distance band for AVX-512; see avx512_due.h and kernels.h. Float operations are the
 * portable kernel's, each rounded on its own.
 */
#include "shards/simd/avx512_due.h"

#if defined(__x86_64__)

#include <limits.h>
#include <math.h>
#include <string.h>

#include "shards/simd/avx512_lanes.h"
#include "shards/simd/due_rule.h"
#include "shards/simd/portable_due.h"

_Static_assert((int)PH_BANDS_MAX == (int)LANES / 2, "half a vector has a value of each band");
_Static_assert((int)PH_BAND_EVERY_MAX == (int)UINT8_MAX, "an age has so many bits");

/*
 * An observer, in registers. By due key, of which a permutation reads the lowest bits, and so the band: the turn, the
 * share, the share - 1, and the period. Or, where all periods are powers of two, the gate: see at_gate_512().
 */
typedef struct observer {
    __m512 x, y, z, was_x, was_y, was_z, view;
    __m512i hash, turn, share, last, every;
    __m512i gate, tick;
} observer;

/* Values by band, of which there are 1 << bits, again and again. */
AVX512_INLINE __m512i by_band_512(const uint32_t *of, uint32_t bits)
{
    const __m512i band = _mm512_and_si512(_mm512_loadu_si512(lane_numbers), _mm512_set1_epi32((1 << bits) - 1));
    return _mm512_permutexvar_epi32(band,
                                    _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)of)));
}

AVX512_INLINE observer load_observer_512(const phx_due_query *by)
{
    const __m512i one = _mm512_set1_epi32(1), every = by_band_512(by->every, by->band_bits);
    const __m512i share = by_band_512(by->share, by->band_bits), rest = _mm512_sub_epi32(every, one);
    return (observer){_mm512_set1_ps(by->x),
                      _mm512_set1_ps(by->y),
                      _mm512_set1_ps(by->z),
                      _mm512_set1_ps(by->was_x),
                      _mm512_set1_ps(by->was_y),
                      _mm512_set1_ps(by->was_z),
                      _mm512_set1_ps(by->square ? by->view : by->view * by->view),
                      _mm512_set1_epi32((int)by->hash),
                      by_band_512(by->turn, by->band_bits),
                      share,
                      _mm512_sub_epi32(share, one),
                      every,
                      _mm512_xor_si512(_mm512_slli_epi32(rest, PHX_BAND_PHASE_SHIFT),
                                       _mm512_andnot_si512(rest, _mm512_set1_epi32(UINT8_MAX))),
                      _mm512_set1_epi32((int)(by->tick << PHX_BAND_PHASE_SHIFT))};
}

AVX512_INLINE bool all_powers_512(const phx_due_query *by)
{
    uint32_t others = 0;
    for (uint32_t b = 0; b < by->band_count; b++) others |= by->every[b] & (by->every[b] - 1);
    return others == 0;
}

/* The phases of pairs, with further bits below. */
AVX512_INLINE __m512i phases_512(const phx_motion_columns *columns, uint32_t i, const observer *to)
{
    const __m512i pair = _mm512_xor_si512(_mm512_loadu_si512(columns->hash + i), to->hash);
    return _mm512_mullo_epi32(pair, _mm512_set1_epi32((int)PHX_BAND_PHASE_FACTOR));
}

/* Whether the lanes' turns come in this tick, and they moved so lately that it matters. */
AVX512_INLINE __mmask16 in_turn_512(const phx_motion_columns *columns, uint32_t i, __m512i key, const observer *to)
{
    const __m512i phase = _mm512_srli_epi32(phases_512(columns, i, to), PHX_BAND_PHASE_SHIFT);
    const __m512i n = _mm512_add_epi32(_mm512_permutexvar_epi32(key, to->turn), phase);
    const __m512i off = _mm512_mullo_epi32(n, _mm512_permutexvar_epi32(key, to->share));
    const __mmask16 turns = _mm512_cmple_epu32_mask(off, _mm512_permutexvar_epi32(key, to->last));
    return _mm512_mask_cmplt_epu32_mask(turns, _mm512_loadu_si512(columns->age + i),
                                        _mm512_permutexvar_epi32(key, to->every));
}

/*
 * The same where periods are powers of two. Above, the lowest bits of tick and phase have to be 0; below, the bits of
 * the age from the period on: one test of both, by the bits of a gate.
 */
AVX512_INLINE __mmask16 at_gate_512(const phx_motion_columns *columns, uint32_t i, __m512i key, const observer *to)
{
    enum { A = 0xf0, B = 0xcc, C = 0xaa };
    const __m512i phase = _mm512_add_epi32(phases_512(columns, i, to), to->tick);
    const __m512i above = _mm512_set1_epi32((int)(UINT32_MAX << PHX_BAND_PHASE_SHIFT));
    const __m512i both = _mm512_ternarylogic_epi32(phase, above, _mm512_loadu_si512(columns->age + i), (A & B) | C);
    return _mm512_testn_epi32_mask(both, _mm512_permutexvar_epi32(key, to->gate));
}

/* The samples at i and behind it that are left out. */
AVX512_INLINE __mmask16 left_out_512(const uint32_t *bits, uint32_t i)
{
    uint32_t word;
    memcpy(&word, (const char *)bits + i / CHAR_BIT, sizeof word);
    return (__mmask16)(word >> i % CHAR_BIT);
}

/* Adds the due samples of a span; rows: of rows, in any order; powers: all periods are powers of two. */
AVX512_INLINE void find_in_span_512(const phx_motion_columns *columns, phx_span span, const phx_due_query *by,
                                    const observer *at, uint32_t *keys, phx_due_found *found, bool square, bool rows,
                                    bool powers, bool tall)
{
    const phx_motion_columns of = *columns;
    const observer to = *at;
    const __m512i one = _mm512_set1_epi32(1), step = _mm512_set1_epi32(LANES << by->band_bits);
    const __m128i band_bits = _mm_cvtsi32_si128((int)by->band_bits);
    const uint32_t limits = by->band_count - 1;
    const bool sphere = tall && by->sphere, by_level = tall && rows && by->level < INFINITY;
    const __m512 level = _mm512_set1_ps(by->level);
    const __mmask16 all = by->all ? 0xffff : 0, enters = by->enters ? 0xffff : 0;
    __m512i first_key = _mm512_sll_epi32(lanes_from_512(span.first), band_bits), special = _mm512_setzero_si512();
    uint32_t n = found->count, entered = found->entered;
    for (uint32_t i = span.first; i < span.end; i += LANES, first_key = _mm512_add_epi32(first_key, step)) {
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(of.x + i), to.x);
        __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(of.y + i), to.y);
        __m512 d2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        __m512 dz = _mm512_setzero_ps();
        if (sphere || by_level) dz = _mm512_sub_ps(_mm512_loadu_ps(of.z + i), to.z);
        if (sphere) d2 = _mm512_add_ps(d2, _mm512_mul_ps(dz, dz));
        __m512 off = square ? _mm512_max_ps(_mm512_abs_ps(dx), _mm512_abs_ps(dy)) : d2;
        __mmask16 in = _mm512_mask_cmp_ps_mask(first_lane_mask(span.end - i), off, to.view, _CMP_LE_OQ);
        if (by_level) in = _mm512_mask_cmp_ps_mask(in, _mm512_abs_ps(dz), level, _CMP_LE_OQ);
        if (in == 0) continue; /* the towers at the corners of a view */
        dx = _mm512_sub_ps(_mm512_loadu_ps(of.was_x + i), to.was_x);
        dy = _mm512_sub_ps(_mm512_loadu_ps(of.was_y + i), to.was_y);
        __m512 was = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        if (sphere || by_level) dz = _mm512_sub_ps(_mm512_loadu_ps(of.was_z + i), to.was_z);
        if (sphere) was = _mm512_add_ps(was, _mm512_mul_ps(dz, dz));
        off = square ? _mm512_max_ps(_mm512_abs_ps(dx), _mm512_abs_ps(dy)) : was;
        __mmask16 from = 0;
        if (rows) from = _mm512_cmp_ps_mask(off, to.view, _CMP_GT_OQ);
        if (by_level) from |= _mm512_cmp_ps_mask(_mm512_abs_ps(dz), level, _CMP_GT_OQ);
        from &= enters;
        if (rows) in = _kandn_mask16(left_out_512(of.left_out, i), in);
        __m512i key = of.item ? _mm512_sll_epi32(_mm512_loadu_si512(of.item + i), band_bits) : first_key, was_key = key;
        for (uint32_t b = 0; b < limits; b++) {
            const __m512 limit = _mm512_set1_ps(by->squares[b]);
            key = _mm512_mask_add_epi32(key, _mm512_cmp_ps_mask(d2, limit, _CMP_GT_OQ), key, one);
            was_key = _mm512_mask_add_epi32(was_key, _mm512_cmp_ps_mask(was, limit, _CMP_GT_OQ), was_key, one);
        }
        __mmask16 due = powers ? at_gate_512(&of, i, key, &to) : in_turn_512(&of, i, key, &to);
        due = _kor_mask16(_kor_mask16(due, all), _mm512_cmpneq_epi32_mask(key, was_key));
        if (rows) due = _kor_mask16(due, from);
        due = _kand_mask16(due, in);
        if (rows) entered += (uint32_t)__builtin_popcount(_kand_mask16(from, in));
        store_lanes(keys + n, due, key);
        n += (uint32_t)__builtin_popcount(due);
        if (rows) special = _mm512_mask_or_epi32(special, due, special, _mm512_loadu_si512(of.word + i));
    }
    *found = (phx_due_found){n, entered, found->special | (_mm512_movepi32_mask(special) != 0)};
}

AVX512_INLINE phx_due_found find_due_512(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                         const phx_due_query *by, uint32_t *keys, bool square, bool rows, bool powers,
                                         bool tall)
{
    const observer to = load_observer_512(by);
    phx_due_found found = {0, 0, false};
    for (uint32_t s = 0; s < span_count; s++)
        find_in_span_512(columns, spans[s], by, &to, keys, &found, square, rows, powers, tall);
    return found;
}

AVX512 phx_due_found phx_find_due_avx512(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                         const phx_due_query *by, uint32_t *keys)
{
    const bool rows = columns->left_out != NULL, powers = all_powers_512(by);
    const bool tall = by->sphere || by->level < INFINITY;
    if (by->square || !powers)
        return find_due_512(columns, spans, span_count, by, keys, by->square, rows, powers, tall);
    if (tall) return find_due_512(columns, spans, span_count, by, keys, false, rows, true, true);
    if (rows) return find_due_512(columns, spans, span_count, by, keys, false, true, true, false);
    return find_due_512(columns, spans, span_count, by, keys, false, false, true, false);
}

enum { QUARTER = LANES / 4 };

_Static_assert(sizeof(phx_motion_sample) == 2 * QUARTER * sizeof(float), "a sample is two quarters of a vector");

/* One half of sixteen samples: columns of QUARTER fields. */
AVX512_INLINE void gather_half_512(const phx_motion_sample *samples, const uint32_t *items, uint32_t half,
                                   __m512 to[QUARTER])
{
    __m512 of[QUARTER];
    for (uint32_t i = 0; i < QUARTER; i++) {
        const float *from[QUARTER];
        for (uint32_t k = 0; k < QUARTER; k++)
            from[k] = (const float *)(const void *)&samples[items[k * QUARTER + i]] + half * QUARTER;
        of[i] = _mm512_castps128_ps512(_mm_loadu_ps(from[0]));
        of[i] = _mm512_insertf32x4(of[i], _mm_loadu_ps(from[1]), 1);
        of[i] = _mm512_insertf32x4(of[i], _mm_loadu_ps(from[2]), 2);
        of[i] = _mm512_insertf32x4(of[i], _mm_loadu_ps(from[3]), 3);
    }
    const __m512 a = _mm512_unpacklo_ps(of[0], of[1]), b = _mm512_unpacklo_ps(of[2], of[3]);
    const __m512 c = _mm512_unpackhi_ps(of[0], of[1]), d = _mm512_unpackhi_ps(of[2], of[3]);
    to[0] = _mm512_shuffle_ps(a, b, 0x44);
    to[1] = _mm512_shuffle_ps(a, b, 0xee);
    to[2] = _mm512_shuffle_ps(c, d, 0x44);
    to[3] = _mm512_shuffle_ps(c, d, 0xee);
}

AVX512 void phx_gather_samples_avx512(const phx_motion_sample *samples, const uint32_t *items, uint32_t count,
                                      phx_gathered_samples *to)
{
    const __m512i ages = _mm512_set1_epi32(UINT16_MAX);
    PHX_ASSERT(count <= PHX_SAMPLES_MAX);
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t last[LANES] = {0};
        const uint32_t *of = items + i, left = count - i;
        __m512 column[QUARTER];
        for (uint32_t k = PHX_SAMPLES_AHEAD; k < PHX_SAMPLES_AHEAD + LANES && k < left; k++)
            __builtin_prefetch(&samples[of[k]]);
        if (left < LANES) of = memcpy(last, of, left * sizeof *of); /* the others: any sample */
        gather_half_512(samples, of, 0, column);
        _mm512_storeu_ps(to->x + i, column[0]);
        _mm512_storeu_ps(to->y + i, column[1]);
        _mm512_storeu_ps(to->z + i, column[2]);
        _mm512_storeu_ps(to->was_x + i, column[3]);
        gather_half_512(samples, of, 1, column);
        _mm512_storeu_ps(to->was_y + i, column[0]);
        _mm512_storeu_si512(to->hash + i, _mm512_castps_si512(column[1]));
        _mm512_storeu_si512(to->age + i, _mm512_and_si512(_mm512_castps_si512(column[2]), ages));
    }
}

/* Places are read one by one: two gathers cost more, most of all on AMD processors. */
AVX512 void phx_place_keys_avx512(const phx_item_places *places, const uint32_t *keys, uint32_t count, uint32_t *due,
                                  uint8_t *bands)
{
    const __m512i mask = _mm512_set1_epi32((1 << places->band_bits) - 1);
    phx_place_items_portable(places, keys, count, due);
    for (uint32_t i = 0; i < count; i += LANES) {
        const __mmask16 lanes = first_lane_mask(count - i);
        const __m512i key = _mm512_maskz_loadu_epi32(lanes, keys + i);
        _mm512_mask_cvtepi32_storeu_epi8(bands + i, lanes, _mm512_and_si512(key, mask));
    }
}

#endif
