/*
 * The kernels for AVX-512; see kernels.h. Float operations are the portable kernels', each rounded
 * on its own. Compiled for the instruction set function by function and chosen at run time, so one
 * binary runs on any x86-64. Lanes beyond a range are read (arrays are padded) and masked out.
 */
#include "shards/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,popcnt")))
/* what a kernel is put together from: with "square" known, no trace of it is left */
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

enum { LANES = 16 };

static const uint32_t iota[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

AVX512_INLINE __mmask16 first_lanes(uint32_t count)
{
    return count >= LANES ? (__mmask16)0xffff : (__mmask16)((1u << count) - 1);
}

/* Stores the lanes of the mask side by side. */
AVX512_INLINE void keep(uint32_t *to, __mmask16 mask, __m512i v)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, v));
}

/* first, first + 1, ... */
AVX512_INLINE __m512i from(uint32_t first)
{
    return _mm512_add_epi32(_mm512_set1_epi32((int)first), _mm512_loadu_si512(iota));
}

AVX512 static uint32_t pick_avx512(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                                   const phx_frame *frame, const phx_picked *to)
{
    const __m512 zx = _mm512_set1_ps(frame->x), zy = _mm512_set1_ps(frame->y), scale = _mm512_set1_ps(frame->scale);
    const __m512 width = _mm512_set1_ps(frame->width), height = _mm512_set1_ps(frame->height);
    const __m512 least = _mm512_set1_ps(frame->low);
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
            __mmask16 in = first_lanes(spans[s].end - i);
            in = _mm512_mask_cmp_ps_mask(in, fx, least, _CMP_GE_OQ);
            in = _mm512_mask_cmp_ps_mask(in, fx, width, _CMP_LT_OQ);
            in = _mm512_mask_cmp_ps_mask(in, fy, least, _CMP_GE_OQ);
            in = _mm512_mask_cmp_ps_mask(in, fy, height, _CMP_LT_OQ);
            __m512i x = _mm512_cvttps_epi32(fx), y = _mm512_cvttps_epi32(fy);
            __m512i ox = _mm512_cvttps_epi32(gx), oy = _mm512_cvttps_epi32(gy);
            __mmask16 away = _mm512_cmp_ps_mask(gx, gx, _CMP_UNORD_Q); /* it was not here */
            ox = _mm512_mask_add_epi32(ox, away, x, _mm512_set1_epi32(PHX_TILE_AWAY));
            oy = _mm512_mask_mov_epi32(oy, away, y);
            __m512i cell = _mm512_add_epi32(_mm512_mullo_epi32(_mm512_srl_epi32(y, shift), columns),
                                            _mm512_srl_epi32(x, shift));
            keep(to->now + n, in, _mm512_or_si512(_mm512_and_si512(x, low), _mm512_slli_epi32(y, 16)));
            keep(to->old + n, in, _mm512_or_si512(_mm512_and_si512(ox, low), _mm512_slli_epi32(oy, 16)));
            keep(to->row + n, in, from(i));
            keep(to->cell + n, in, _mm512_mask_or_epi32(cell, moved, cell, flag));
            n += (uint32_t)__builtin_popcount(in);
        }
    }
    return n;
}

/* Each lane and all before it. */
AVX512_INLINE __m512i summed(__m512i v)
{
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 1));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 2));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 4));
    return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 8));
}

AVX512 static void starts_avx512(uint32_t *at, uint32_t cells, uint32_t *near)
{
    const __m512i last = _mm512_set1_epi32(LANES - 1);
    __m512i before = _mm512_setzero_si512();
    (void)near;
    for (uint32_t c = 0; c <= cells; c += LANES) {
        __m512i sums = _mm512_add_epi32(summed(_mm512_loadu_si512(at + c)), before);
        _mm512_storeu_si512(at + c, sums);
        before = _mm512_permutexvar_epi32(last, sums);
    }
}

