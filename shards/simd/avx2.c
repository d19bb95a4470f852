/*
 * The kernels for AVX2; see kernels.h. Float operations are the portable kernels', each rounded on its own. Compiled
 * for the instruction set function by function and chosen at run time. Lanes beyond a range are read (arrays are
 * padded) and masked out.
 */
#include "shards/simd/avx2.h"

#include "shards/simd/scalar.h"

#if defined(__x86_64__)

#include "shards/simd/avx2_due.h"
#include "shards/simd/avx2_lanes.h"
#include "shards/simd/avx2_match.h"
#include "shards/simd/avx2_rows.h"
#include "shards/simd/portable_due.h"

/* ---- picking and gathering ---- */

/* The mid-step position, if now and before are one step apart; else the current position. */
AVX2_INLINE __m256 mid_step(__m256 now, __m256 old, __m256 longest_step)
{
    __m256 step = _mm256_sub_ps(old, now), length = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), step);
    __m256 half = _mm256_mul_ps(step, _mm256_set1_ps(0.5f));
    return _mm256_blendv_ps(now, _mm256_add_ps(now, half), _mm256_cmp_ps(length, longest_step, _CMP_LE_OQ));
}

AVX2_INLINE __m256 within_frame(__m256 p, __m256 least, __m256 end)
{
    return _mm256_and_ps(_mm256_cmp_ps(p, least, _CMP_GE_OQ), _mm256_cmp_ps(p, end, _CMP_LT_OQ));
}

/* y << 16 | x */
AVX2_INLINE __m256i pack_axes(__m256i x, __m256i y)
{
    return _mm256_or_si256(_mm256_and_si256(x, _mm256_set1_epi32(0xffff)), _mm256_slli_epi32(y, 16));
}

AVX2 static uint32_t cull_rows_avx2(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                                    const phx_tile_frame *frame, const phx_tile_rows *to)
{
    const __m256 zx = _mm256_set1_ps(frame->x), zy = _mm256_set1_ps(frame->y), scale = _mm256_set1_ps(frame->scale);
    const __m256 width = _mm256_set1_ps(frame->width), height = _mm256_set1_ps(frame->height);
    const __m256 least = _mm256_set1_ps(frame->low), longest_step = _mm256_set1_ps(frame->longest_step);
    const __m256i columns = _mm256_set1_epi32((int)frame->columns), flag = _mm256_set1_epi32((int)frame->moved);
    const __m256i off = _mm256_set1_epi32(PHX_TILE_NO_HISTORY_OFFSET);
    const __m128i shift = _mm_cvtsi32_si128((int)frame->shift);
    uint32_t n = 0;
    for (uint32_t s = 0; s < span_count; s++) {
        for (uint32_t i = spans[s].first; i < spans[s].end; i += LANES) {
            __m256 px = _mm256_loadu_ps(rows->x + i), py = _mm256_loadu_ps(rows->y + i);
            __m256 qx = _mm256_loadu_ps(rows->ox + i), qy = _mm256_loadu_ps(rows->oy + i);
            __m256 moved = _mm256_or_ps(_mm256_cmp_ps(px, qx, _CMP_NEQ_UQ), _mm256_cmp_ps(py, qy, _CMP_NEQ_UQ));
            __m256 fx = _mm256_mul_ps(_mm256_sub_ps(px, zx), scale), fy = _mm256_mul_ps(_mm256_sub_ps(py, zy), scale);
            __m256 gx = _mm256_mul_ps(_mm256_sub_ps(qx, zx), scale), gy = _mm256_mul_ps(_mm256_sub_ps(qy, zy), scale);
            __m256 hx = mid_step(fx, gx, longest_step), hy = mid_step(fy, gy, longest_step);
            __m256 in = _mm256_and_ps(within_frame(hx, least, width), within_frame(hy, least, height));
            choice of = choose_lanes((uint32_t)_mm256_movemask_ps(in) & first_lane_bits(spans[s].end - i));
            __m256i x = _mm256_cvttps_epi32(fx), y = _mm256_cvttps_epi32(fy);
            __m256i ox = _mm256_cvttps_epi32(gx), oy = _mm256_cvttps_epi32(gy);
            __m256i away = _mm256_castps_si256(_mm256_cmp_ps(gx, gx, _CMP_UNORD_Q)); /* it has no old position */
            ox = _mm256_blendv_epi8(ox, _mm256_add_epi32(x, off), away);
            oy = _mm256_blendv_epi8(oy, y, away);
            __m256i column = _mm256_srl_epi32(_mm256_cvttps_epi32(hx), shift);
            __m256i line = _mm256_srl_epi32(_mm256_cvttps_epi32(hy), shift);
            __m256i cell = _mm256_add_epi32(_mm256_mullo_epi32(line, columns), column);
            store_chosen_lanes(to->now + n, &of, pack_axes(x, y));
            store_chosen_lanes(to->old + n, &of, pack_axes(ox, oy));
            store_chosen_lanes(to->row + n, &of, lanes_from(i));
            store_chosen_lanes(to->cell + n, &of,
                               _mm256_or_si256(cell, _mm256_and_si256(flag, _mm256_castps_si256(moved))));
            n += of.count;
        }
    }
    return n;
}

