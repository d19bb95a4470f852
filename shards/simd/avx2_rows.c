/*
 * Kernels of rows for AVX2; see avx2_rows.h and kernels.h. Float operations are the portable kernels', each rounded
 * on its own.
 */
#include "shards/simd/avx2_rows.h"

#if defined(__x86_64__)

#include "shards/simd/avx2_lanes.h"

/* The least and the greatest position along an axis, by lane. */
typedef struct axis_ends {
    __m256 low, high;
} axis_ends;

AVX2_INLINE axis_ends wider_ends(axis_ends of, const float *now, const float *old, __m256i lanes, __m256 longest_step)
{
    const __m256 at = _mm256_maskload_ps(now, lanes), step = _mm256_sub_ps(_mm256_maskload_ps(old, lanes), at);
    const __m256 stepped = _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), step), longest_step, _CMP_LE_OQ);
    const __m256 mid = _mm256_add_ps(at, _mm256_mul_ps(step, _mm256_set1_ps(0.5f)));
    const __m256 half = _mm256_blendv_ps(at, mid, stepped), some = _mm256_castsi256_ps(lanes);
    return (axis_ends){_mm256_blendv_ps(of.low, _mm256_min_ps(_mm256_min_ps(at, half), of.low), some),
                       _mm256_blendv_ps(of.high, _mm256_max_ps(_mm256_max_ps(at, half), of.high), some)};
}

/* The least of two lanes that are four, two and one apart: of all. */
AVX2_INLINE float least_lane(__m256 v)
{
    __m128 least = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    least = _mm_min_ps(least, _mm_movehl_ps(least, least));
    return _mm_cvtss_f32(_mm_min_ss(least, _mm_movehdup_ps(least)));
}

AVX2_INLINE float greatest_lane(__m256 v)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return -least_lane(_mm256_xor_ps(v, sign));
}

AVX2 phx_box phx_box_rows_avx2(const phx_grid_rows *rows, phx_span span, float longest_step)
{
    const __m256 longest = _mm256_set1_ps(longest_step);
    axis_ends x = {_mm256_set1_ps(INFINITY), _mm256_set1_ps(-INFINITY)}, y = x;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        const __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(span.end - i)), lanes_from(0));
        x = wider_ends(x, rows->x + i, rows->ox + i, lanes, longest);
        y = wider_ends(y, rows->y + i, rows->oy + i, lanes, longest);
    }
    return (phx_box){least_lane(x.low), least_lane(y.low), greatest_lane(x.high), greatest_lane(y.high)};
}

/* The positions of a vector in range of a position. r: squared for circles. */
AVX2_INLINE __m256 positions_in_view(const float *x, const float *y, __m256 px, __m256 py, __m256 r, bool square)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 dx = _mm256_sub_ps(px, _mm256_loadu_ps(x)), dy = _mm256_sub_ps(py, _mm256_loadu_ps(y));
    if (!square) return _mm256_cmp_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), r, _CMP_LE_OQ);
    return _mm256_and_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, dx), r, _CMP_LE_OQ),
                         _mm256_cmp_ps(_mm256_andnot_ps(sign, dy), r, _CMP_LE_OQ));
}

enum { ROWS_AT_ONCE = 4 * LANES }; /* rows at once: mostly all of a range, and no branch depends on how many */

/* Of up to ROWS_AT_ONCE rows: rows that are in view now or were before, not both; and rows that were before. */
typedef struct crossing_rows {
    uint32_t crossed, was;
} crossing_rows;

/* A querying row, in registers: all lanes alike. */
typedef struct stepper {
    __m256 x, y, ox, oy, r, before;
} stepper;

AVX2_INLINE crossing_rows view_change_masks(const phx_grid_rows *rows, uint32_t first, uint32_t count,
                                            const stepper *by, bool square)
{
    crossing_rows some = {0, 0};
    for (uint32_t k = 0; k < ROWS_AT_ONCE; k += LANES) {
        uint32_t i = first + k;
        __m256 is = positions_in_view(rows->x + i, rows->y + i, by->x, by->y, by->r, square);
        __m256 was = positions_in_view(rows->ox + i, rows->oy + i, by->ox, by->oy, by->before, square);
        some.crossed |= (uint32_t)_mm256_movemask_ps(_mm256_xor_ps(is, was)) << k;
        some.was |= (uint32_t)_mm256_movemask_ps(was) << k;
    }
    if (count < ROWS_AT_ONCE) some.crossed &= (1u << count) - 1;
    return some;
}