AVX512 static uint32_t within_rows_avx512(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places)
{
    const __m512i first = _mm512_set1_epi32((int)range.first);
    const __m512i length = _mm512_set1_epi32((int)(range.end - range.first));
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m512i off = _mm512_sub_epi32(_mm512_loadu_si512(row + i), first);
        __mmask16 in = _mm512_mask_cmplt_epu32_mask(first_lanes(count - i), off, length);
        keep(places + n, in, from(i));
        n += (uint32_t)__builtin_popcount(in);
    }
    return n;
}

AVX512 static uint32_t gather_avx512(const uint32_t *now, const uint32_t *old, const phx_span *spans, uint32_t count,
                                     const phx_candidates *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t first = spans[s].first, length = spans[s].end - first;
        for (uint32_t i = 0; i < length; i += LANES) {
            _mm512_storeu_si512(to->now + n + i, _mm512_loadu_si512(now + first + i));
            _mm512_storeu_si512(to->old + n + i, _mm512_loadu_si512(old + first + i));
            _mm512_storeu_si512(to->place + n + i, from(first + i));
        }
        n += length;
    }
    return n;
}

/* Distances as limits have them. */
AVX512_INLINE __m512i apart(__m512i a, __m512i b, bool square)
{
    __m512i d = _mm512_sub_epi16(a, b);
    if (!square) return _mm512_madd_epi16(d, d);
    d = _mm512_abs_epi16(d);
    return _mm512_max_epu32(_mm512_and_si512(d, _mm512_set1_epi32(0xffff)), _mm512_srli_epi32(d, 16));
}

/* Limits in registers. */
typedef struct borders {
    __m512i in_low, in_high, near_low, near_high;
} borders;

/* Distances of some candidates, now and before. */
typedef struct distances {
    __m512i d, e;
} distances;

AVX512_INLINE distances measure(const uint32_t *now, const uint32_t *old, __m512i here, __m512i there, bool square)
{
    return (distances){apart(_mm512_loadu_si512(now), here, square), apart(_mm512_loadu_si512(old), there, square)};
}

/* Which may be events. */
AVX512_INLINE __mmask16 crossing(distances of, const borders *b)
{
    __mmask16 enter = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.e, b->in_low), of.d, b->in_high);
    __mmask16 leave = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.d, b->near_low), of.e, b->near_high);
    return enter | leave;
}

/* Appends the candidates in the mask's lanes as pairs of the observer. */
AVX512_INLINE void pair(phx_pairs *pairs, __m512i place, __mmask16 mask, distances of, __m512i targets,
                        const borders *b)
{
    __mmask16 enter = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.e, b->in_high), of.d, b->in_low);
    __mmask16 leave = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.d, b->near_high), of.e, b->near_low);
    place = _mm512_mask_or_epi32(place, leave, place, _mm512_set1_epi32((int)PHX_PAIR_LEAVE));
    place = _mm512_mask_or_epi32(place, _knot_mask16(enter | leave), place, _mm512_set1_epi32((int)PHX_PAIR_UNSURE));
    keep(pairs->observer + pairs->count, mask, place);
    keep(pairs->target + pairs->count, mask, targets);
    pairs->count += (uint32_t)__builtin_popcount(mask);
}

/* Few enough vectors that writing pairs of each, mostly none, takes less than guesses that are wrong. */
enum { FEW_VECTORS = 12 };

AVX512_INLINE void match_few(const phx_candidates *c, uint32_t count, __m512i place, __m512i here, __m512i there,
                             const borders *b, bool square, phx_pairs *pairs)
{
    for (uint32_t i = 0; i < count; i += LANES) {
        distances of = measure(c->now + i, c->old + i, here, there, square);
        pair(pairs, place, crossing(of, b) & first_lanes(count - i), of, _mm512_loadu_si512(c->place + i), b);
    }
}

/*
 * First all vectors to masks, then those that are not empty: no branch hangs on a single
 * vector, of which in a crowd every third has something.
 */