AVX2 static void cell_offsets_avx2(uint32_t *at, uint32_t cells, uint32_t *stencil)
{
    const __m256i last = _mm256_set1_epi32(LANES - 1), most = _mm256_set1_epi32(LANES);
    const __m256i one = _mm256_set1_epi32(1), more = _mm256_set1_epi32(STENCIL_MORE);
    __m256i before = _mm256_setzero_si256();
    for (uint32_t c = 0; c <= cells; c += LANES) {
        __m256i sums = _mm256_add_epi32(prefix_sums(load_vector(at + c)), before);
        store_vector(at + c, sums);
        before = _mm256_permutevar8x32_epi32(sums, last);
    }
    for (uint32_t c = 1; c + 1 < cells; c += LANES) {
        __m256i count = _mm256_sub_epi32(load_vector(at + c + 2), load_vector(at + c - 1)),
                many = _mm256_cmpgt_epi32(count, most);
        __m256i lanes = _mm256_sub_epi32(_mm256_sllv_epi32(one, _mm256_min_epu32(count, most)), one);
        store_vector(stencil + c, _mm256_or_si256(lanes, _mm256_and_si256(many, more)));
    }
}

AVX2 static uint32_t indices_in_range_avx2(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places)
{
    const __m256i first = _mm256_set1_epi32((int)range.first);
    const __m256i last = _mm256_set1_epi32((int)(range.end - range.first - 1));
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i off = _mm256_sub_epi32(load_vector(row + i), first);
        __m256i in = _mm256_cmpeq_epi32(_mm256_min_epu32(off, last), off);
        choice of = choose_lanes(lane_mask(in) & first_lane_bits(count - i));
        store_chosen_lanes(places + n, &of, lanes_from(i));
        n += of.count;
    }
    return n;
}

AVX2 static uint32_t gather_avx2(const phx_tile_candidates *from, const phx_span *spans, uint32_t count,
                                 const phx_tile_candidates *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t first = spans[s].first, length = spans[s].end - first;
        for (uint32_t i = 0; i < length; i += LANES) {
            store_vector(to->now + n + i, load_vector(from->now + first + i));
            store_vector(to->old + n + i, load_vector(from->old + first + i));
            store_vector(to->target + n + i, load_vector(from->target + first + i));
        }
        for (uint32_t i = 0; from->bound && i < length; i += LANES)
            _mm256_storeu_ps(to->bound + n + i, _mm256_loadu_ps(from->bound + first + i));
        n += length;
    }
    return n;
}

/* ---- areas and caps ---- */

