/*
 * The kernels for AVX-512; see kernels.h. Float operations are the portable kernels', each rounded
 * on its own. Compiled for the instruction set function by function and chosen at run time, so one
 * binary runs on any x86-64. Lanes beyond a range are read (arrays are padded) and masked out.
 */
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"

#if defined(__x86_64__)

#include "shards/simd/avx512.h"
#include "shards/simd/avx512_lanes.h"
#include "shards/simd/avx512_match.h"
#include "shards/simd/avx512_merge.h"
#include "shards/simd/avx512_stencil.h"

/* The mid-step position, if now and before are one step apart; else the current position. */
AVX512_INLINE __m512 mid_step_512(__m512 now, __m512 old, __m512 stride)
{
    __m512 step = _mm512_sub_ps(old, now);
    __mmask16 stepped = _mm512_cmp_ps_mask(_mm512_abs_ps(step), stride, _CMP_LE_OQ);
    return _mm512_mask_add_ps(now, stepped, now, _mm512_mul_ps(step, _mm512_set1_ps(0.5f)));
}

AVX512 static uint32_t pick_avx512(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                                   const phx_tile_frame *frame, const phx_tile_rows *to)
{
    const __m512 zx = _mm512_set1_ps(frame->x), zy = _mm512_set1_ps(frame->y), scale = _mm512_set1_ps(frame->scale);
    const __m512 width = _mm512_set1_ps(frame->width), height = _mm512_set1_ps(frame->height);
    const __m512 least = _mm512_set1_ps(frame->low), stride = _mm512_set1_ps(frame->stride);
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
            __m512 hx = mid_step_512(fx, gx, stride), hy = mid_step_512(fy, gy, stride);
            __mmask16 in = first_lane_mask(spans[s].end - i);
            in = _mm512_mask_cmp_ps_mask(in, hx, least, _CMP_GE_OQ);
            in = _mm512_mask_cmp_ps_mask(in, hx, width, _CMP_LT_OQ);
            in = _mm512_mask_cmp_ps_mask(in, hy, least, _CMP_GE_OQ);
            in = _mm512_mask_cmp_ps_mask(in, hy, height, _CMP_LT_OQ);
            __m512i x = _mm512_cvttps_epi32(fx), y = _mm512_cvttps_epi32(fy);
            __m512i ox = _mm512_cvttps_epi32(gx), oy = _mm512_cvttps_epi32(gy);
            __mmask16 away = _mm512_cmp_ps_mask(gx, gx, _CMP_UNORD_Q); /* it has no old position */
            ox = _mm512_mask_add_epi32(ox, away, x, _mm512_set1_epi32(PHX_TILE_AWAY));
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

AVX512 static uint32_t within_rows_avx512(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places)
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
        n += length;
    }
    return n;
}

AVX512 static uint32_t unsure_avx512(const phx_pairs *pairs, uint32_t *which)
{
    const __m512i flag = _mm512_set1_epi32((int)PHX_PAIR_UNSURE);
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i += LANES) {
        __mmask16 lanes = first_lane_mask(pairs->count - i);
        __mmask16 some = _mm512_mask_test_epi32_mask(lanes, _mm512_loadu_si512(pairs->observer + i), flag);
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

AVX512 static void resolve_avx512(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                                  phx_observer_runs *runs)
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

/* ---- sparse plan ---- */

/* A querying row, in registers: all lanes alike. */
typedef struct stepper {
    __m512 x, y, ox, oy, r; /* r: squared for circles */
} stepper;

/* The positions of a vector in range of a position, with any sign. */
AVX512_INLINE __mmask16 positions_in_view_512(const float *x, const float *y, __m512 px, __m512 py, __m512 r,
                                              bool square)
{
    __m512 dx = _mm512_sub_ps(px, _mm512_loadu_ps(x)), dy = _mm512_sub_ps(py, _mm512_loadu_ps(y));
    if (square)
        return _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(_mm512_abs_ps(dx), r, _CMP_LE_OQ), _mm512_abs_ps(dy), r,
                                       _CMP_LE_OQ);
    return _mm512_cmp_ps_mask(_mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy)), r, _CMP_LE_OQ);
}