/* Puts changes behind n. Returns the new n. Two at once, and the second counts if it exists: mostly one round. */
AVX2_INLINE uint32_t put_view_changes(uint32_t by, uint32_t first, crossing_rows some, uint32_t n,
                                      const phx_view_changes *out)
{
    uint32_t mask = some.crossed;
    while (mask != 0) {
        uint32_t rest = mask & (mask - 1), second = rest ? rest : mask;
        uint32_t a = (uint32_t)__builtin_ctz(mask), b = (uint32_t)__builtin_ctz(second);
        out->by[n] = out->by[n + 1] = by;
        out->row[n] = (first + a) | (some.was >> a & 1) << 31;
        out->row[n + 1] = (first + b) | (some.was >> b & 1) << 31;
        n += rest ? 2 : 1;
        mask = rest & (rest - 1);
    }
    return n;
}

AVX2_INLINE uint32_t find_row_changes(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                      const phx_view_range *limit, bool square, const phx_view_changes *out)
{
    const phx_grid_rows at = *rows;
    const __m256 r = _mm256_set1_ps(square ? limit->r : limit->r * limit->r);
    const __m256 before = _mm256_set1_ps(square ? limit->before : limit->before * limit->before);
    uint32_t n = 0;
    for (uint32_t l = some.first; l < some.end; l++) {
        const uint32_t row = ranges->row[l], end = ranges->end[l];
        const stepper by = {_mm256_set1_ps(at.x[row]),
                            _mm256_set1_ps(at.y[row]),
                            _mm256_set1_ps(at.ox[row]),
                            _mm256_set1_ps(at.oy[row]),
                            r,
                            before};
        for (uint32_t i = ranges->first[l]; i < end; i += ROWS_AT_ONCE)
            n = put_view_changes(row, i, view_change_masks(&at, i, end - i, &by, square), n, out);
    }
    return n;
}

AVX2 uint32_t phx_find_view_changes_avx2(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                         const phx_view_range *limit, const phx_view_changes *out)
{
    if (limit->square) return find_row_changes(rows, ranges, some, limit, true, out);
    return find_row_changes(rows, ranges, some, limit, false, out);
}

/* Towers of a block in the rows' views along one axis; and rows with views beyond the block. */
typedef struct sides {
    __m256i low, high, beyond;
} sides;

/* Tower indices of positions. */
AVX2_INLINE __m256i tower_indices(__m256 p, __m256 origin, __m256 size, __m256 last)
{
    __m256 q = _mm256_div_ps(_mm256_sub_ps(p, origin), size);
    q = _mm256_and_ps(_mm256_cmp_ps(q, _mm256_setzero_ps(), _CMP_GT_OQ), q);
    return _mm256_cvttps_epi32(_mm256_min_ps(q, last));
}

/* As phx_box_around() and phx_box_towers() do it. */
AVX2_INLINE sides tower_sides(const phx_lookup *lookup, int axis, uint32_t block, __m256 p)
{
    const phx_rules *rules = lookup->rules;
    const __m256 origin = _mm256_set1_ps(rules->origin[axis]), size = _mm256_set1_ps(rules->tower_size);
    const __m256 last = _mm256_set1_ps((float)(rules->towers[axis] - 1));
    const __m256 r = _mm256_set1_ps(phx_box_reach(lookup->reach));
    const __m256i base = _mm256_set1_epi32((int)(block << PHX_BLOCK_BITS)), zero = _mm256_setzero_si256();
    const __m256i most = _mm256_set1_epi32(PHX_BLOCK_SIDE - 1);
    __m256 far = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), p);
    __m256 off = _mm256_mul_ps(_mm256_add_ps(far, r), _mm256_set1_ps(PHX_BOX_ROUNDING));
    off = _mm256_add_ps(r, off);
    __m256i low = _mm256_sub_epi32(tower_indices(_mm256_sub_ps(p, off), origin, size, last), base);
    __m256i high = _mm256_sub_epi32(tower_indices(_mm256_add_ps(p, off), origin, size, last), base);
    return (sides){_mm256_max_epi32(low, zero), _mm256_min_epi32(high, most),
                   _mm256_or_si256(_mm256_cmpgt_epi32(zero, low), _mm256_cmpgt_epi32(high, most))};
}