AVX2 static uint32_t range_scan_avx2(const phx_grid_rows *rows, phx_span span, const phx_range *area, uint32_t *slots,
                                     float *squares)
{
    const __m256 x = _mm256_set1_ps(area->x), y = _mm256_set1_ps(area->y), r = _mm256_set1_ps(area->r);
    const __m256 limit = area->square ? r : _mm256_mul_ps(r, r), sign = _mm256_set1_ps(-0.0f);
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(rows->x + i), x), dy = _mm256_sub_ps(_mm256_loadu_ps(rows->y + i), y);
        __m256 d2 = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
        __m256 d = area->square ? _mm256_max_ps(_mm256_andnot_ps(sign, dx), _mm256_andnot_ps(sign, dy)) : d2;
        uint32_t in = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(d, limit, _CMP_LE_OQ));
        choice of = choose_lanes(in & first_lane_bits(span.end - i));
        store_chosen_lanes(slots + n, &of, load_vector(rows->slot + i));
        keep_floats(squares + n, &of, d2);
        n += of.count;
    }
    return n;
}

/* Squares of the distances of positions in units. */
AVX2_INLINE __m256i unit_squares(__m256i a, __m256i b)
{
    const __m256i d = _mm256_sub_epi16(a, b);
    return _mm256_madd_epi16(d, d);
}

/* Squares as heights count, from those in the plane; up: distances of heights. Adds lanes that may be level or not. */
AVX2_INLINE __m256i cut_level_squares(__m256i squares, __m256i up, const phx_cut_borders *by, __m256i *unsure)
{
    if (by->sphere) return _mm256_add_epi32(squares, _mm256_madd_epi16(up, up));
    const __m256i beyond = _mm256_cmpgt_epi32(up, _mm256_set1_epi32(by->beyond - 1));
    const __m256i above = _mm256_cmpgt_epi32(up, _mm256_set1_epi32(by->level));
    *unsure = _mm256_or_si256(*unsure, _mm256_andnot_si256(beyond, above));
    return _mm256_blendv_epi8(squares, _mm256_set1_epi32(INT32_MAX), beyond);
}

AVX2_INLINE uint32_t find_undecided(const phx_tile_candidates *candidates, uint32_t count, uint32_t now, uint32_t old,
                                    const phx_cut_borders *by, bool tall, uint32_t *targets)
{
    const __m256i here = _mm256_set1_epi32((int)now), there = _mm256_set1_epi32((int)old);
    const __m256i listed = _mm256_set1_epi32(by->listed), unlisted = _mm256_set1_epi32(by->unlisted);
    const __m256i stays = _mm256_set1_epi32(by->stays), joins = _mm256_set1_epi32(by->joins);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i is = unit_squares(load_vector(candidates->now + i), here), unsure = _mm256_setzero_si256();
        __m256i was = unit_squares(load_vector(candidates->old + i), there);
        if (tall) {
            const __m256i own = _mm256_set1_epi32((int)by->height), low = _mm256_set1_epi32(UINT16_MAX);
            const __m256i up = _mm256_abs_epi16(_mm256_sub_epi16(load_vector(candidates->height + i), own));
            is = cut_level_squares(is, _mm256_and_si256(up, low), by, &unsure);
            was = cut_level_squares(was, _mm256_srli_epi32(up, 16), by, &unsure);
        }
        const __m256i not_comes = _mm256_or_si256(_mm256_cmpgt_epi32(listed, was), _mm256_cmpgt_epi32(is, joins));
        const __m256i not_goes = _mm256_or_si256(_mm256_cmpgt_epi32(was, unlisted), _mm256_cmpgt_epi32(stays, is));
        const uint32_t decided = lane_mask(_mm256_andnot_si256(unsure, _mm256_and_si256(not_comes, not_goes)));
        const choice some = choose_lanes(~decided & first_lane_bits(count - i));
        store_chosen_lanes(targets + n, &some, load_vector(candidates->target + i));
        n += some.count;
    }
    return n;
}

