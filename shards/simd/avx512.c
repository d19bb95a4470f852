/*
 * The kernels for AVX-512; see kernels.h. Float operations are the portable kernels', each rounded
 * on its own. Compiled for the instruction set function by function and chosen at run time, so one
 * binary runs on any x86-64. Lanes beyond a range are read (arrays are padded) and masked out.
 */
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"

#if defined(__x86_64__)

#include "shards/simd/avx512.h"
#include "shards/simd/avx512_due.h"
#include "shards/simd/avx512_lanes.h"
#include "shards/simd/avx512_match.h"
#include "shards/simd/avx512_merge.h"
#include "shards/simd/avx512_order.h"
#include "shards/simd/avx512_rows.h"
#include "shards/simd/avx512_stencil.h"
#include "shards/simd/portable_due.h"

/* The mid-step position, if now and before are one step apart; else the current position. */
AVX512_INLINE __m512 mid_step_512(__m512 now, __m512 old, __m512 longest_step)
{
    __m512 step = _mm512_sub_ps(old, now);
    __mmask16 stepped = _mm512_cmp_ps_mask(_mm512_abs_ps(step), longest_step, _CMP_LE_OQ);
    return _mm512_mask_add_ps(now, stepped, now, _mm512_mul_ps(step, _mm512_set1_ps(0.5f)));
}

AVX512 static uint32_t cull_rows_avx512(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                                        const phx_tile_frame *frame, const phx_tile_rows *to)
{
    const __m512 zx = _mm512_set1_ps(frame->x), zy = _mm512_set1_ps(frame->y), scale = _mm512_set1_ps(frame->scale);
    const __m512 width = _mm512_set1_ps(frame->width), height = _mm512_set1_ps(frame->height);
    const __m512 least = _mm512_set1_ps(frame->low), longest_step = _mm512_set1_ps(frame->longest_step);
    const __m512i low = _mm512_set1_epi32(0xffff), columns = _mm512_set1_epi32((int)frame->columns);
    const __m512i flag = _mm512_set1_epi32((int)frame->moved);
    const __m128i shift = _mm_cvtsi32_si128((int)frame->shift);
    uint32_t n = 0;
    for (uint32_t s = 0; s < span_count; s++) {
        for (uint32_t i = spans[s].first; i < spans[s].end; i += LANES) {
            __m512 px = _mm512_loadu_ps(rows->x + i), py = _mm512_loadu_ps(rows->y + i);
            __m512 qx = _mm512_loadu_ps(rows->ox + i), qy = _mm512_loadu_ps(rows->oy + i);
            __mmask16 moved = _mm512_cmp_ps_mask(px, qx, _CMP_NEQ_UQ) | _mm512_cmp_ps_mask(py, qy, _CMP_NEQ_UQ);
            __m512 fx = _mm512_mul_ps(_mm512_sub_ps(px, zx), scale), fy = _mm512_mul_ps(_mm512_sub_ps(py, zy), scale);
            __m512 gx = _mm512_mul_ps(_mm512_sub_ps(qx, zx), scale), gy = _mm512_mul_ps(_mm512_sub_ps(qy, zy), scale);
            __m512 hx = mid_step_512(fx, gx, longest_step), hy = mid_step_512(fy, gy, longest_step);
            __mmask16 in = first_lane_mask(spans[s].end - i);
            in = _mm512_mask_cmp_ps_mask(in, hx, least, _CMP_GE_OQ);
            in = _mm512_mask_cmp_ps_mask(in, hx, width, _CMP_LT_OQ);
            in = _mm512_mask_cmp_ps_mask(in, hy, least, _CMP_GE_OQ);
            in = _mm512_mask_cmp_ps_mask(in, hy, height, _CMP_LT_OQ);
            __m512i x = _mm512_cvttps_epi32(fx), y = _mm512_cvttps_epi32(fy);
            __m512i ox = _mm512_cvttps_epi32(gx), oy = _mm512_cvttps_epi32(gy);
            __mmask16 away = _mm512_cmp_ps_mask(gx, gx, _CMP_UNORD_Q); /* it has no old position */
            ox = _mm512_mask_add_epi32(ox, away, x, _mm512_set1_epi32(PHX_TILE_NO_HISTORY_OFFSET));
            oy = _mm512_mask_mov_epi32(oy, away, y);
            __m512i column = _mm512_srl_epi32(_mm512_cvttps_epi32(hx), shift);
            __m512i line = _mm512_srl_epi32(_mm512_cvttps_epi32(hy), shift);
            __m512i cell = _mm512_add_epi32(_mm512_mullo_epi32(line, columns), column);
            store_lanes(to->now + n, in, _mm512_or_si512(_mm512_and_si512(x, low), _mm512_slli_epi32(y, 16)));
            store_lanes(to->old + n, in, _mm512_or_si512(_mm512_and_si512(ox, low), _mm512_slli_epi32(oy, 16)));
            store_lanes(to->row + n, in, lanes_from_512(i));
            store_lanes(to->cell + n, in, _mm512_mask_or_epi32(cell, moved, cell, flag));
            n += (uint32_t)__builtin_popcount(in);
        }
    }
    return n;
}