/* Of up to two vectors of rows: rows that are in view now or were before, not both; and rows that were before. */
typedef struct crossing_rows {
    uint32_t crossed, was;
} crossing_rows;

AVX512_INLINE crossing_rows view_change_masks_512(const phx_grid_rows *rows, uint32_t i, uint32_t count,
                                                  const stepper *by, bool square)
{
    const uint32_t j = i + LANES, have = (uint32_t)((UINT64_C(1) << count) - 1);
    __mmask16 was_a = positions_in_view_512(rows->ox + i, rows->oy + i, by->ox, by->oy, by->r, square);
    __mmask16 was_b = positions_in_view_512(rows->ox + j, rows->oy + j, by->ox, by->oy, by->r, square);
    __mmask16 is_a = positions_in_view_512(rows->x + i, rows->y + i, by->x, by->y, by->r, square);
    __mmask16 is_b = positions_in_view_512(rows->x + j, rows->y + j, by->x, by->y, by->r, square);
    uint32_t was = _mm512_kunpackw(was_b, was_a);
    return (crossing_rows){(was ^ _mm512_kunpackw(is_b, is_a)) & have, was};
}

/* Puts changes behind n. Returns the new n. */
AVX512_INLINE uint32_t put_view_changes_512(uint32_t i, crossing_rows some, uint32_t n, uint32_t *row)
{
    const __m512i leave = _mm512_set1_epi32((int)PHX_PAIR_LEAVE);
    __m512i a = lanes_from_512(i), b = lanes_from_512(i + LANES);
    store_lanes(row + n, (__mmask16)some.crossed, _mm512_mask_or_epi32(a, (__mmask16)some.was, a, leave));
    n += (uint32_t)__builtin_popcount((uint16_t)some.crossed);
    store_lanes(row + n, (__mmask16)(some.crossed >> LANES),
                _mm512_mask_or_epi32(b, (__mmask16)(some.was >> LANES), b, leave));
    return n + (uint32_t)__builtin_popcount(some.crossed >> LANES);
}

/* With few rows mostly none crossed; with many, no branch depends on a crossing, which is not predictable. */
AVX512_INLINE uint32_t find_row_changes_512(const phx_grid_rows *rows, const phx_row_ranges *looks, phx_span some,
                                            float r, bool square, const phx_view_changes *out)
{
    const phx_grid_rows at = *rows;
    const __m512 limit = _mm512_set1_ps(square ? r : r * r);
    const bool few = looks->length <= (uint64_t)looks->count * 2 * LANES;
    uint32_t n = 0;
    for (uint32_t l = some.first; l < some.end; l++) {
        const uint32_t row = looks->row[l], end = looks->end[l];
        const stepper by = {_mm512_set1_ps(at.x[row]), _mm512_set1_ps(at.y[row]), _mm512_set1_ps(at.ox[row]),
                            _mm512_set1_ps(at.oy[row]), limit};
        const __m512i looking = _mm512_set1_epi32((int)row);
        const uint32_t first = looks->first[l];
        uint32_t i = first, told = n;
        for (; PHX_UNLIKELY(end - i > 2 * LANES); i += 2 * LANES)
            n = put_view_changes_512(i, view_change_masks_512(&at, i, 2 * LANES, &by, square), n, out->row);
        crossing_rows last = view_change_masks_512(&at, i, end - i, &by, square);
        if (few && last.crossed == 0 && i == first) continue;
        n = put_view_changes_512(i, last, n, out->row);
        do _mm512_storeu_si512(out->by + told, looking);
        while (PHX_UNLIKELY((told += LANES) < n));
    }
    return n;
}

AVX512 static uint32_t crossed_avx512(const phx_grid_rows *rows, const phx_row_ranges *looks, phx_span some,
                                      const phx_view_range *limit, const phx_view_changes *out)
{
    if (limit->square) return find_row_changes_512(rows, looks, some, limit->r, true, out);
    return find_row_changes_512(rows, looks, some, limit->r, false, out);
}

/* Towers along one axis, and the view, in registers. */
typedef struct axis {
    __m512 origin, size, last, reach;
    __m512i first; /* of the block */
} axis;