AVX2 static uint32_t find_undecided_avx2(const phx_tile_candidates *candidates, uint32_t count, uint32_t now,
                                         uint32_t old, const phx_cut_borders *by, uint32_t *targets)
{
    return candidates->height ? find_undecided(candidates, count, now, old, by, true, targets)
                              : find_undecided(candidates, count, now, old, by, false, targets);
}

AVX2 static uint32_t rank_hits_avx2(const phx_rank_source *by, uint32_t *slots, float *squares, uint32_t count,
                                    uint16_t *ranks)
{
    const __m256i of_slot = _mm256_set1_epi32((int)PHX_ROW_SLOT), low = _mm256_set1_epi32(UINT16_MAX);
    const __m256i zero = _mm256_setzero_si256(), plain = _mm256_set1_epi32(by->plain);
    const int *set = (const int *)(const void *)by->set, *rank = (const int *)(const void *)by->rank;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        const __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), lanes_from(0));
        const __m256i word = _mm256_and_si256(load_vector(slots + i), lanes), slot = _mm256_and_si256(word, of_slot);
        const __m256i special = _mm256_srai_epi32(word, 31);
        __m256i found = _mm256_and_si256(plain, lanes);
        if (!_mm256_testz_si256(special, special)) {
            const __m256i sets = _mm256_mask_i32gather_epi32(zero, set, slot, special, 4);
            const __m256i words = _mm256_mask_i32gather_epi32(zero, rank, sets, special, 2);
            found = _mm256_blendv_epi8(found, _mm256_and_si256(words, low), special);
            if (by->bound) {
                const __m256 bounds = _mm256_mask_i32gather_ps(_mm256_set1_ps(INFINITY), by->bound, sets,
                                                               _mm256_castsi256_ps(special), 4);
                const __m256 within = _mm256_cmp_ps(_mm256_loadu_ps(squares + i), bounds, _CMP_LE_OQ);
                found = _mm256_and_si256(found, _mm256_castps_si256(within));
            }
        }
        const choice of = choose_lanes(lane_mask(_mm256_cmpgt_epi32(found, zero)));
        uint32_t kept[LANES];
        const __m256 square = _mm256_loadu_ps(squares + i);
        store_chosen_lanes(kept, &of, found);
        store_chosen_lanes(slots + n, &of, slot);
        keep_floats(squares + n, &of, square);
        const __m256i halves = _mm256_packus_epi32(load_vector(kept), zero);
        _mm_storeu_si128((__m128i *)(void *)(ranks + n),
                         _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 0x08))); /* 64-bit lanes 0 and 2 */
        n += of.count;
    }
    return n;
}

/* Stores the keys of four squares; listed: lanes of 32 bits. */
AVX2_INLINE void put_keys(double *keys, __m128 squares, __m128i listed, const phx_key_rule *by)
{
    const __m256d square = _mm256_cvtps_pd(squares), lanes = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(listed));
    const __m256d other = _mm256_mul_pd(square, _mm256_set1_pd(by->sticky));
    const __m256d own = _mm256_min_pd(square, _mm256_set1_pd(by->listed_most));
    _mm256_storeu_pd(keys, _mm256_blendv_pd(other, own, lanes));
}

AVX2 static uint32_t cap_keys_avx2(const phx_key_rule *by, const uint32_t *slots, const float *squares, uint32_t count,
                                   double *keys, uint8_t *was)
{
    const __m256i own = _mm256_set1_epi32((int)by->listed), zero = _mm256_setzero_si256();
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), lanes_from(0));
        __m256i marks =
            _mm256_mask_i32gather_epi32(zero, (const int *)(const void *)by->mark, load_vector(slots + i), lanes, 4);
        __m256i in = _mm256_and_si256(_mm256_cmpeq_epi32(marks, own), lanes);
        put_keys(keys + i, _mm_loadu_ps(squares + i), _mm256_castsi256_si128(in), by);
        put_keys(keys + i + HALF, _mm_loadu_ps(squares + i + HALF), _mm256_extracti128_si256(in, 1), by);
        __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(in), _mm256_extracti128_si256(in, 1));
        __m128i bytes = _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
        _mm_storel_epi64((__m128i *)(void *)(was + i), bytes);
        n += (uint32_t)__builtin_popcount(lane_mask(in));
    }
    return n;
}

