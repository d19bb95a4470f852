/*
 * The kernels for AVX2; see kernels.h. Float operations are the portable kernels', each rounded on its own. Compiled
 * for the instruction set function by function and chosen at run time. Lanes beyond a range are read (arrays are
 * padded) and masked out.
 */
#include "shards/kernels_scalar.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
/* what a kernel is put together from: with "square" and "margin" known, no trace of them is left */
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { LANES = 8, HALF = LANES / 2, HALF_BYTES = 16, HALVES = 1 << HALF /* masks of one */ };

AVX2_INLINE __m256i load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX2_INLINE void store(uint32_t *to, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)to, v);
}

AVX2_INLINE uint32_t mask_of(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Of a word's bits, those for what is left. */
AVX2_INLINE uint32_t first_lanes(uint32_t count)
{
    return count >= LANES ? 0xff : (1u << count) - 1;
}

/* ---- some lanes side by side ---- */

/* Bytes of a lane, of half a vector; and by mask those of the lanes that it has. There is no instruction for that. */
#define LANE(n) 4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3
#define NONE LANE(0) /* is written, but not to stay */
static const uint8_t chosen[HALVES][HALF_BYTES] = {
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

/* Which lanes to store side by side, of several vectors. */
typedef struct choice {
    __m128i low, high; /* shuffles of the halves */
    uint32_t low_count, count;
} choice;

AVX2_INLINE choice choose(uint32_t mask)
{
    uint32_t low = mask % HALVES, high = mask / HALVES;
    uint32_t low_count = (uint32_t)__builtin_popcount(low);
    return (choice){_mm_loadu_si128((const __m128i *)(const void *)chosen[low]),
                    _mm_loadu_si128((const __m128i *)(const void *)chosen[high]), low_count,
                    low_count + (uint32_t)__builtin_popcount(high)};
}

AVX2_INLINE void keep(uint32_t *to, const choice *of, __m256i v)
{
    __m128i low = _mm_shuffle_epi8(_mm256_castsi256_si128(v), of->low);
    __m128i high = _mm_shuffle_epi8(_mm256_extracti128_si256(v, 1), of->high);
    _mm_storeu_si128((__m128i *)(void *)to, low);
    _mm_storeu_si128((__m128i *)(void *)(to + of->low_count), high);
}

AVX2_INLINE void keep_floats(float *to, const choice *of, __m256 v)
{
    keep((uint32_t *)(void *)to, of, _mm256_castps_si256(v));
}

/* ---- picking and gathering ---- */

/* first, first + 1, ... */
AVX2_INLINE __m256i from(uint32_t first)
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

AVX2_INLINE __m256 within_frame(__m256 p, __m256 least, __m256 end)
{
    return _mm256_and_ps(_mm256_cmp_ps(p, least, _CMP_GE_OQ), _mm256_cmp_ps(p, end, _CMP_LT_OQ));
}

/* y << 16 | x */
AVX2_INLINE __m256i both(__m256i x, __m256i y)
{
    return _mm256_or_si256(_mm256_and_si256(x, _mm256_set1_epi32(0xffff)), _mm256_slli_epi32(y, 16));
}

AVX2 static uint32_t pick_avx2(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                               const phx_frame *frame, const phx_picked *to)
{
    const __m256 zx = _mm256_set1_ps(frame->x), zy = _mm256_set1_ps(frame->y), scale = _mm256_set1_ps(frame->scale);
    const __m256 width = _mm256_set1_ps(frame->width), height = _mm256_set1_ps(frame->height);
    const __m256 least = _mm256_set1_ps(frame->low);
    const __m256i columns = _mm256_set1_epi32((int)frame->columns), flag = _mm256_set1_epi32((int)frame->moved);
    const __m256i off = _mm256_set1_epi32(PHX_TILE_AWAY);
    const __m128i shift = _mm_cvtsi32_si128((int)frame->shift);
    uint32_t n = 0;
    for (uint32_t s = 0; s < span_count; s++) {
        for (uint32_t i = spans[s].first; i < spans[s].end; i += LANES) {
            __m256 px = _mm256_loadu_ps(rows->x + i), py = _mm256_loadu_ps(rows->y + i);
            __m256 qx = _mm256_loadu_ps(rows->ox + i), qy = _mm256_loadu_ps(rows->oy + i);
            __m256 moved = _mm256_or_ps(_mm256_cmp_ps(px, qx, _CMP_NEQ_UQ), _mm256_cmp_ps(py, qy, _CMP_NEQ_UQ));
            __m256 fx = _mm256_mul_ps(_mm256_sub_ps(px, zx), scale), fy = _mm256_mul_ps(_mm256_sub_ps(py, zy), scale);
            __m256 gx = _mm256_mul_ps(_mm256_sub_ps(qx, zx), scale), gy = _mm256_mul_ps(_mm256_sub_ps(qy, zy), scale);
            __m256 in = _mm256_and_ps(within_frame(fx, least, width), within_frame(fy, least, height));
            choice of = choose((uint32_t)_mm256_movemask_ps(in) & first_lanes(spans[s].end - i));
            __m256i x = _mm256_cvttps_epi32(fx), y = _mm256_cvttps_epi32(fy);
            __m256i ox = _mm256_cvttps_epi32(gx), oy = _mm256_cvttps_epi32(gy);
            __m256i away = _mm256_castps_si256(_mm256_cmp_ps(gx, gx, _CMP_UNORD_Q)); /* it was not here */
            ox = _mm256_blendv_epi8(ox, _mm256_add_epi32(x, off), away);
            oy = _mm256_blendv_epi8(oy, y, away);
            __m256i cell =
                _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srl_epi32(y, shift), columns), _mm256_srl_epi32(x, shift));
            keep(to->now + n, &of, both(x, y));
            keep(to->old + n, &of, both(ox, oy));
            keep(to->row + n, &of, from(i));
            keep(to->cell + n, &of, _mm256_or_si256(cell, _mm256_and_si256(flag, _mm256_castps_si256(moved))));
            n += of.count;
        }
    }
    return n;
}