AVX512_INLINE void match_many(const phx_candidates *c, uint32_t count, __m512i place, __m512i here, __m512i there,
                              const borders *b, bool square, phx_pairs *pairs)
{
    enum { VECTORS = 32 }; /* masks to a register */
    uint16_t masks[VECTORS];
    for (uint32_t base = 0; base < count; base += VECTORS * LANES) {
        uint32_t left = count - base < VECTORS * LANES ? count - base : VECTORS * LANES, v = 0;
        for (; v * LANES < left; v++) {
            uint32_t at = base + v * LANES;
            masks[v] = crossing(measure(c->now + at, c->old + at, here, there, square), b);
        }
        masks[v - 1] &= first_lanes(left - (v - 1) * LANES);
        __mmask32 have = v == VECTORS ? 0xffffffffu : (1u << v) - 1;
        __m512i all = _mm512_maskz_loadu_epi16(have, masks);
        for (uint32_t some = _mm512_test_epi16_mask(all, all); some != 0; some &= some - 1) {
            uint32_t which = (uint32_t)__builtin_ctz(some), at = base + which * LANES;
            pair(pairs, place, masks[which], measure(c->now + at, c->old + at, here, there, square),
                 _mm512_loadu_si512(c->place + at), b);
        }
    }
}

AVX512_INLINE borders in_registers(const phx_limits *limits)
{
    return (borders){_mm512_set1_epi32(limits->in_low), _mm512_set1_epi32(limits->in_high),
                     _mm512_set1_epi32(limits->near_low), _mm512_set1_epi32(limits->near_high)};
}

AVX512_INLINE uint32_t match_all(const phx_candidates *candidates, uint32_t count, const phx_watchers *watchers,
                                 const borders *b, bool square, phx_pairs *pairs)
{
    uint32_t w = 0;
    for (; w < watchers->count && pairs->capacity - pairs->count >= count; w++) {
        uint32_t place = watchers->place[w];
        __m512i here = _mm512_set1_epi32((int)watchers->now[place]), of = _mm512_set1_epi32((int)place);
        __m512i there = _mm512_set1_epi32((int)watchers->old[place]);
        if (count <= FEW_VECTORS * LANES) match_few(candidates, count, of, here, there, b, square, pairs);
        else match_many(candidates, count, of, here, there, b, square, pairs);
    }
    return w;
}

AVX512 static uint32_t match_avx512(const phx_candidates *candidates, uint32_t count, const phx_watchers *watchers,
                                    const phx_limits *limits, phx_pairs *pairs)
{
    const borders b = in_registers(limits);
    if (limits->square) return match_all(candidates, count, watchers, &b, true, pairs);
    return match_all(candidates, count, watchers, &b, false, pairs);
}

AVX512_INLINE distances measure_at(const phx_cells *cells, uint32_t first, __m512i here, __m512i there, bool square)
{
    return measure(cells->now + first, cells->old + first, here, there, square);
}

/* A row of cells that is more than a vector. */
AVX512 static void match_long(const phx_cells *cells, uint32_t first, uint32_t end, __m512i of, __m512i here,
                              __m512i there, const borders *b, bool square, phx_pairs *pairs)
{
    for (; first < end; first += LANES) {
        distances apart_by = measure_at(cells, first, here, there, square);
        pair(pairs, of, crossing(apart_by, b) & first_lanes(end - first), apart_by, from(first), b);
    }
}