/* Stores the chosen ones of four keys; those in `sure` are written as such. */
AVX2_INLINE void keep_keys(double *to, __m128i chosen, __m256d keys, __m128i sure)
{
    const __m256d above = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(sure));
    const __m256d own = _mm256_blendv_pd(keys, _mm256_set1_pd(PHX_KEY_SURE), above);
    /* a lane of 32 bits has its number times 4 in its lowest byte: twice that is the first half of the lane of 64 bits
     */
    const __m128i bytes = _mm_and_si128(chosen, _mm_set1_epi32(UINT8_MAX));
    const __m256i first = _mm256_srli_epi64(_mm256_cvtepu32_epi64(bytes), 1);
    const __m256i second = _mm256_slli_epi64(_mm256_add_epi64(first, _mm256_set1_epi64x(1)), 32);
    const __m256i lanes = _mm256_or_si256(first, second);
    _mm256_storeu_pd(to, _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(own), lanes)));
}

/* Stores the chosen ones of eight marks. */
AVX2_INLINE void keep_marks(uint8_t *to, const choice *of, __m128i marks)
{
    uint32_t kept[LANES] = {0};
    store_chosen_lanes(kept, of, _mm256_cvtepu8_epi32(marks));
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)kept);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(kept + HALF));
    const __m128i words = _mm_packus_epi32(low, high);
    _mm_storel_epi64((__m128i *)(void *)to, _mm_packus_epi16(words, words));
}

AVX2 static phx_rank_part part_at_rank_avx2(uint32_t *slots, double *keys, uint8_t *was, const uint16_t *ranks,
                                            uint32_t count, uint16_t rank)
{
    const __m256i last = _mm256_set1_epi32(rank);
    phx_rank_part n = {0, 0};
    for (uint32_t i = 0; i < count; i += LANES) {
        const uint32_t lanes = first_lane_bits(count - i);
        const __m256i own = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(ranks + i)));
        const __m256i above = _mm256_cmpgt_epi32(own, last), below = _mm256_cmpgt_epi32(last, own);
        const choice of = choose_lanes(~lane_mask(below) & lanes);
        const __m256i slot = load_vector(slots + i);
        const __m256d low = _mm256_loadu_pd(keys + i), high = _mm256_loadu_pd(keys + i + HALF);
        const __m128i marks = _mm_loadl_epi64((const __m128i *)(const void *)(was + i));
        store_chosen_lanes(slots + n.kept, &of, slot);
        keep_keys(keys + n.kept, of.low, low, _mm256_castsi256_si128(above));
        keep_keys(keys + n.kept + of.low_count, of.high, high, _mm256_extracti128_si256(above, 1));
        keep_marks(was + n.kept, &of, marks);
        n.sure += (uint32_t)__builtin_popcount(lane_mask(above) & lanes);
        n.kept += of.count;
    }
    return n;
}

/* Counts the keys of a vector within the limit. */
AVX2_INLINE uint32_t count_keys_within(const double *keys, __m256d limit)
{
    int low = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(keys), limit, _CMP_LE_OQ));
    int high = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(keys + HALF), limit, _CMP_LE_OQ));
    return (uint32_t)(low | high << HALF);
}