AVX512 static uint32_t indices_in_range_avx512(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places)
{
    const __m512i first = _mm512_set1_epi32((int)range.first);
    const __m512i length = _mm512_set1_epi32((int)(range.end - range.first));
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m512i off = _mm512_sub_epi32(_mm512_loadu_si512(row + i), first);
        __mmask16 in = _mm512_mask_cmplt_epu32_mask(first_lane_mask(count - i), off, length);
        store_lanes(places + n, in, lanes_from_512(i));
        n += (uint32_t)__builtin_popcount(in);
    }
    return n;
}

AVX512 static uint32_t gather_avx512(const phx_tile_candidates *from, const phx_span *spans, uint32_t count,
                                     const phx_tile_candidates *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t first = spans[s].first, length = spans[s].end - first;
        for (uint32_t i = 0; i < length; i += LANES) {
            _mm512_storeu_si512(to->now + n + i, _mm512_loadu_si512(from->now + first + i));
            _mm512_storeu_si512(to->old + n + i, _mm512_loadu_si512(from->old + first + i));
            _mm512_storeu_si512(to->target + n + i, _mm512_loadu_si512(from->target + first + i));
        }
        for (uint32_t i = 0; from->bound && i < length; i += LANES)
            _mm512_storeu_ps(to->bound + n + i, _mm512_loadu_ps(from->bound + first + i));
        n += length;
    }
    return n;
}

AVX512 static uint32_t collect_flagged_avx512(const uint32_t *words, uint32_t count, uint32_t flag, uint32_t *which)
{
    const __m512i bit = _mm512_set1_epi32((int)flag);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i);
        __mmask16 some = _mm512_mask_test_epi32_mask(lanes, _mm512_loadu_si512(words + i), bit);
        store_lanes(which + n, some, lanes_from_512(i));
        n += (uint32_t)__builtin_popcount(some);
    }
    return n;
}

/* The mask of the lanes below each lane. */
static const uint32_t lanes_below[LANES] = {0x0000, 0x0001, 0x0003, 0x0007, 0x000f, 0x001f, 0x003f, 0x007f,
                                            0x00ff, 0x01ff, 0x03ff, 0x07ff, 0x0fff, 0x1fff, 0x3fff, 0x7fff};

/* Turns pairs' targets in these lanes into slot words. */
AVX512_INLINE __m512i slot_words_512(__m512i targets, __mmask16 lanes, const uint32_t *row, const uint32_t *slots)
{
    if (!row) return targets;
    __m512i rows = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, targets, row, 4);
    return _mm512_mask_i32gather_epi32(rows, lanes, rows, slots, 4);
}