/* Three rows of cells, a vector each as a rule: nothing but whether there is an event is a branch. */
AVX512_INLINE uint32_t match_nine(const phx_cells *cells, const phx_watchers *watchers, const borders *b,
                                         bool square, phx_pairs *pairs)
{
    uint32_t w = 0;
    for (; w < watchers->count; w++) {
        uint32_t place = watchers->place[w];
        __m512i here = _mm512_set1_epi32((int)watchers->now[place]), of = _mm512_set1_epi32((int)place);
        __m512i there = _mm512_set1_epi32((int)watchers->old[place]);
        const uint32_t *middle = cells->start + cells->cell[place] - 1, *above = middle - cells->columns;
        const uint32_t *below = middle + cells->columns;
        uint32_t a = above[0], a_end = above[3], m = middle[0], m_end = middle[3], c = below[0], c_end = below[3];
        uint32_t room = (a_end - a) + (m_end - m) + (c_end - c);
        if (PHX_UNLIKELY(pairs->capacity - pairs->count < room)) break;
        pairs->tested += room;
        if (PHX_UNLIKELY(a_end - a > LANES || m_end - m > LANES || c_end - c > LANES)) {
            match_long(cells, a, a_end, of, here, there, b, square, pairs);
            match_long(cells, m, m_end, of, here, there, b, square, pairs);
            match_long(cells, c, c_end, of, here, there, b, square, pairs);
            continue;
        }
        distances in_a = measure_at(cells, a, here, there, square), in_m = measure_at(cells, m, here, there, square);
        distances in_c = measure_at(cells, c, here, there, square);
        __mmask16 some_a = crossing(in_a, b) & first_lanes(a_end - a);
        __mmask16 some_m = crossing(in_m, b) & first_lanes(m_end - m);
        __mmask16 some_c = crossing(in_c, b) & first_lanes(c_end - c);
        if (PHX_LIKELY((some_a | some_m | some_c) == 0)) continue;
        pair(pairs, of, some_a, in_a, from(a), b);
        pair(pairs, of, some_m, in_m, from(m), b);
        pair(pairs, of, some_c, in_c, from(c), b);
    }
    return w;
}

AVX512 static uint32_t match_sparse_avx512(const phx_cells *cells, const phx_watchers *watchers,
                                           const phx_limits *limits, phx_pairs *pairs)
{
    const borders b = in_registers(limits);
    if (limits->square) return match_nine(cells, watchers, &b, true, pairs);
    return match_nine(cells, watchers, &b, false, pairs);
}

AVX512 static uint32_t scan_avx512(const phx_grid_rows *rows, phx_span span, const phx_area *area, uint32_t *slots,
                                   float *squares)
{
    const __m512 x = _mm512_set1_ps(area->x), y = _mm512_set1_ps(area->y), r = _mm512_set1_ps(area->r);
    const __m512 limit = area->square ? r : _mm512_mul_ps(r, r);
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i += LANES) {
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(rows->x + i), x), dy = _mm512_sub_ps(_mm512_loadu_ps(rows->y + i), y);
        __m512 d2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        __m512 d = area->square ? _mm512_max_ps(_mm512_abs_ps(dx), _mm512_abs_ps(dy)) : d2;
        __mmask16 in = _mm512_mask_cmp_ps_mask(first_lanes(span.end - i), d, limit, _CMP_LE_OQ);
        keep(slots + n, in, _mm512_loadu_si512(rows->slot + i));
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
        __mmask16 lanes = first_lanes(count - i);
        __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        __m512 square = _mm512_maskz_loadu_ps(lanes, squares + i);
        __mmask16 stays = _mm512_mask_cmp_ps_mask(lanes, square, most, _CMP_LE_OQ) | _mm512_movepi32_mask(slot);
        keep(slots + n, stays, slot);
        _mm512_storeu_ps(squares + n, _mm512_maskz_compress_ps(stays, square));
        n += (uint32_t)__builtin_popcount(stays);
    }
    return n;
}

AVX512 static uint32_t weigh_avx512(const uint32_t *mark, uint32_t listed, const uint32_t *slots,
                                    const float *squares, uint32_t count, double sticky, double *keys, uint8_t *was)
{
    const __m512i own = _mm512_set1_epi32((int)listed), zero = _mm512_setzero_si512();
    const __m512d same = _mm512_set1_pd(1.0), more = _mm512_set1_pd(sticky);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lanes(count - i);
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

/* Of a vector of keys, and of the one behind it. */
AVX512_INLINE __mmask16 keys_within(const double *keys, __m512d limit)
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
        n += (uint32_t)__builtin_popcount(keys_within(keys + i, most) & first_lanes(count - i));
    return n;
}