AVX512_INLINE axis axis_of(const phx_lookup *sight, int which, uint32_t block)
{
    const phx_rules *rules = sight->rules;
    return (axis){_mm512_set1_ps(rules->origin[which]), _mm512_set1_ps(rules->tower_size),
                  _mm512_set1_ps((float)(rules->towers[which] - 1)), _mm512_set1_ps(phx_box_reach(sight->reach)),
                  _mm512_set1_epi32((int)(block << PHX_BLOCK_BITS))};
}

/* Tower indices of positions, counted from the block's first tower. */
AVX512_INLINE __m512i tower_indices_512(const axis *along, __m512 p)
{
    __m512 q = _mm512_div_ps(_mm512_sub_ps(p, along->origin), along->size);
    q = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(q, _mm512_setzero_ps(), _CMP_GT_OQ), q);
    return _mm512_sub_epi32(_mm512_cvttps_epi32(_mm512_min_ps(q, along->last)), along->first);
}

/* Towers of a block in the rows' views along one axis; and rows with views beyond the block. */
typedef struct sides {
    __m512i low, high;
    __mmask16 beyond;
} sides;

/* As phx_box_around() and phx_box_towers() do it. */
AVX512_INLINE sides tower_sides_512(const axis *along, __m512 p)
{
    const __m512i most = _mm512_set1_epi32(PHX_BLOCK_SIDE - 1);
    __m512 off = _mm512_mul_ps(_mm512_add_ps(_mm512_abs_ps(p), along->reach), _mm512_set1_ps(PHX_BOX_ROUNDING));
    off = _mm512_add_ps(along->reach, off);
    __m512i low = tower_indices_512(along, _mm512_sub_ps(p, off)),
            high = tower_indices_512(along, _mm512_add_ps(p, off));
    return (sides){_mm512_max_epi32(low, _mm512_setzero_si512()), _mm512_min_epi32(high, most),
                   _mm512_movepi32_mask(low) | _mm512_cmpgt_epi32_mask(high, most)};
}

/* Values of 64 towers, in registers. */
typedef struct per_tower {
    __m512i at[PHX_BLOCK_TOWERS / LANES];
} per_tower;

AVX512_INLINE per_tower per_tower_of(const uint32_t *from)
{
    return (per_tower){{_mm512_loadu_si512(from), _mm512_loadu_si512(from + LANES),
                        _mm512_loadu_si512(from + 2 * LANES), _mm512_loadu_si512(from + 3 * LANES)}};
}

AVX512_INLINE __m512i of_towers(const per_tower *of, __m512i tower)
{
    __mmask16 high = _mm512_test_epi32_mask(tower, _mm512_set1_epi32(2 * LANES));
    return _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(of->at[0], tower, of->at[1]), high,
                                 _mm512_permutex2var_epi32(of->at[2], tower, of->at[3]));
}

/* Appends rows with views beyond the block. */
AVX512_INLINE void put_spilled_rows_512(phx_row_ranges *looks, uint32_t axes, __mmask16 lanes, __m512i row)
{
    store_lanes(looks->beyond[axes] + looks->beyond_count[axes], lanes, row);
    looks->beyond_count[axes] += (uint32_t)__builtin_popcount(lanes);
}