AVX2 static uint32_t gather_avx2(const uint32_t *now, const uint32_t *old, const phx_span *spans, uint32_t count,
                                 const phx_candidates *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t first = spans[s].first, length = spans[s].end - first;
        for (uint32_t i = 0; i < length; i += LANES) {
            store(to->now + n + i, load(now + first + i));
            store(to->old + n + i, load(old + first + i));
            store(to->place + n + i, from(first + i));
        }
        n += length;
    }
    return n;
}

/* ---- matching ---- */

/* Distances as limits have them. */
AVX2_INLINE __m256i apart(__m256i a, __m256i b, bool square)
{
    __m256i d = _mm256_sub_epi16(a, b);
    if (!square) return _mm256_madd_epi16(d, d);
    d = _mm256_abs_epi16(d);
    return _mm256_max_epu32(_mm256_and_si256(d, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(d, 16));
}

/* Limits in registers. */
typedef struct borders {
    __m256i in_low, in_high, near_low, near_high;
} borders;

AVX2_INLINE borders in_registers(const phx_limits *limits)
{
    return (borders){_mm256_set1_epi32(limits->in_low), _mm256_set1_epi32(limits->in_high),
                     _mm256_set1_epi32(limits->near_low), _mm256_set1_epi32(limits->near_high)};
}

/* Whose pairs are looked for. */
typedef struct watcher {
    uint32_t place;
    __m256i now, old;
} watcher;

AVX2_INLINE watcher watcher_at(const uint32_t *now, const uint32_t *old, uint32_t place)
{
    return (watcher){place, _mm256_set1_epi32((int)now[place]), _mm256_set1_epi32((int)old[place])};
}

/*
 * Which of some candidates may be events. There is only "greater": an enter is not (d beyond high) and e beyond low.
 * Without a margin, enter or leave is the same as: one of d and e beyond low, and one of them not beyond high.
 */
AVX2_INLINE __m256i crossing(const uint32_t *now, const uint32_t *old, const watcher *of, const borders *b, bool square,
                             bool margin)
{
    __m256i d = apart(load(now), of->now, square), e = apart(load(old), of->old, square);
    if (!margin)
        return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_min_epi32(d, e), b->in_high),
                                   _mm256_cmpgt_epi32(_mm256_max_epi32(d, e), b->in_low));
    __m256i enter = _mm256_andnot_si256(_mm256_cmpgt_epi32(d, b->in_high), _mm256_cmpgt_epi32(e, b->in_low));
    __m256i leave = _mm256_andnot_si256(_mm256_cmpgt_epi32(e, b->near_high), _mm256_cmpgt_epi32(d, b->near_low));
    return _mm256_or_si256(enter, leave);
}