AVX512 static void pairs_to_runs_avx512(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots,
                                        uint32_t *words, phx_observer_runs *runs)
{
    const __m512i of_place = _mm512_set1_epi32((int)PHX_PAIR_PLACE), unsure = _mm512_set1_epi32((int)PHX_PAIR_UNSURE);
    const __m512i flag = _mm512_set1_epi32((int)PHX_TARGET_LEAVE), below = _mm512_loadu_si512(lanes_below);
    const phx_observer_runs to = *runs; /* stores below may alias the fields */
    __m512i last = _mm512_set1_epi32(-1);
    uint32_t n = 0, r = 0, specials = 0, gone = 0;
    for (uint32_t i = 0; i < pairs->count; i += LANES) {
        __m512i observer = _mm512_loadu_si512(pairs->observer + i);
        __mmask16 kept = _mm512_mask_testn_epi32_mask(first_lane_mask(pairs->count - i), observer, unsure), lanes;
        uint32_t count = (uint32_t)__builtin_popcount(kept);
        if (PHX_UNLIKELY(count == 0)) continue;
        __m512i word = slot_words_512(_mm512_loadu_si512(pairs->target + i), kept, row, slots);
        observer = _mm512_maskz_compress_epi32(kept, observer);
        word = _mm512_maskz_compress_epi32(kept, word);
        lanes = first_lane_mask(count);
        __m512i place = _mm512_and_si512(observer, of_place);
        __mmask16 leave = _mm512_movepi32_mask(observer), special = _mm512_movepi32_mask(word);
        __mmask16 begins = _mm512_mask_cmpneq_epi32_mask(lanes, place, _mm512_alignr_epi32(place, last, LANES - 1));
        __m512i left = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(leave), below));
        _mm512_storeu_si512(words + n, _mm512_mask_or_epi32(word, leave, word, flag));
        store_lanes(to.place + r, begins, place);
        store_lanes(to.first + r, begins, lanes_from_512(n));
        store_lanes(to.leaves + r, begins, _mm512_add_epi32(left, _mm512_set1_epi32((int)gone)));
        store_lanes(to.special + specials, special, lanes_from_512(n));
        r += (uint32_t)__builtin_popcount(begins);
        specials += (uint32_t)__builtin_popcount(special);
        gone += (uint32_t)__builtin_popcount(leave);
        last = _mm512_permutexvar_epi32(_mm512_set1_epi32((int)count - 1), place);
        n += count;
    }
    to.first[r] = to.special[specials] = n;
    to.leaves[r] = gone;
    runs->count = r;
}

/* ---- areas and caps ---- */

AVX512 static uint32_t range_scan_avx512(const phx_grid_rows *rows, phx_span span, const phx_range *area,
                                         uint32_t *slots, float *squares)
{
    const __m512 x = _mm512_set1_ps(area->x), y = _mm512_set1_ps(area->y), r = _mm512_set1_ps(area->r);
    const __m512 limit = area->square ? r : _mm512_mul_ps(r, r);
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(rows->x + i), x), dy = _mm512_sub_ps(_mm512_loadu_ps(rows->y + i), y);
        __m512 d2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        __m512 d = area->square ? _mm512_max_ps(_mm512_abs_ps(dx), _mm512_abs_ps(dy)) : d2;
        __mmask16 in = _mm512_mask_cmp_ps_mask(first_lane_mask(span.end - i), d, limit, _CMP_LE_OQ);
        store_lanes(slots + n, in, _mm512_loadu_si512(rows->slot + i));
        _mm512_storeu_ps(squares + n, _mm512_maskz_compress_ps(in, d2));
        n += (uint32_t)__builtin_popcount(in);
    }
    return n;
}

/* Squares as heights count, from those in the plane; up: distances of heights. Adds lanes that may be level or not. */
AVX512_INLINE __m512i cut_level_squares_512(__m512i squares, __m512i up, const phx_cut_borders *by, __mmask16 *unsure)
{
    if (by->sphere) return _mm512_dpwssd_epi32(squares, up, up);
    const __mmask16 beyond = _mm512_cmpge_epi32_mask(up, _mm512_set1_epi32(by->beyond));
    *unsure |= _mm512_mask_cmpgt_epi32_mask((__mmask16)~beyond, up, _mm512_set1_epi32(by->level));
    return _mm512_mask_mov_epi32(squares, beyond, _mm512_set1_epi32(INT32_MAX));
}

