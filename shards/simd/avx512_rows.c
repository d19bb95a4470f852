/*
 * Kernels of rows for AVX-512; see avx512_rows.h and kernels.h. Float operations are the portable kernels', each
 * rounded on its own.
 */
#include "shards/simd/avx512_rows.h"

#if defined(__x86_64__)

#include "shards/simd/avx512_lanes.h"

/* The least and the greatest position along an axis, by lane. */
typedef struct axis_ends {
    __m512 low, high;
} axis_ends;

AVX512_INLINE axis_ends wider_ends_512(axis_ends of, const float *now, const float *old, __mmask16 lanes,
                                       __m512 longest_step)
{
    const __m512 at = _mm512_maskz_loadu_ps(lanes, now), step = _mm512_sub_ps(_mm512_maskz_loadu_ps(lanes, old), at);
    const __mmask16 stepped = _mm512_cmp_ps_mask(_mm512_abs_ps(step), longest_step, _CMP_LE_OQ);
    const __m512 half = _mm512_mask_add_ps(at, stepped, at, _mm512_mul_ps(step, _mm512_set1_ps(0.5f)));
    return (axis_ends){_mm512_mask_min_ps(of.low, lanes, _mm512_min_ps(at, half), of.low),
                       _mm512_mask_max_ps(of.high, lanes, _mm512_max_ps(at, half), of.high)};
}

AVX512 phx_box phx_box_rows_avx512(const phx_grid_rows *rows, phx_span span, float longest_step)
{
    const __m512 longest = _mm512_set1_ps(longest_step);
    axis_ends x = {_mm512_set1_ps(INFINITY), _mm512_set1_ps(-INFINITY)}, y = x;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        const __mmask16 lanes = first_lane_mask(span.end - i);
        x = wider_ends_512(x, rows->x + i, rows->ox + i, lanes, longest);
        y = wider_ends_512(y, rows->y + i, rows->oy + i, lanes, longest);
    }
    return (phx_box){_mm512_reduce_min_ps(x.low), _mm512_reduce_min_ps(y.low), _mm512_reduce_max_ps(x.high),
                     _mm512_reduce_max_ps(y.high)};
}