/* Candidates of one watcher that may be events: bits of a mask, from one on. */
typedef struct found {
    uint32_t watcher, first, mask;
} found;

enum {
    GROUP = 4 * LANES, /* candidates to a mask */
    FOUND_MAX = 256    /* groups with events until they become pairs: a few KiB */
};

/* A mask of a whole group: four vectors are packed to bytes, which leaves them in quarters by turns. */
AVX2_INLINE uint32_t group_mask(const phx_candidates *c, uint32_t at, const watcher *of, const borders *b, bool square,
                                bool margin)
{
    const __m256i in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i v0 = crossing(c->now + at, c->old + at, of, b, square, margin);
    __m256i v1 = crossing(c->now + at + LANES, c->old + at + LANES, of, b, square, margin);
    __m256i v2 = crossing(c->now + at + 2 * LANES, c->old + at + 2 * LANES, of, b, square, margin);
    __m256i v3 = crossing(c->now + at + 3 * LANES, c->old + at + 3 * LANES, of, b, square, margin);
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(v0, v1), _mm256_packs_epi32(v2, v3));
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, in_turn));
}

/* One of what is less than a group. */
AVX2_INLINE uint32_t rest_mask(const phx_candidates *c, uint32_t at, uint32_t count, const watcher *of,
                               const borders *b, bool square, bool margin)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        mask |= (mask_of(crossing(c->now + at + i, c->old + at + i, of, b, square, margin)) & first_lanes(count - i))
                << i;
    return mask;
}

/* Appends a pair. */
AVX2_INLINE void put(phx_pairs *pairs, const phx_limits *limits, uint32_t place, int32_t d, int32_t e, uint32_t target)
{
    uint32_t flags;
    (void)phx_units_cross(d, e, limits, &flags);
    pairs->observer[pairs->count] = place | flags;
    pairs->target[pairs->count++] = target;
}

/* What was found becomes pairs. The loop inside is left after one round as a rule. */
AVX2_INLINE void put_found(const found *list, uint32_t count, const phx_candidates *c, const phx_watchers *watchers,
                           const phx_limits *limits, bool square, phx_pairs *pairs)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = list[i].watcher, now = watchers->now[place], old = watchers->old[place], mask = list[i].mask;
        do {
            uint32_t at = list[i].first + (uint32_t)__builtin_ctz(mask);
            put(pairs, limits, place, phx_units_apart(c->now[at], now, square),
                phx_units_apart(c->old[at], old, square), c->place[at]);
        } while ((mask &= mask - 1) != 0);
    }
}

/*
 * First masks of all candidates of many watchers, then pairs of those that are not empty: no branch hangs on whether
 * there is something, which in a crowd is as likely as not.
 */
AVX2_INLINE uint32_t match_all(const phx_candidates *c, uint32_t count, const phx_watchers *watchers,
                               const phx_limits *limits, bool square, bool margin, phx_pairs *pairs)
{
    const borders b = in_registers(limits);
    found list[FOUND_MAX];
    uint32_t n = 0, w = 0, whole = count - count % GROUP;
    for (; w < watchers->count; w++) {
        if (pairs->capacity - pairs->count < (size_t)n * GROUP + count) { /* maybe not enough room */
            put_found(list, n, c, watchers, limits, square, pairs);
            n = 0;
            if (pairs->capacity - pairs->count < count) break;
        }
        watcher of = watcher_at(watchers->now, watchers->old, watchers->place[w]);
        for (uint32_t at = 0; at < count; at += GROUP) {
            uint32_t mask = at < whole ? group_mask(c, at, &of, &b, square, margin)
                                       : rest_mask(c, at, count - at, &of, &b, square, margin);
            list[n] = (found){of.place, at, mask};
            n += mask != 0;
            if (PHX_LIKELY(n < FOUND_MAX)) continue;
            put_found(list, n, c, watchers, limits, square, pairs);
            n = 0;
        }
    }
    put_found(list, n, c, watchers, limits, square, pairs);
    return w;
}

static bool has_margin(const phx_limits *limits)
{
    return limits->in_low != limits->near_low || limits->in_high != limits->near_high;
}