AVX512 static phx_divided divide_avx512(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                        double limit, uint32_t *enter, uint32_t *leave)
{
    const __m512d most = _mm512_set1_pd(limit);
    phx_divided n = {0, 0, 0};
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lanes(count - i), stays = keys_within(keys + i, most) & lanes;
        __m128i before = _mm_loadu_si128((const __m128i *)(const void *)(was + i));
        __mmask16 in = _mm_test_epi8_mask(before, before) & lanes;
        __m512i slot = _mm512_maskz_loadu_epi32(lanes, slots + i);
        keep(slots + n.stay, stays, slot);
        keep(enter + n.enter, stays & (__mmask16)~in, slot);
        keep(leave + n.leave, in & (__mmask16)~stays, slot);
        n.stay += (uint32_t)__builtin_popcount(stays);
        n.enter += (uint32_t)__builtin_popcount(stays & (__mmask16)~in);
        n.leave += (uint32_t)__builtin_popcount(in & (__mmask16)~stays);
    }
    return n;
}

AVX512 static uint32_t find_avx512(const uint32_t *array, uint32_t count, uint32_t value)
{
    const __m512i wanted = _mm512_set1_epi32((int)value);
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lanes(count - i);
        __m512i some = _mm512_maskz_loadu_epi32(lanes, array + i);
        __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(lanes, some, wanted);
        if (equal != 0) return i + (uint32_t)__builtin_ctz(equal);
    }
    return count;
}

/* Of up to VECTORS * 8 ids those that come before one; `same`: the kinds are all one. */
AVX512_INLINE void order(const uint64_t *id, const uint16_t *kind, uint32_t count, bool same, uint32_t *place)
{
    enum { WIDE = 8, VECTORS = PHX_ORDER_FEW / WIDE };
    __m512i ids[VECTORS], kinds[VECTORS];
    uint32_t vectors = (count + WIDE - 1) / WIDE;
    for (uint32_t v = 0; v < vectors; v++) {
        uint32_t left = count - v * WIDE;
        __mmask8 lanes = left >= WIDE ? 0xff : (__mmask8)((1u << left) - 1);
        const __m512i last = _mm512_set1_epi64(-1); /* comes before none */
        ids[v] = _mm512_mask_loadu_epi64(last, lanes, id + v * WIDE);
        if (!same)
            kinds[v] = _mm512_mask_cvtepu16_epi64(last, lanes, _mm_maskz_loadu_epi16(lanes, kind + v * WIDE));
    }
    for (uint32_t i = 0; i < count; i++) {
        const __m512i own = _mm512_set1_epi64((long long)id[i]), own_kind = _mm512_set1_epi64(kind[i]);
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
    bool same = true;
    for (uint32_t i = 1; i < count; i++) same &= kind[i] == kind[0];
    if (same) order(id, kind, count, true, place);
    else order(id, kind, count, false, place);
}

const phx_kernels phx_kernels_avx512 = {.walk = phx_walk_avx2,
                                        .pick = pick_avx512,
                                        .starts = starts_avx512,
                                        .within_rows = within_rows_avx512,
                                        .gather = gather_avx512,
                                        .match = match_avx512,
                                        .match_sparse = match_sparse_avx512,
                                        .scan = scan_avx512,
                                        .crossed = phx_crossed_avx2,
                                        .nearer = nearer_avx512,
                                        .weigh = weigh_avx512,
                                        .within = within_avx512,
                                        .divide = divide_avx512,
                                        .find = find_avx512,
                                        .order_keys = phx_order_keys_avx2,
                                        .order = order_avx512,
                                        .merge = phx_merge_avx512};

#endif