/* A row of towers at a time, of all lanes. */
AVX512 static void look_avx512(const phx_grid_rows *rows, const phx_lookup *sight, const uint32_t *who, uint32_t count,
                               phx_row_ranges *looks)
{
    const phx_block *block = sight->block;
    const axis across = axis_of(sight, 0, block->bx), down = axis_of(sight, 1, block->by);
    const per_tower starts = per_tower_of(block->start), ends = per_tower_of(block->start + 1);
    const __m512i first = _mm512_set1_epi32((int)sight->at.first), end = _mm512_set1_epi32((int)sight->at.end);
    __m512i all = _mm512_setzero_si512();
    uint32_t n = 0;
    for (uint32_t b = 0; b < PHX_BEYONDS; b++) looks->beyond_count[b] = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i);
        __m512i row = _mm512_maskz_loadu_epi32(lanes, who + i), length = _mm512_setzero_si512();
        sides x = tower_sides_512(&across, _mm512_i32gather_ps(row, rows->x, sizeof(float)));
        sides y = tower_sides_512(&down, _mm512_i32gather_ps(row, rows->y, sizeof(float)));
        put_spilled_rows_512(looks, PHX_SPILL_X, x.beyond & lanes, row);
        put_spilled_rows_512(looks, PHX_SPILL_Y, y.beyond & lanes, row);
        put_spilled_rows_512(looks, PHX_SPILL_BOTH, x.beyond & y.beyond & lanes, row);
        lanes = _mm512_mask_cmple_epi32_mask(lanes, x.low, x.high);
        while ((lanes = _mm512_mask_cmple_epi32_mask(lanes, y.low, y.high)) != 0) {
            __m512i line = _mm512_slli_epi32(y.low, PHX_BLOCK_BITS);
            __m512i from = _mm512_max_epu32(of_towers(&starts, _mm512_add_epi32(line, x.low)), first);
            __m512i to = _mm512_min_epu32(of_towers(&ends, _mm512_add_epi32(line, x.high)), end);
            __mmask16 some = _mm512_mask_cmplt_epu32_mask(lanes, from, to);
            store_lanes(looks->row + n, some, row);
            store_lanes(looks->first + n, some, from);
            store_lanes(looks->end + n, some, to);
            length = _mm512_mask_add_epi32(length, some, length, _mm512_sub_epi32(to, from));
            n += (uint32_t)__builtin_popcount(some);
            y.low = _mm512_add_epi32(y.low, _mm512_set1_epi32(1));
        }
        all = _mm512_add_epi64(all, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(length)));
        all = _mm512_add_epi64(all, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(length, 1)));
    }
    looks->count = n;
    looks->length = (uint64_t)_mm512_reduce_add_epi64(all);
}

/* ---- areas and caps ---- */

AVX512 static uint32_t scan_avx512(const phx_grid_rows *rows, phx_span span, const phx_range *area, uint32_t *slots,
                                   float *squares)
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

AVX512 static uint32_t nearer_avx512(uint32_t *slots, float *squares, uint32_t count, float limit)
{
    const __m512 most = _mm512_set1_ps(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i);
        __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        __m512 square = _mm512_maskz_loadu_ps(lanes, squares + i);
        __mmask16 stays = _mm512_mask_cmp_ps_mask(lanes, square, most, _CMP_LE_OQ) | _mm512_movepi32_mask(slot);
        store_lanes(slots + n, stays, slot);
        _mm512_storeu_ps(squares + n, _mm512_maskz_compress_ps(stays, square));
        n += (uint32_t)__builtin_popcount(stays);
    }
    return n;
}

AVX512 static uint32_t weigh_avx512(const uint32_t *mark, uint32_t listed, const uint32_t *slots, const float *squares,
                                    uint32_t count, double sticky, double *keys, uint8_t *was)
{
    const __m512i own = _mm512_set1_epi32((int)listed), zero = _mm512_setzero_si512();
    const __m512d same = _mm512_set1_pd(1.0), more = _mm512_set1_pd(sticky);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i);
        __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        __m512i marks = _mm512_mask_i32gather_epi32(zero, lanes, slot, mark, 4);
        __mmask16 in = _mm512_mask_cmpeq_epi32_mask(lanes, marks, own);
        __m256 low = _mm256_loadu_ps(squares + i), high = _mm256_loadu_ps(squares + i + LANES / 2);
        _mm512_storeu_pd(keys + i, _mm512_mul_pd(_mm512_cvtps_pd(low), _mm512_mask_mov_pd(more, (__mmask8)in, same)));
        _mm512_storeu_pd(keys + i + LANES / 2,
                         _mm512_mul_pd(_mm512_cvtps_pd(high), _mm512_mask_mov_pd(more, (__mmask8)(in >> 8), same)));
        _mm_storeu_si128((__m128i *)(void *)(was + i), _mm_maskz_set1_epi8(in, 1));
        n += (uint32_t)__builtin_popcount(in);
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