AVX2 static uint32_t match_avx2(const phx_candidates *c, uint32_t count, const phx_watchers *watchers,
                                const phx_limits *limits, phx_pairs *pairs)
{
    if (limits->square) return match_all(c, count, watchers, limits, true, true, pairs);
    if (has_margin(limits)) return match_all(c, count, watchers, limits, false, true, pairs);
    return match_all(c, count, watchers, limits, false, false, pairs);
}

/* Of a range of places that are a vector or less. */
AVX2_INLINE uint32_t span_mask(const phx_cells *cells, phx_span span, const watcher *of, const borders *b, bool square,
                               bool margin)
{
    __m256i v = crossing(cells->now + span.first, cells->old + span.first, of, b, square, margin);
    return mask_of(v) & first_lanes(span.end - span.first);
}

AVX2_INLINE void put_mask(const phx_cells *cells, const watcher *of, uint32_t first, uint32_t mask,
                          const phx_limits *limits, bool square, phx_pairs *pairs)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t at = first + (uint32_t)__builtin_ctz(mask);
        put(pairs, limits, of->place, phx_units_apart(cells->now[at], cells->now[of->place], square),
            phx_units_apart(cells->old[at], cells->old[of->place], square), at);
    }
}

/* A row of cells that may be more than a vector. */
AVX2_INLINE void match_long(const phx_cells *cells, phx_span span, const watcher *of, const borders *b,
                            const phx_limits *limits, bool square, bool margin, phx_pairs *pairs)
{
    for (; span.first < span.end; span.first += LANES)
        put_mask(cells, of, span.first, span_mask(cells, span, of, b, square, margin), limits, square, pairs);
}

/* Three rows of cells, a vector each as a rule: nothing but whether there is an event is a branch. */
AVX2_INLINE uint32_t match_nine(const phx_cells *cells, const phx_watchers *watchers, const phx_limits *limits,
                                bool square, bool margin, phx_pairs *pairs)
{
    const borders b = in_registers(limits);
    uint32_t w = 0;
    for (; w < watchers->count; w++) {
        watcher of = watcher_at(watchers->now, watchers->old, watchers->place[w]);
        const uint32_t *middle = cells->start + cells->cell[of.place] - 1, *above = middle - cells->columns;
        const uint32_t *below = middle + cells->columns;
        phx_span a = {above[0], above[3]}, m = {middle[0], middle[3]}, c = {below[0], below[3]};
        uint32_t in_a = a.end - a.first, in_m = m.end - m.first, in_c = c.end - c.first;
        if (PHX_UNLIKELY(pairs->capacity - pairs->count < in_a + in_m + in_c)) break;
        pairs->tested += in_a + in_m + in_c;
        if (PHX_UNLIKELY(in_a > LANES || in_m > LANES || in_c > LANES)) {
            match_long(cells, a, &of, &b, limits, square, margin, pairs);
            match_long(cells, m, &of, &b, limits, square, margin, pairs);
            match_long(cells, c, &of, &b, limits, square, margin, pairs);
            continue;
        }
        uint32_t some_a = span_mask(cells, a, &of, &b, square, margin);
        uint32_t some_m = span_mask(cells, m, &of, &b, square, margin);
        uint32_t some_c = span_mask(cells, c, &of, &b, square, margin);
        if (PHX_LIKELY((some_a | some_m | some_c) == 0)) continue;
        put_mask(cells, &of, a.first, some_a, limits, square, pairs);
        put_mask(cells, &of, m.first, some_m, limits, square, pairs);
        put_mask(cells, &of, c.first, some_c, limits, square, pairs);
    }
    return w;
}

AVX2 static uint32_t match_sparse_avx2(const phx_cells *cells, const phx_watchers *watchers, const phx_limits *limits,
                                       phx_pairs *pairs)
{
    if (limits->square) return match_nine(cells, watchers, limits, true, true, pairs);
    if (has_margin(limits)) return match_nine(cells, watchers, limits, false, true, pairs);
    return match_nine(cells, watchers, limits, false, false, pairs);
}

/* ---- where few moved ---- */

AVX2 uint32_t phx_moved_avx2(const phx_grid_rows *rows, phx_span span, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m256 x = _mm256_cmp_ps(_mm256_loadu_ps(rows->x + i), _mm256_loadu_ps(rows->ox + i), _CMP_NEQ_UQ);
        __m256 y = _mm256_cmp_ps(_mm256_loadu_ps(rows->y + i), _mm256_loadu_ps(rows->oy + i), _CMP_NEQ_UQ);
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_or_ps(x, y)) & first_lanes(span.end - i);
        for (; mask != 0; mask &= mask - 1) out[n++] = i + (uint32_t)__builtin_ctz(mask);
    }
    return n;
}