/* A querying row, in registers: all lanes alike. */
typedef struct stepper {
    __m512 x, y, ox, oy, r, before; /* radii: squared for circles */
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
    __mmask16 was_a = positions_in_view_512(rows->ox + i, rows->oy + i, by->ox, by->oy, by->before, square);
    __mmask16 was_b = positions_in_view_512(rows->ox + j, rows->oy + j, by->ox, by->oy, by->before, square);
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
AVX512_INLINE uint32_t find_row_changes_512(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                            const phx_view_range *limit, bool square, const phx_view_changes *out)
{
    const phx_grid_rows at = *rows;
    const __m512 r = _mm512_set1_ps(square ? limit->r : limit->r * limit->r);
    const __m512 before = _mm512_set1_ps(square ? limit->before : limit->before * limit->before);
    const bool short_ranges = ranges->length <= (uint64_t)ranges->count * 2 * LANES;
    uint32_t n = 0;
    for (uint32_t l = some.first; l < some.end; l++) {
        const uint32_t row = ranges->row[l], end = ranges->end[l];
        const stepper by = {_mm512_set1_ps(at.x[row]),
                            _mm512_set1_ps(at.y[row]),
                            _mm512_set1_ps(at.ox[row]),
                            _mm512_set1_ps(at.oy[row]),
                            r,
                            before};
        const __m512i querying = _mm512_set1_epi32((int)row);
        const uint32_t first = ranges->first[l];
        uint32_t i = first, written = n;
        for (; PHX_UNLIKELY(end - i > 2 * LANES); i += 2 * LANES)
            n = put_view_changes_512(i, view_change_masks_512(&at, i, 2 * LANES, &by, square), n, out->row);
        crossing_rows last = view_change_masks_512(&at, i, end - i, &by, square);
        if (short_ranges && last.crossed == 0 && i == first) continue;
        n = put_view_changes_512(i, last, n, out->row);
        do _mm512_storeu_si512(out->by + written, querying);
        while (PHX_UNLIKELY((written += LANES) < n));
    }
    return n;
}

AVX512 uint32_t phx_find_view_changes_avx512(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                             const phx_view_range *limit, const phx_view_changes *out)
{
    if (limit->square) return find_row_changes_512(rows, ranges, some, limit, true, out);
    return find_row_changes_512(rows, ranges, some, limit, false, out);
}

/* Towers along one axis, and the view, in registers. */
typedef struct axis {
    __m512 origin, size, last, reach;
    __m512i first; /* of the block */
} axis;

AVX512_INLINE axis axis_of(const phx_lookup *lookup, int which, uint32_t block)
{
    const phx_rules *rules = lookup->rules;
    return (axis){_mm512_set1_ps(rules->origin[which]), _mm512_set1_ps(rules->tower_size),
                  _mm512_set1_ps((float)(rules->towers[which] - 1)), _mm512_set1_ps(phx_box_reach(lookup->reach)),
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
AVX512_INLINE void put_spilled_rows_512(phx_row_ranges *ranges, uint32_t axes, __mmask16 lanes, __m512i row)
{
    store_lanes(ranges->beyond[axes] + ranges->beyond_count[axes], lanes, row);
    ranges->beyond_count[axes] += (uint32_t)__builtin_popcount(lanes);
}

/* A row of towers at a time, of all lanes. */
AVX512 void phx_plan_row_ranges_avx512(const phx_grid_rows *rows, const phx_lookup *lookup,
                                       const uint32_t *observer_rows, uint32_t count, phx_row_ranges *ranges)
{
    const phx_block *block = lookup->block;
    const axis across = axis_of(lookup, 0, block->bx), down = axis_of(lookup, 1, block->by);
    const per_tower starts = per_tower_of(block->start), ends = per_tower_of(block->start + 1);
    const __m512i first = _mm512_set1_epi32((int)lookup->at.first), end = _mm512_set1_epi32((int)lookup->at.end);
    __m512i all = _mm512_setzero_si512();
    uint32_t n = 0;
    for (uint32_t b = 0; b < PHX_BEYONDS; b++) ranges->beyond_count[b] = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lane_mask(count - i);
        __m512i row = _mm512_maskz_loadu_epi32(lanes, observer_rows + i), length = _mm512_setzero_si512();
        sides x = tower_sides_512(&across, _mm512_i32gather_ps(row, rows->x, sizeof(float)));
        sides y = tower_sides_512(&down, _mm512_i32gather_ps(row, rows->y, sizeof(float)));
        put_spilled_rows_512(ranges, PHX_SPILL_X, x.beyond & lanes, row);
        put_spilled_rows_512(ranges, PHX_SPILL_Y, y.beyond & lanes, row);
        put_spilled_rows_512(ranges, PHX_SPILL_BOTH, x.beyond & y.beyond & lanes, row);
        lanes = _mm512_mask_cmple_epi32_mask(lanes, x.low, x.high);
        while ((lanes = _mm512_mask_cmple_epi32_mask(lanes, y.low, y.high)) != 0) {
            __m512i line = _mm512_slli_epi32(y.low, PHX_BLOCK_BITS);
            __m512i from = _mm512_max_epu32(of_towers(&starts, _mm512_add_epi32(line, x.low)), first);
            __m512i to = _mm512_min_epu32(of_towers(&ends, _mm512_add_epi32(line, x.high)), end);
            __mmask16 some = _mm512_mask_cmplt_epu32_mask(lanes, from, to);
            store_lanes(ranges->row + n, some, row);
            store_lanes(ranges->first + n, some, from);
            store_lanes(ranges->end + n, some, to);
            length = _mm512_mask_add_epi32(length, some, length, _mm512_sub_epi32(to, from));
            n += (uint32_t)__builtin_popcount(some);
            y.low = _mm512_add_epi32(y.low, _mm512_set1_epi32(1));
        }
        all = _mm512_add_epi64(all, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(length)));
        all = _mm512_add_epi64(all, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(length, 1)));
    }
    ranges->count = n;
    ranges->length = (uint64_t)_mm512_reduce_add_epi64(all);
}

#endif