AVX512_INLINE uint32_t find_undecided_512(const phx_tile_candidates *candidates, uint32_t count, uint32_t now,
                                          uint32_t old, const phx_cut_borders *by, bool tall, uint32_t *targets)
{
    const __m512i here = _mm512_set1_epi32((int)now), there = _mm512_set1_epi32((int)old);
    const __m512i listed = _mm512_set1_epi32(by->listed), unlisted = _mm512_set1_epi32(by->unlisted);
    const __m512i stays = _mm512_set1_epi32(by->stays), joins = _mm512_set1_epi32(by->joins);
    const uint32_t *to_now = candidates->now, *to_old = candidates->old, *target = candidates->target;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        const __mmask16 lanes = first_lane_mask(count - i);
        __m512i is = unit_distances_512(_mm512_loadu_si512(to_now + i), here, false);
        __m512i was = unit_distances_512(_mm512_loadu_si512(to_old + i), there, false);
        __mmask16 unsure = 0;
        if (tall) {
            const __m512i own = _mm512_set1_epi32((int)by->height), low = _mm512_set1_epi32(UINT16_MAX);
            const __m512i up = _mm512_abs_epi16(_mm512_sub_epi16(_mm512_loadu_si512(candidates->height + i), own));
            is = cut_level_squares_512(is, _mm512_and_si512(up, low), by, &unsure);
            was = cut_level_squares_512(was, _mm512_srli_epi32(up, 16), by, &unsure);
        }
        const __mmask16 comes = _mm512_mask_cmple_epi32_mask(_mm512_cmpge_epi32_mask(was, listed), is, joins);
        const __mmask16 goes = _mm512_mask_cmpge_epi32_mask(_mm512_cmple_epi32_mask(was, unlisted), is, stays);
        const __mmask16 some = (comes | goes | unsure) & lanes;
        store_lanes(targets + n, some, _mm512_loadu_si512(target + i));
        n += (uint32_t)__builtin_popcount(some);
    }
    return n;
}

AVX512 static uint32_t find_undecided_avx512(const phx_tile_candidates *candidates, uint32_t count, uint32_t now,
                                             uint32_t old, const phx_cut_borders *by, uint32_t *targets)
{
    return candidates->height ? find_undecided_512(candidates, count, now, old, by, true, targets)
                              : find_undecided_512(candidates, count, now, old, by, false, targets);
}

AVX512 static uint32_t rank_hits_avx512(const phx_rank_source *by, uint32_t *slots, float *squares, uint32_t count,
                                        uint16_t *ranks)
{
    const __m512i of_slot = _mm512_set1_epi32((int)PHX_ROW_SLOT), low = _mm512_set1_epi32(UINT16_MAX);
    const __m512i zero = _mm512_setzero_si512(), plain = _mm512_set1_epi32(by->plain);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        const __mmask16 lanes = first_lane_mask(count - i);
        const __m512i word = _mm512_maskz_loadu_epi32(lanes, slots + i), slot = _mm512_and_si512(word, of_slot);
        const __mmask16 special = _mm512_movepi32_mask(word);
        __m512i found = _mm512_maskz_mov_epi32(lanes, plain);
        if (special) {
            const __m512i sets = _mm512_mask_i32gather_epi32(zero, special, slot, by->set, 4);
            const __m512i words = _mm512_mask_i32gather_epi32(zero, special, sets, by->rank, 2);
            found = _mm512_mask_and_epi32(found, special, words, low);
            if (by->bound) {
                const __m512 bounds = _mm512_mask_i32gather_ps(_mm512_set1_ps(INFINITY), special, sets, by->bound, 4);
                found =
                    _mm512_maskz_mov_epi32(_mm512_cmp_ps_mask(_mm512_loadu_ps(squares + i), bounds, _CMP_LE_OQ), found);
            }
        }
        const __mmask16 kept = _mm512_test_epi32_mask(found, found);
        const __m512 square = _mm512_loadu_ps(squares + i);
        store_lanes(slots + n, kept, slot);
        _mm512_storeu_ps(squares + n, _mm512_maskz_compress_ps(kept, square));
        _mm256_storeu_si256((__m256i *)(void *)(ranks + n),
                            _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(kept, found)));
        n += (uint32_t)__builtin_popcount(kept);
    }
    return n;
}