AVX512 static uint32_t within_avx512(const double *keys, uint32_t count, double limit)
{
    const __m512d most = _mm512_set1_pd(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        n += (uint32_t)__builtin_popcount(keys_within_mask(keys + i, most) & first_lane_mask(count - i));
    return n;
}

AVX512 static phx_cap_split divide_avx512(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                          double limit, uint32_t *enter, uint32_t *leave)
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
AVX512 static uint32_t find_avx512(const uint32_t *array, uint32_t count, uint32_t value)
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
AVX512 static uint32_t missing_avx512(const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count)
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

/* The words at an offset in names; indexes count 8 bytes. */
AVX512_INLINE __m512i name_words(const phx_name *name, size_t offset, __m512i index, __mmask16 lanes)
{
    return _mm512_mask_i32gather_epi32(index, lanes, index, (const char *)name + offset, 8);
}

/* Targets' kinds and id bits, kinds in front; bits beyond the key have to be cut off. */
AVX512_INLINE __m512i kinds_and_ids(const phx_sort_key_format *by, __m512i target, __mmask16 lanes)
{
    _Static_assert(sizeof(phx_name) == 2 * 8, "an index counts halves of a name");
    _Static_assert((uint64_t)PHX_SLOTS_MAX * 2 - 1 <= INT32_MAX, "every slot has an index, which has a sign");
    __m512i slot = _mm512_and_si512(target, _mm512_set1_epi32((int)PHX_ROW_SLOT)), index = _mm512_add_epi32(slot, slot);
    __m512i id = name_words(by->name, offsetof(phx_name, id), index, lanes);
    id = _mm512_and_si512(id, _mm512_set1_epi32((int)((UINT32_C(1) << by->bits) - 1)));
    if (by->kinds == 0) return id;
    __m512i kind = name_words(by->name, offsetof(phx_name, kind), index, lanes);
    kind = _mm512_and_si512(kind, _mm512_set1_epi32(UINT16_MAX)); /* the consumer follows it */
    return _mm512_or_si512(id, _mm512_sll_epi32(kind, _mm_cvtsi32_si128((int)by->bits)));
}

/*
 * Keys are words of 32 bits or, where their differing bits fit, short ones of 16. The functions below do both: `shorts`
 * is a constant where they are inlined.
 */
enum { SHORTS = 2 * LANES };

/* Stores the keys of a vector of targets; lanes without a target get any key. */
AVX512_INLINE void store_keys(const phx_sort_key_format *by, __m512i target, __mmask16 lanes, bool shorts,
                              int32_t *words, uint32_t at)
{
    const __m512i sign = _mm512_set1_epi32(shorts ? 1 << 15 : INT32_MIN);
    __m512i key = _mm512_andnot_si512(sign, kinds_and_ids(by, target, lanes));
    __m512i leave = shorts ? _mm512_srli_epi32(target, 15) : _mm512_add_epi32(target, target); /* PHX_TARGET_LEAVE */
    key = _mm512_or_si512(key, _mm512_and_si512(leave, sign));
    if (shorts) _mm256_storeu_si256((__m256i *)(void *)((int16_t *)(void *)words + at), _mm512_cvtepi32_epi16(key));
    else _mm512_storeu_si512(words + at, key);
}

/* Loads a vector of keys, of which so many are valid: the others come last. */
AVX512_INLINE __m512i load_keys(const int32_t *words, uint32_t at, uint32_t count, bool shorts)
{
    if (!shorts) return _mm512_mask_loadu_epi32(_mm512_set1_epi32(INT32_MAX), first_lane_mask(count), words + at);
    __mmask32 lanes = count >= SHORTS ? UINT32_MAX : _bzhi_u32(UINT32_MAX, count);
    return _mm512_mask_loadu_epi16(_mm512_set1_epi16(INT16_MAX), lanes, (const int16_t *)(const void *)words + at);
}

AVX512_INLINE __m512i add_keys(__m512i a, __m512i b, bool shorts)
{
    return shorts ? _mm512_add_epi16(a, b) : _mm512_add_epi32(a, b);
}

/* Adds one where a key is greater than the key in one lane of others. */
AVX512_INLINE __m512i count_lane(__m512i before, __m512i own, __m512i others, __m512i lane, bool shorts)
{
    if (shorts) {
        __mmask32 greater = _mm512_cmpgt_epi16_mask(own, _mm512_permutexvar_epi16(lane, others));
        return _mm512_mask_add_epi16(before, greater, before, _mm512_set1_epi16(1));
    }
    __mmask16 greater = _mm512_cmpgt_epi32_mask(own, _mm512_permutexvar_epi32(lane, others));
    return _mm512_mask_add_epi32(before, greater, before, _mm512_set1_epi32(1));
}

enum { SUMS = 4 }; /* sums side by side: they do not wait for each other */

/* Adds, for each of `vectors`, the keys of one vector (`count` valid ones) that come before it. */
AVX512_INLINE void count_before(__m512i keys, uint32_t count, const __m512i *own, uint32_t vectors, bool shorts,
                                __m512i before[][SUMS])
{
    const __m512i step = shorts ? _mm512_set1_epi16(SUMS) : _mm512_set1_epi32(SUMS);
    __m512i lane[SUMS];
    for (uint32_t s = 0; s < SUMS; s++) lane[s] = shorts ? _mm512_set1_epi16((short)s) : _mm512_set1_epi32((int)s);
#pragma GCC unroll 1 /* else lanes are extracted one by one */
    for (uint32_t i = 0; i < count; i += SUMS) {
        for (uint32_t s = 0; s < SUMS; s++) {
            for (uint32_t v = 0; v < vectors; v++)
                before[v][s] = count_lane(before[v][s], own[v], keys, lane[s], shorts);
            lane[s] = add_keys(lane[s], step, shorts);
        }
    }
}

/* The number of keys, of so many, from the first of a vector on. */
AVX512_INLINE uint32_t keys_from(uint32_t first, uint32_t count)
{
    return first < count ? count - first : 0;
}

/* The places of one change's targets, with keys in at most `vectors` vectors, each against each. */
AVX512_INLINE void rank_change_keys_512(const int32_t *words, uint32_t at, uint32_t count, uint32_t vectors,
                                        bool shorts, __m512i first, uint32_t *place)
{
    const uint32_t lanes = shorts ? SHORTS : LANES;
    __m512i own[PHX_ORDER_FEW / LANES], before[PHX_ORDER_FEW / LANES][SUMS];
    for (uint32_t v = 0; v < vectors; v++) {
        own[v] = load_keys(words, at + v * lanes, keys_from(v * lanes, count), shorts);
        for (uint32_t s = 0; s < SUMS; s++) before[v][s] = _mm512_setzero_si512();
    }
    for (uint32_t v = 0; v < vectors; v++) {
        uint32_t some = v + 1 < vectors ? lanes : keys_from(v * lanes, count);
        count_before(own[v], some, own, vectors, shorts, before);
    }
    for (uint32_t v = 0; v < vectors; v++, place += lanes) {
        __m512i all = add_keys(add_keys(before[v][0], before[v][1], shorts),
                               add_keys(before[v][2], before[v][3], shorts), shorts);
        __m512i low = shorts ? _mm512_cvtepu16_epi32(_mm512_castsi512_si256(all)) : all;
        _mm512_storeu_si512(place, _mm512_add_epi32(low, first));
        if (!shorts) continue;
        __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(all, 1));
        _mm512_storeu_si512(place + LANES, _mm512_add_epi32(high, first));
    }
}