AVX2 static uint32_t count_within_avx2(const double *keys, uint32_t count, double limit)
{
    const __m256d most = _mm256_set1_pd(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        n += (uint32_t)__builtin_popcount(count_keys_within(keys + i, most) & first_lane_bits(count - i));
    return n;
}

AVX2 static phx_cap_split split_at_limit_avx2(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                              double limit, uint32_t *enter, uint32_t *leave)
{
    const __m256d most = _mm256_set1_pd(limit);
    phx_cap_split n = {0, 0, 0};
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t lanes = first_lane_bits(count - i), stays = count_keys_within(keys + i, most) & lanes;
        __m128i before = _mm_loadl_epi64((const __m128i *)(const void *)(was + i));
        uint32_t in = ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(before, _mm_setzero_si128())) & lanes;
        __m256i slot = load_vector(slots + i);
        choice stay = choose_lanes(stays), enters = choose_lanes(stays & ~in), leaves = choose_lanes(in & ~stays);
        store_chosen_lanes(slots + n.stay, &stay, slot);
        store_chosen_lanes(enter + n.enter, &enters, slot);
        store_chosen_lanes(leave + n.leave, &leaves, slot);
        n = (phx_cap_split){n.stay + stay.count, n.enter + enters.count, n.leave + leaves.count};
    }
    return n;
}

/* ---- places and orders ---- */

AVX2 static uint32_t find_u32_avx2(const uint32_t *array, uint32_t count, uint32_t value)
{
    const __m256i wanted = _mm256_set1_epi32((int)value);
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        uint32_t mask = lane_mask(_mm256_cmpeq_epi32(load_vector(array + i), wanted));
        if (mask != 0) return i + (uint32_t)__builtin_ctz(mask);
    }
    while (i < count && array[i] != value) i++;
    return i;
}

AVX2 static uint32_t set_difference_avx2(const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count)
{
    return phx_missing_by(find_u32_avx2, array, count, values, value_count);
}

/* Ranks one vector of keys, as most changes have no more, against every key and some padding that comes last. */
AVX2_INLINE void rank_few_keys(const int32_t *key, uint32_t first, uint32_t *place)
{
    const __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)key);
    __m256i before = _mm256_set1_epi32((int)first);
    for (uint32_t i = 0; i < LANES; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): phx_keys_of() filled up the vector */
        const __m256i other = _mm256_set1_epi32(key[i]);
        before = _mm256_sub_epi32(before, _mm256_cmpgt_epi32(own, other));
    }
    store_vector(place, before);
}

/* The same of more keys: two vectors at a time, independent of each other. */
AVX2 static void rank_change_keys(const int32_t *key, uint32_t count, uint32_t first, uint32_t *place)
{
    for (uint32_t at = 0; at < count; at += 2 * LANES) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(key + at));
        __m256i before = _mm256_set1_epi32((int)first), before_next = before;
        __m256i next = _mm256_loadu_si256((const __m256i *)(const void *)(key + at + LANES));
        for (uint32_t i = 0; i < count; i += LANES) {
            for (uint32_t j = i; j < i + LANES; j++) {
                /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): phx_keys_of() filled up the last vectors */
                __m256i other = _mm256_set1_epi32(key[j]);
                before = _mm256_sub_epi32(before, _mm256_cmpgt_epi32(own, other));
                before_next = _mm256_sub_epi32(before_next, _mm256_cmpgt_epi32(next, other));
            }
        }
        store_vector(place + at, before);
        store_vector(place + at + LANES, before_next);
    }
}

AVX2 static void order_keys_avx2(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place)
{
    for (uint32_t c = 0, at = 0; c < of->count; at = of->end[c++]) {
        int32_t key[PHX_ORDER_SHORT_MAX + 2 * LANES]; /* the last vector may be padding alone, and is left out */
        uint32_t count = of->end[c] - at;
        phx_keys_of(by, of->targets + at, of->depths ? of->depths + at : NULL, count, key);
        _mm256_storeu_si256((__m256i *)(void *)(key + count), _mm256_set1_epi32(INT32_MAX));
        if (PHX_LIKELY(count <= LANES)) rank_few_keys(key, of->first[c], place + at);
        else rank_change_keys(key, count, of->first[c], place + at);
    }
}