/* The keys of eight squares. */
AVX512_INLINE __m512d keys_of(__m256 squares, __mmask8 listed, __m512d sticky, __m512d listed_most)
{
    const __m512d square = _mm512_cvtps_pd(squares);
    return _mm512_mask_min_pd(_mm512_mul_pd(square, sticky), listed, square, listed_most);
}

AVX512 static uint32_t cap_keys_avx512(const phx_key_rule *by, const uint32_t *slots, const float *squares,
                                       uint32_t count, double *keys, uint8_t *was)
{
    const __m512i own = _mm512_set1_epi32((int)by->listed), zero = _mm512_setzero_si512();
    const __m512d sticky = _mm512_set1_pd(by->sticky), most = _mm512_set1_pd(by->listed_most);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i);
        __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        __m512i marks = _mm512_mask_i32gather_epi32(zero, lanes, slot, by->mark, 4);
        __mmask16 in = _mm512_mask_cmpeq_epi32_mask(lanes, marks, own);
        __m256 low = _mm256_loadu_ps(squares + i), high = _mm256_loadu_ps(squares + i + LANES / 2);
        _mm512_storeu_pd(keys + i, keys_of(low, (__mmask8)in, sticky, most));
        _mm512_storeu_pd(keys + i + LANES / 2, keys_of(high, (__mmask8)(in >> 8), sticky, most));
        _mm_storeu_si128((__m128i *)(void *)(was + i), _mm_maskz_set1_epi8(in, 1));
        n += (uint32_t)__builtin_popcount(in);
    }
    return n;
}

AVX512 static phx_rank_part part_at_rank_avx512(uint32_t *slots, double *keys, uint8_t *was, const uint16_t *ranks,
                                                uint32_t count, uint16_t rank)
{
    enum { HALF = LANES / 2, HALF_MASK = (1 << HALF) - 1 };
    const __m256i last = _mm256_set1_epi16((short)rank);
    const __m512d sure = _mm512_set1_pd(PHX_KEY_SURE);
    phx_rank_part n = {0, 0};
    for (uint32_t i = 0; i < count; i += LANES) {
        const __mmask16 lanes = first_lane_mask(count - i);
        const __m256i own = _mm256_maskz_loadu_epi16(lanes, ranks + i);
        const __mmask16 above = _mm256_mask_cmpgt_epu16_mask(lanes, own, last);
        const __mmask16 kept = _mm256_mask_cmpge_epu16_mask(lanes, own, last);
        const uint32_t low_kept = (uint32_t)__builtin_popcount(kept & HALF_MASK);
        const __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        const __m512d low = _mm512_mask_mov_pd(_mm512_loadu_pd(keys + i), (__mmask8)above, sure);
        const __m512d high = _mm512_mask_mov_pd(_mm512_loadu_pd(keys + i + HALF), (__mmask8)(above >> HALF), sure);
        const __m128i marks = _mm_maskz_loadu_epi8(lanes, was + i);
        store_lanes(slots + n.kept, kept, slot);
        _mm512_storeu_pd(keys + n.kept, _mm512_maskz_compress_pd((__mmask8)kept, low));
        _mm512_storeu_pd(keys + n.kept + low_kept, _mm512_maskz_compress_pd((__mmask8)(kept >> HALF), high));
        _mm_storeu_si128((__m128i *)(void *)(was + n.kept), _mm_maskz_compress_epi8(kept, marks));
        n.sure += (uint32_t)__builtin_popcount(above);
        n.kept += (uint32_t)__builtin_popcount(kept);
    }
    return n;
}