/* Lanes with values from low to high, in order. */
AVX2_INLINE __m256i up_to(__m256i lanes, __m256i low, __m256i high)
{
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(low, high), lanes);
}

/* Appends rows with views beyond the block. */
AVX2_INLINE void put_spilled_rows(phx_row_ranges *ranges, uint32_t axes, __m256i lanes, __m256i row)
{
    const choice some = choose_lanes(lane_mask(lanes));
    store_chosen_lanes(ranges->beyond[axes] + ranges->beyond_count[axes], &some, row);
    ranges->beyond_count[axes] += some.count;
}

/* A row of towers at a time, of all lanes. */
AVX2 void phx_plan_row_ranges_avx2(const phx_grid_rows *rows, const phx_lookup *lookup, const uint32_t *observer_rows,
                                   uint32_t count, phx_row_ranges *ranges)
{
    const phx_block *block = lookup->block;
    const int *starts = (const int *)(const void *)block->start, *ends = starts + 1;
    const __m256i first = _mm256_set1_epi32((int)lookup->at.first), end = _mm256_set1_epi32((int)lookup->at.end);
    const __m256i one = _mm256_set1_epi32(1), none = _mm256_setzero_si256();
    uint64_t length = 0;
    uint32_t n = 0;
    for (uint32_t b = 0; b < PHX_BEYONDS; b++) ranges->beyond_count[b] = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), lanes_from(0));
        __m256i row = _mm256_maskload_epi32((const int *)(const void *)(observer_rows + i), lanes);
        sides x = tower_sides(lookup, 0, block->bx, _mm256_i32gather_ps(rows->x, row, sizeof(float)));
        sides y = tower_sides(lookup, 1, block->by, _mm256_i32gather_ps(rows->y, row, sizeof(float)));
        x.beyond = _mm256_and_si256(x.beyond, lanes);
        y.beyond = _mm256_and_si256(y.beyond, lanes);
        put_spilled_rows(ranges, PHX_SPILL_X, x.beyond, row);
        put_spilled_rows(ranges, PHX_SPILL_Y, y.beyond, row);
        put_spilled_rows(ranges, PHX_SPILL_BOTH, _mm256_and_si256(x.beyond, y.beyond), row);
        lanes = up_to(lanes, x.low, x.high);
        while (lane_mask(lanes = up_to(lanes, y.low, y.high)) != 0) {
            __m256i line = _mm256_slli_epi32(y.low, PHX_BLOCK_BITS);
            __m256i begin = _mm256_mask_i32gather_epi32(none, starts, _mm256_add_epi32(line, x.low), lanes, 4);
            __m256i stop = _mm256_mask_i32gather_epi32(none, ends, _mm256_add_epi32(line, x.high), lanes, 4);
            begin = _mm256_max_epu32(begin, first);
            stop = _mm256_min_epu32(stop, end);
            const __m256i some = _mm256_and_si256(_mm256_cmpgt_epi32(stop, begin), lanes); /* rows are 31 bits */
            const choice of = choose_lanes(lane_mask(some));
            store_chosen_lanes(ranges->row + n, &of, row);
            store_chosen_lanes(ranges->first + n, &of, begin);
            store_chosen_lanes(ranges->end + n, &of, stop);
            for (uint32_t k = n; k < n + of.count; k++) length += ranges->end[k] - ranges->first[k];
            n += of.count;
            y.low = _mm256_add_epi32(y.low, one);
        }
    }
    ranges->count = n;
    ranges->length = length;
}

#endif