/* Ranks words of 64 bits: a kind, or an id with its sign flipped, for a signed order. same: all kinds are equal. */
AVX2_INLINE void rank_names(const uint64_t *id, const uint16_t *kind, uint32_t count, bool same, uint32_t *place)
{
    int64_t ids[PHX_ORDER_SHORT_MAX + HALF], kinds[PHX_ORDER_SHORT_MAX + HALF];
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = (int64_t)(id[i] ^ 1ull << 63);
        kinds[i] = same ? 0 : kind[i];
    }
    for (uint32_t i = count; i % HALF != 0; i++) ids[i] = kinds[i] = 0;
    for (uint32_t at = 0; at < count; at += HALF) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(ids + at)), before = _mm256_setzero_si256();
        __m256i own_kind = _mm256_loadu_si256((const __m256i *)(const void *)(kinds + at));
        for (uint32_t i = 0; i < count; i++) {
            __m256i other = _mm256_set1_epi64x(kinds[i]), less = _mm256_cmpgt_epi64(own, _mm256_set1_epi64x(ids[i]));
            if (!same)
                less = _mm256_or_si256(_mm256_and_si256(less, _mm256_cmpeq_epi64(own_kind, other)),
                                       _mm256_cmpgt_epi64(own_kind, other));
            before = _mm256_sub_epi64(before, less);
        }
        __m256i words = _mm256_permutevar8x32_epi32(before, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
        _mm_storeu_si128((__m128i *)(void *)(place + at), _mm256_castsi256_si128(words));
    }
}

AVX2 static void order_avx2(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place)
{
    rank_names(id, kind, count, false, place);
}

AVX2 static void rank_words_avx2(const uint64_t *words, uint32_t count, uint32_t *place)
{
    rank_names(words, NULL, count, true, place);
}

AVX2 static uint32_t find_far_avx2(const phx_far_lanes *lanes, uint32_t count, const phx_far_query *by, uint32_t *which)
{
    return phx_far_find(lanes, count, by, which);
}

AVX2 static uint32_t find_far_observers_avx2(const phx_far_lanes *lanes, uint32_t count, const phx_far_observers *of,
                                             ph_shape shape, float height)
{
    return phx_far_find_observers(lanes, count, of, shape, height);
}

const phx_kernels phx_kernels_avx2 = {.cull_rows = cull_rows_avx2,
                                      .box_rows = phx_box_rows_avx2,
                                      .cell_offsets = cell_offsets_avx2,
                                      .indices_in_range = indices_in_range_avx2,
                                      .gather = gather_avx2,
                                      .match = phx_match_avx2,
                                      .match_stencil = phx_match_stencil_avx2,
                                      .find_undecided = find_undecided_avx2,
                                      .collect_flagged = phx_collect_flagged_avx2,
                                      .pairs_to_runs = phx_pairs_to_runs_avx2,
                                      .range_scan = range_scan_avx2,
                                      .find_due = phx_find_due_avx2,
                                      .gather_samples = phx_gather_samples_avx2,
                                      .mark_items = phx_mark_items_portable,
                                      .place_keys = phx_place_keys_portable,
                                      .plan_row_ranges = phx_plan_row_ranges_avx2,
                                      .find_view_changes = phx_find_view_changes_avx2,
                                      .find_far = find_far_avx2,
                                      .find_far_observers = find_far_observers_avx2,
                                      .rank_hits = rank_hits_avx2,
                                      .cap_keys = cap_keys_avx2,
                                      .part_at_rank = part_at_rank_avx2,
                                      .count_within = count_within_avx2,
                                      .split_at_limit = split_at_limit_avx2,
                                      .find_u32 = find_u32_avx2,
                                      .set_difference = set_difference_avx2,
                                      .order_keys = order_keys_avx2,
                                      .order = order_avx2,
                                      .rank_words = rank_words_avx2,
                                      .rank_most = 40,
                                      .merge = phx_merge_words};

#endif