AVX512_INLINE void order_changes(const phx_sort_key_format *by, const phx_unsorted_events *of, bool shorts,
                                 uint32_t *place)
{
    int32_t words[PHX_ORDER_MOST + PHX_ORDER_FEW];
    const uint32_t total = of->count > 0 ? of->end[of->count - 1] : 0;
    PHX_ASSERT(total <= PHX_ORDER_MOST);
    for (uint32_t i = 0; i < total; i += LANES) {
        __mmask16 lanes = first_lane_mask(total - i);
        store_keys(by, _mm512_maskz_loadu_epi32(lanes, of->targets + i), lanes, shorts, words, i);
    }
    for (uint32_t c = 0, at = 0; c < of->count; at = of->end[c++]) {
        const __m512i first = _mm512_set1_epi32((int)of->first[c]);
        const uint32_t count = of->end[c] - at, one = shorts ? SHORTS : LANES;
        if (PHX_LIKELY(count <= one)) rank_change_keys_512(words, at, count, 1, shorts, first, place + at);
        else if (count <= 2 * one) rank_change_keys_512(words, at, count, 2, shorts, first, place + at);
        else rank_change_keys_512(words, at, count, PHX_ORDER_FEW / one, shorts, first, place + at);
    }
}

AVX512 static void order_keys_avx512(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place)
{
    /* bits in which keys differ: up to 15, and one for leaves, fit a short key */
    const uint64_t bits = (uint64_t)by->kinds << by->bits | ((UINT64_C(1) << by->bits) - 1);
    if (bits <= INT16_MAX) order_changes(by, of, true, place);
    else order_changes(by, of, false, place);
}