/* The mask of keys within the limit, in a vector and in the next one. */
AVX512_INLINE __mmask16 keys_within_mask(const double *keys, __m512d limit)
{
    __mmask8 low = _mm512_cmp_pd_mask(_mm512_loadu_pd(keys), limit, _CMP_LE_OQ);
    __mmask8 high = _mm512_cmp_pd_mask(_mm512_loadu_pd(keys + LANES / 2), limit, _CMP_LE_OQ);
    return (__mmask16)(low | high << 8);
}

AVX512 static uint32_t count_within_avx512(const double *keys, uint32_t count, double limit)
{
    const __m512d most = _mm512_set1_pd(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        n += (uint32_t)__builtin_popcount(keys_within_mask(keys + i, most) & first_lane_mask(count - i));
    return n;
}

AVX512 static phx_cap_split split_at_limit_avx512(uint32_t *slots, const double *keys, const uint8_t *was,
                                                  uint32_t count, double limit, uint32_t *enter, uint32_t *leave)
{
    const __m512d most = _mm512_set1_pd(limit);
    phx_cap_split n = {0, 0, 0};
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i), stays = keys_within_mask(keys + i, most) & lanes;
        __m128i before = _mm_loadu_si128((const __m128i *)(const void *)(was + i));
        __mmask16 in = _mm_test_epi8_mask(before, before) & lanes;
        __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        store_lanes(slots + n.stay, stays, slot);
        store_lanes(enter + n.enter, stays & (__mmask16)~in, slot);
        store_lanes(leave + n.leave, in & (__mmask16)~stays, slot);
        n.stay += (uint32_t)__builtin_popcount(stays);
        n.enter += (uint32_t)__builtin_popcount(stays & (__mmask16)~in);
        n.leave += (uint32_t)__builtin_popcount(in & (__mmask16)~stays);
    }
    return n;
}

enum { FOUND_AT_ONCE = 64 };

/* The entries, of so many, that equal a value. */
AVX512_INLINE uint64_t equal_to(const uint32_t *array, __m512i wanted)
{
    uint64_t equal = 0;
    for (uint32_t v = 0; v < FOUND_AT_ONCE / LANES; v++)
        equal |= (uint64_t)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(array + v * LANES), wanted) << v * LANES;
    return equal;
}

/*
 * The place of a value among not too many entries, or `none`. From the end on, so that the first place is found last.
 */
AVX512_INLINE uint32_t find_some(const uint32_t *array, uint32_t first, uint32_t count, __m512i wanted, uint32_t none)
{
    uint32_t whole = first + (count - count % FOUND_AT_ONCE), at = none;
    for (uint32_t end = first + count, i; end > whole; end = i) {
        i = first + (end - first - 1) / LANES * LANES;
        __mmask16 lanes = first_lane_mask(end - i);
        uint32_t equal = _mm512_mask_cmpeq_epi32_mask(lanes, _mm512_maskz_loadu_epi32(lanes, array + i), wanted);
        at = equal != 0 ? i + (uint32_t)__builtin_ctz(equal) : at;
    }
    for (uint32_t end = whole; end > first; end -= FOUND_AT_ONCE) {
        uint64_t equal = equal_to(array + end - FOUND_AT_ONCE, wanted);
        at = equal != 0 ? end - FOUND_AT_ONCE + (uint32_t)__builtin_ctzll(equal) : at;
    }
    return at;
}

/*
 * A list that is not long is compared as a whole, as the place of the value is not predictable. Nothing behind its end
 * is read, not even masked out: that would be another cache line.
 */
AVX512 static uint32_t find_u32_avx512(const uint32_t *array, uint32_t count, uint32_t value)
{
    enum { LONG = 8 * FOUND_AT_ONCE };
    const __m512i wanted = _mm512_set1_epi32((int)value);
    uint32_t i = 0;
    for (; count - i > LONG; i += LONG) {
        uint32_t at = find_some(array, i, LONG, wanted, count);
        if (at < count) return at;
    }
    return find_some(array, i, count - i, wanted, count);
}

enum { TOGETHER = 4 }; /* values compared in one pass over the array: more than most changes have */