/* Which of a vector of positions are in range of a place? r: squared for circles. */
AVX2_INLINE __m256 in_view(const float *x, const float *y, __m256 px, __m256 py, __m256 r, bool square)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(x), px), dy = _mm256_sub_ps(_mm256_loadu_ps(y), py);
    if (!square) return _mm256_cmp_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), r, _CMP_LE_OQ);
    return _mm256_and_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, dx), r, _CMP_LE_OQ),
                         _mm256_cmp_ps(_mm256_andnot_ps(sign, dy), r, _CMP_LE_OQ));
}

AVX2 uint32_t phx_crossed_avx2(const phx_grid_rows *rows, phx_span span, const phx_step *step, uint32_t *out)
{
    const bool square = step->square;
    const __m256 r = _mm256_set1_ps(square ? step->r : step->r * step->r);
    const __m256 x = _mm256_set1_ps(step->x), y = _mm256_set1_ps(step->y);
    const __m256 ox = _mm256_set1_ps(step->ox), oy = _mm256_set1_ps(step->oy);
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m256 is = in_view(rows->x + i, rows->y + i, x, y, r, square);
        __m256 was = in_view(rows->ox + i, rows->oy + i, ox, oy, r, square);
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_xor_ps(is, was)) & first_lanes(span.end - i);
        if (mask == 0) continue;
        uint32_t left = (uint32_t)_mm256_movemask_ps(was);
        for (; mask != 0; mask &= mask - 1) {
            uint32_t at = (uint32_t)__builtin_ctz(mask);
            out[n++] = (i + at) | (left >> at & 1) << 31;
        }
    }
    return n;
}

/* ---- areas and caps ---- */

AVX2 static uint32_t scan_avx2(const phx_grid_rows *rows, phx_span span, const phx_area *area, uint32_t *slots,
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
        choice of = choose(in & first_lanes(span.end - i));
        keep(slots + n, &of, load(rows->slot + i));
        keep_floats(squares + n, &of, d2);
        n += of.count;
    }
    return n;
}

AVX2 static uint32_t nearer_avx2(uint32_t *slots, float *squares, uint32_t count, float limit)
{
    const __m256 most = _mm256_set1_ps(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i slot = load(slots + i);
        __m256 square = _mm256_loadu_ps(squares + i);
        uint32_t stays = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(square, most, _CMP_LE_OQ)) | mask_of(slot);
        choice of = choose(stays & first_lanes(count - i));
        keep(slots + n, &of, slot);
        keep_floats(squares + n, &of, square);
        n += of.count;
    }
    return n;
}

/* Half a vector: squares times 1, or times sticky. */
AVX2_INLINE void put_keys(double *keys, __m128 squares, __m128i in, double sticky)
{
    __m256d factor =
        _mm256_blendv_pd(_mm256_set1_pd(sticky), _mm256_set1_pd(1.0), _mm256_castsi256_pd(_mm256_cvtepi32_epi64(in)));
    _mm256_storeu_pd(keys, _mm256_mul_pd(_mm256_cvtps_pd(squares), factor));
}

AVX2 static uint32_t weigh_avx2(const uint32_t *mark, uint32_t listed, const uint32_t *slots, const float *squares,
                                uint32_t count, double sticky, double *keys, uint8_t *was)
{
    const __m256i own = _mm256_set1_epi32((int)listed), zero = _mm256_setzero_si256();
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), from(0));
        __m256i marks = _mm256_mask_i32gather_epi32(zero, (const int *)(const void *)mark, load(slots + i), lanes, 4);
        __m256i in = _mm256_and_si256(_mm256_cmpeq_epi32(marks, own), lanes);
        put_keys(keys + i, _mm_loadu_ps(squares + i), _mm256_castsi256_si128(in), sticky);
        put_keys(keys + i + HALF, _mm_loadu_ps(squares + i + HALF), _mm256_extracti128_si256(in, 1), sticky);
        __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(in), _mm256_extracti128_si256(in, 1));
        __m128i bytes = _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
        _mm_storel_epi64((__m128i *)(void *)(was + i), bytes);
        n += (uint32_t)__builtin_popcount(mask_of(in));
    }
    return n;
}