enum { IDS = 8 }; /* ids in a vector */

/* Counts, for each of so many vectors of ids, the ids that come before it. same: all kinds are equal. */
AVX512_INLINE void rank_names_512(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t vectors, bool same,
                                  uint32_t *place)
{
    __m512i ids[PHX_ORDER_FEW / IDS], kinds[PHX_ORDER_FEW / IDS];
    for (uint32_t v = 0; v < vectors; v++) {
        uint32_t left = count - v * IDS;
        __mmask8 lanes = left >= IDS ? 0xff : (__mmask8)((1u << left) - 1);
        const __m512i last = _mm512_set1_epi64(-1); /* comes last */
        ids[v] = _mm512_mask_loadu_epi64(last, lanes, id + v * IDS);
        if (!same) kinds[v] = _mm512_mask_cvtepu16_epi64(last, lanes, _mm_maskz_loadu_epi16(lanes, kind + v * IDS));
    }
    for (uint32_t i = 0; i < count; i++) {
        const __m512i own = _mm512_set1_epi64((long long)id[i]);
        const __m512i own_kind = same ? own : _mm512_set1_epi64(kind[i]);
        uint32_t before = 0;
        for (uint32_t v = 0; v < vectors; v++) {
            __mmask8 less = _mm512_cmplt_epu64_mask(ids[v], own);
            if (!same)
                less = (__mmask8)((less & _mm512_cmpeq_epi64_mask(kinds[v], own_kind)) |
                                  _mm512_cmplt_epu64_mask(kinds[v], own_kind));
            before += (uint32_t)__builtin_popcount(less);
        }
        place[i] = before;
    }
}

AVX512 static void order_avx512(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place)
{
    const uint32_t vectors = (count + IDS - 1) / IDS;
    bool same = true;
    for (uint32_t i = 1; i < count; i++) same &= kind[i] == kind[0];
    if (same) rank_names_512(id, kind, count, vectors, true, place);
    else rank_names_512(id, kind, count, vectors, false, place);
}

AVX512 static void rank_avx512(const uint64_t *words, uint32_t count, uint32_t *place)
{
    if (count <= IDS) rank_names_512(words, NULL, count, 1, true, place);
    else rank_names_512(words, NULL, count, (count + IDS - 1) / IDS, true, place);
}

const phx_kernels phx_kernels_avx512 = {.cull_rows = pick_avx512,
                                        .cell_offsets = phx_starts_avx512,
                                        .indices_in_range = within_rows_avx512,
                                        .gather = gather_avx512,
                                        .match = phx_match_avx512,
                                        .match_stencil = phx_match_sparse_avx512,
                                        .collect_unsure = unsure_avx512,
                                        .pairs_to_runs = resolve_avx512,
                                        .range_scan = scan_avx512,
                                        .plan_row_ranges = look_avx512,
                                        .find_view_changes = crossed_avx512,
                                        .keep_within = nearer_avx512,
                                        .cap_keys = weigh_avx512,
                                        .count_within = within_avx512,
                                        .split_at_limit = divide_avx512,
                                        .find_u32 = find_avx512,
                                        .set_difference = missing_avx512,
                                        .order_keys = order_keys_avx512,
                                        .order = order_avx512,
                                        .rank_words = rank_avx512,
                                        .rank_most = 48,
                                        .merge = phx_merge_avx512};

#endif