/* The smallest differences of each value and some entries, and the entries before: 0 if it is among them. */
AVX512_INLINE void least_differences(__m512i least[TOGETHER], const __m512i value[TOGETHER], __m512i some)
{
#pragma GCC unroll 4
    for (uint32_t v = 0; v < TOGETHER; v++) least[v] = _mm512_min_epu32(least[v], _mm512_xor_si512(value[v], some));
}

/* Nothing is read behind the array's end, as above: lanes without an entry repeat the last one. */
AVX512 static uint32_t set_difference_avx512(const uint32_t *array, uint32_t count, uint32_t *values,
                                             uint32_t value_count)
{
    uint32_t n = 0;
    for (uint32_t first = 0; first < value_count; first += TOGETHER) {
        const uint32_t some = value_count - first < TOGETHER ? value_count - first : TOGETHER;
        uint32_t own[TOGETHER], i = 0;
        __m512i value[TOGETHER], least[TOGETHER];
#pragma GCC unroll 4
        for (uint32_t v = 0; v < TOGETHER; v++) {
            own[v] = values[first + (v < some ? v : 0)];
            value[v] = _mm512_set1_epi32((int)own[v]);
            least[v] = _mm512_set1_epi32(-1);
        }
        for (; count - i >= LANES; i += LANES) least_differences(least, value, _mm512_loadu_si512(array + i));
        if (i < count) {
            const __m512i last = _mm512_set1_epi32((int)array[count - 1]);
            least_differences(least, value, _mm512_mask_loadu_epi32(last, first_lane_mask(count - i), array + i));
        }
#pragma GCC unroll 4
        for (uint32_t v = 0; v < TOGETHER; v++) {
            values[n] = own[v];
            n += (v < some) & (_mm512_testn_epi32_mask(least[v], least[v]) == 0);
        }
    }
    return n;
}

AVX512 static uint32_t find_far_avx512(const phx_far_lanes *lanes, uint32_t count, const phx_far_query *by,
                                       uint32_t *which)
{
    return phx_far_find(lanes, count, by, which);
}

AVX512 static uint32_t find_far_observers_avx512(const phx_far_lanes *lanes, uint32_t count,
                                                 const phx_far_observers *of, ph_shape shape, float height)
{
    return phx_far_find_observers(lanes, count, of, shape, height);
}

const phx_kernels phx_kernels_avx512 = {.cull_rows = cull_rows_avx512,
                                        .box_rows = phx_box_rows_avx512,
                                        .cell_offsets = phx_cell_offsets_avx512,
                                        .indices_in_range = indices_in_range_avx512,
                                        .gather = gather_avx512,
                                        .match = phx_match_avx512,
                                        .match_stencil = phx_match_stencil_avx512,
                                        .find_undecided = find_undecided_avx512,
                                        .collect_flagged = collect_flagged_avx512,
                                        .pairs_to_runs = pairs_to_runs_avx512,
                                        .range_scan = range_scan_avx512,
                                        .find_due = phx_find_due_avx512,
                                        .gather_samples = phx_gather_samples_avx512,
                                        .mark_items = phx_mark_items_portable,
                                        .place_keys = phx_place_keys_avx512,
                                        .plan_row_ranges = phx_plan_row_ranges_avx512,
                                        .find_view_changes = phx_find_view_changes_avx512,
                                        .find_far = find_far_avx512,
                                        .find_far_observers = find_far_observers_avx512,
                                        .rank_hits = rank_hits_avx512,
                                        .cap_keys = cap_keys_avx512,
                                        .part_at_rank = part_at_rank_avx512,
                                        .count_within = count_within_avx512,
                                        .split_at_limit = split_at_limit_avx512,
                                        .find_u32 = find_u32_avx512,
                                        .set_difference = set_difference_avx512,
                                        .order_keys = phx_order_keys_avx512,
                                        .order = phx_order_avx512,
                                        .rank_words = phx_rank_words_avx512,
                                        .rank_most = 48,
                                        .merge = phx_merge_avx512};

#endif