/* Of a vector's worth of keys. */
AVX2_INLINE uint32_t keys_within(const double *keys, __m256d limit)
{
    int low = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(keys), limit, _CMP_LE_OQ));
    int high = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(keys + HALF), limit, _CMP_LE_OQ));
    return (uint32_t)(low | high << HALF);
}

AVX2 static uint32_t within_avx2(const double *keys, uint32_t count, double limit)
{
    const __m256d most = _mm256_set1_pd(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        n += (uint32_t)__builtin_popcount(keys_within(keys + i, most) & first_lanes(count - i));
    return n;
}

AVX2 static phx_divided divide_avx2(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                    double limit, uint32_t *enter, uint32_t *leave)
{
    const __m256d most = _mm256_set1_pd(limit);
    phx_divided n = {0, 0, 0};
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t lanes = first_lanes(count - i), stays = keys_within(keys + i, most) & lanes;
        __m128i before = _mm_loadl_epi64((const __m128i *)(const void *)(was + i));
        uint32_t in = ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(before, _mm_setzero_si128())) & lanes;
        __m256i slot = load(slots + i);
        choice stay = choose(stays), enters = choose(stays & ~in), leaves = choose(in & ~stays);
        keep(slots + n.stay, &stay, slot);
        keep(enter + n.enter, &enters, slot);
        keep(leave + n.leave, &leaves, slot);
        n = (phx_divided){n.stay + stay.count, n.enter + enters.count, n.leave + leaves.count};
    }
    return n;
}

/* ---- places and orders ---- */

AVX2 static uint32_t find_avx2(const uint32_t *array, uint32_t count, uint32_t value)
{
    const __m256i wanted = _mm256_set1_epi32((int)value);
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        uint32_t mask = mask_of(_mm256_cmpeq_epi32(load(array + i), wanted));
        if (mask != 0) return i + (uint32_t)__builtin_ctz(mask);
    }
    while (i < count && array[i] != value) i++;
    return i;
}

/* By the low halves of ids: each vector of keys against every key. */
AVX2_INLINE void order_narrow(const uint64_t *id, uint32_t count, uint32_t *place)
{
    int32_t key[PHX_ORDER_FEW + LANES];
    for (uint32_t i = 0; i < count; i++) key[i] = (int32_t)((uint32_t)id[i] ^ 1u << 31); /* the same order, signed */
    for (uint32_t i = count; i % LANES != 0; i++) key[i] = 0;                            /* told nobody */
    for (uint32_t at = 0; at < count; at += LANES) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(key + at)), before = _mm256_setzero_si256();
        for (uint32_t i = 0; i < count; i++)
            before = _mm256_sub_epi32(before, _mm256_cmpgt_epi32(own, _mm256_set1_epi32(key[i])));
        store(place + at, before);
    }
}

/* Words of 64 bits, of a kind or with the sign turned of an id: the same order, signed. */
AVX2_INLINE void order_wide(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place)
{
    int64_t ids[PHX_ORDER_FEW + HALF], kinds[PHX_ORDER_FEW + HALF];
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = (int64_t)(id[i] ^ 1ull << 63);
        kinds[i] = kind[i];
    }
    for (uint32_t i = count; i % HALF != 0; i++) ids[i] = kinds[i] = 0;
    for (uint32_t at = 0; at < count; at += HALF) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(ids + at)), before = _mm256_setzero_si256();
        __m256i own_kind = _mm256_loadu_si256((const __m256i *)(const void *)(kinds + at));
        for (uint32_t i = 0; i < count; i++) {
            __m256i other = _mm256_set1_epi64x(kinds[i]), less = _mm256_cmpgt_epi64(own, _mm256_set1_epi64x(ids[i]));
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
    if (phx_order_narrow(id, kind, count)) order_narrow(id, count, place);
    else order_wide(id, kind, count, place);
}

const phx_kernels phx_kernels_avx2 = {.pick = pick_avx2,
                                      .gather = gather_avx2,
                                      .match = match_avx2,
                                      .match_sparse = match_sparse_avx2,
                                      .scan = scan_avx2,
                                      .moved = phx_moved_avx2,
                                      .crossed = phx_crossed_avx2,
                                      .nearer = nearer_avx2,
                                      .weigh = weigh_avx2,
                                      .within = within_avx2,
                                      .divide = divide_avx2,
                                      .find = find_avx2,
                                      .order = order_avx2};

#endif
