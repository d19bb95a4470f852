/*
 * The kernels for AVX2; see kernels.h. Float operations are the portable kernels', each rounded on its own. Compiled
 * for the instruction set function by function and chosen at run time. Lanes beyond a range are read (arrays are
 * padded) and masked out.
 */
#include "shards/simd/avx2.h"

#include "shards/entity/bounds.h"
#include "shards/simd/scalar.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
/* parts of kernels: with "square" and "margin" constant, their branches are gone */
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { LANES = 8, HALF = LANES / 2, HALF_BYTES = 16, HALVES = 1 << HALF /* masks of a half */ };

AVX2_INLINE __m256i load_vector(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX2_INLINE void store_vector(uint32_t *to, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)to, v);
}

AVX2_INLINE uint32_t lane_mask(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Bits of a word for the remaining lanes. */
AVX2_INLINE uint32_t first_lane_bits(uint32_t count)
{
    return count >= LANES ? 0xff : (1u << count) - 1;
}

/* ---- packed stores ---- */

/* Shuffle bytes of a lane, of half a vector; and, by mask, of the lanes in it. AVX2 has no instruction for that. */
#define LANE(n) 4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3
#define NONE LANE(0) /* written, and overwritten later */
static const uint8_t chosen_lanes[HALVES][HALF_BYTES] = {
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

/* The lanes to store, packed, of several vectors. */
typedef struct choice {
    __m128i low, high; /* shuffles of the halves */
    uint32_t low_count, count;
} choice;

AVX2_INLINE choice choose_lanes(uint32_t mask)
{
    uint32_t low = mask % HALVES, high = mask / HALVES;
    uint32_t low_count = (uint32_t)__builtin_popcount(low);
    return (choice){_mm_loadu_si128((const __m128i *)(const void *)chosen_lanes[low]),
                    _mm_loadu_si128((const __m128i *)(const void *)chosen_lanes[high]), low_count,
                    low_count + (uint32_t)__builtin_popcount(high)};
}

AVX2_INLINE void store_chosen_lanes(uint32_t *to, const choice *of, __m256i v)
{
    __m128i low = _mm_shuffle_epi8(_mm256_castsi256_si128(v), of->low);
    __m128i high = _mm_shuffle_epi8(_mm256_extracti128_si256(v, 1), of->high);
    _mm_storeu_si128((__m128i *)(void *)to, low);
    _mm_storeu_si128((__m128i *)(void *)(to + of->low_count), high);
}

AVX2_INLINE void keep_floats(float *to, const choice *of, __m256 v)
{
    store_chosen_lanes((uint32_t *)(void *)to, of, _mm256_castps_si256(v));
}

/* ---- picking and gathering ---- */

/* first, first + 1, ... */
AVX2_INLINE __m256i lanes_from(uint32_t first)
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* The mid-step position, if now and before are one step apart; else the current position. */
AVX2_INLINE __m256 mid_step(__m256 now, __m256 old, __m256 stride)
{
    __m256 step = _mm256_sub_ps(old, now), length = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), step);
    __m256 half = _mm256_mul_ps(step, _mm256_set1_ps(0.5f));
    return _mm256_blendv_ps(now, _mm256_add_ps(now, half), _mm256_cmp_ps(length, stride, _CMP_LE_OQ));
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

AVX2 static uint32_t pick_avx2(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                               const phx_tile_frame *frame, const phx_tile_rows *to)
{
    const __m256 zx = _mm256_set1_ps(frame->x), zy = _mm256_set1_ps(frame->y), scale = _mm256_set1_ps(frame->scale);
    const __m256 width = _mm256_set1_ps(frame->width), height = _mm256_set1_ps(frame->height);
    const __m256 least = _mm256_set1_ps(frame->low), stride = _mm256_set1_ps(frame->stride);
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
            __m256 hx = mid_step(fx, gx, stride), hy = mid_step(fy, gy, stride);
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

/*
 * A word of near[]: the lanes of a vector for the rows in a cell and the two beside it, or for the first of them; and
 * NEAR_LONG if there are more.
 */
enum { NEAR_LONG = 1 << LANES };

/* Sums of each lane and all lanes before it. */
AVX2_INLINE __m256i prefix_sums(__m256i v)
{
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8)); /* of each half */
    __m256i low = _mm256_permute2x128_si256(v, v, 0x08);
    return _mm256_add_epi32(v, _mm256_shuffle_epi32(low, 0xff));
}

AVX2 static void starts_avx2(uint32_t *at, uint32_t cells, uint32_t *near)
{
    const __m256i last = _mm256_set1_epi32(LANES - 1), most = _mm256_set1_epi32(LANES);
    const __m256i one = _mm256_set1_epi32(1), more = _mm256_set1_epi32(NEAR_LONG);
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
        store_vector(near + c, _mm256_or_si256(lanes, _mm256_and_si256(many, more)));
    }
}

AVX2 static uint32_t within_rows_avx2(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places)
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
        n += length;
    }
    return n;
}

/* ---- matching ---- */

/* Distances in the measure of the limits. b: the loaded vector, so that the load is part of the subtraction. */
AVX2_INLINE __m256i unit_distances(__m256i a, __m256i b, bool square)
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

AVX2_INLINE borders load_borders(const phx_tile_limits *limits)
{
    return (borders){_mm256_set1_epi32(limits->in_low), _mm256_set1_epi32(limits->in_high),
                     _mm256_set1_epi32(limits->near_low), _mm256_set1_epi32(limits->near_high)};
}

/* The observer that is matched. */
typedef struct watcher {
    uint32_t place;
    __m256i now, old;
} watcher;

AVX2_INLINE watcher watcher_at(const uint32_t *now, const uint32_t *old, uint32_t place)
{
    return (watcher){place, _mm256_set1_epi32((int)now[place]), _mm256_set1_epi32((int)old[place])};
}

/*
 * Lanes of candidates that may be events. AVX2 has only "greater": an enter is not (d beyond high) and e beyond low.
 * Without a margin, enter or leave is the same as: one of d and e beyond low, and one of them not beyond high.
 */
AVX2_INLINE __m256i event_lanes(const uint32_t *now, const uint32_t *old, const watcher *of, const borders *b,
                                bool square, bool margin)
{
    __m256i d = unit_distances(of->now, load_vector(now), square),
            e = unit_distances(of->old, load_vector(old), square);
    if (!margin)
        return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_min_epi32(d, e), b->in_high),
                                   _mm256_cmpgt_epi32(_mm256_max_epi32(d, e), b->in_low));
    __m256i enter = _mm256_andnot_si256(_mm256_cmpgt_epi32(d, b->in_high), _mm256_cmpgt_epi32(e, b->in_low));
    __m256i leave = _mm256_andnot_si256(_mm256_cmpgt_epi32(e, b->near_high), _mm256_cmpgt_epi32(d, b->near_low));
    return _mm256_or_si256(enter, leave);
}

/* Candidates of one observer that may be events: bits of a mask, from one candidate on. */
typedef struct found {
    uint64_t mask;
    uint32_t watcher, first;
} found;

enum {
    QUAD = 4 * LANES, /* candidates of four vectors, packed to bytes, */
    GROUP = 2 * QUAD, /* and candidates of a mask */
    FOUND_MAX = 64    /* masks with events that wait to become pairs: a KiB */
};

/* Bits of four vectors; packing leaves them in interleaved quarters. */
AVX2_INLINE uint32_t quad_mask(const uint32_t *now, const uint32_t *old, const watcher *of, const borders *b,
                               bool square, bool margin)
{
    const __m256i in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i v0 = event_lanes(now, old, of, b, square, margin);
    __m256i v1 = event_lanes(now + LANES, old + LANES, of, b, square, margin);
    __m256i v2 = event_lanes(now + 2 * LANES, old + 2 * LANES, of, b, square, margin);
    __m256i v3 = event_lanes(now + 3 * LANES, old + 3 * LANES, of, b, square, margin);
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(v0, v1), _mm256_packs_epi32(v2, v3));
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, in_turn));
}

/* Of up to GROUP candidates. */
AVX2_INLINE uint64_t group_mask(const uint32_t *now, const uint32_t *old, uint32_t count, const watcher *of,
                                const borders *b, bool square, bool margin)
{
    uint64_t mask = quad_mask(now, old, of, b, square, margin);
    if (count > QUAD) mask |= (uint64_t)quad_mask(now + QUAD, old + QUAD, of, b, square, margin) << QUAD;
    return count >= GROUP ? mask : mask & ((UINT64_C(1) << count) - 1);
}

/* Appends a pair. */
AVX2_INLINE void put_pair(phx_pairs *pairs, const phx_tile_limits *limits, uint32_t place, int32_t d, int32_t e,
                          uint32_t target)
{
    uint32_t flags;
    (void)phx_units_cross(d, e, limits, &flags);
    pairs->observer[pairs->count] = place | flags;
    pairs->target[pairs->count++] = target;
}

/* Pairs on their way from masks to flags: the positions of both sides; observers and targets are in place already. */
enum { DRAWN_MAX = 4 * GROUP };
typedef struct drawn {
    uint32_t now[DRAWN_MAX + LANES], old[DRAWN_MAX + LANES]; /* of targets */
    uint32_t own[2 * (DRAWN_MAX + LANES)];                   /* of observers: now, old, now, ... */
} drawn;

/* Draws the candidates of one mask, behind n drawn ones. Returns the new n. */
AVX2_INLINE uint32_t draw_found(drawn *to, uint32_t n, const found *from, const phx_tile_candidates *c, uint32_t now,
                                uint32_t old, uint32_t *observer, uint32_t *target)
{
    const __m128i place = _mm_set1_epi32((int)from->watcher);
    const __m128i own = _mm_setr_epi32((int)now, (int)old, (int)now, (int)old);
    uint64_t mask = from->mask;
    do { /* two at once, and the second counts if it exists: mostly the loop ends after one round */
        uint64_t rest = mask & (mask - 1), second = rest ? rest : mask;
        uint32_t a = from->first + (uint32_t)__builtin_ctzll(mask), b = from->first + (uint32_t)__builtin_ctzll(second);
        to->now[n] = c->now[a];
        to->now[n + 1] = c->now[b];
        to->old[n] = c->old[a];
        to->old[n + 1] = c->old[b];
        target[n] = c->target[a];
        target[n + 1] = c->target[b];
        _mm_storeu_si128((__m128i *)(void *)(to->own + 2 * n), own);
        _mm_storel_epi64((__m128i *)(void *)(observer + n), place);
        n += rest ? 2 : 1;
        mask = rest & (rest - 1);
    } while (mask != 0);
    return n;
}

/* The even, or odd, words of two vectors: 0x88, 0xdd. */
#define every_other(low, high, which) \
    _mm256_permute4x64_epi64( \
        _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), which)), 0xd8)

/* Sets the flags of drawn pairs, as phx_units_cross(); lanes beyond the last are overwritten. */
AVX2_INLINE void flag_drawn(const drawn *from, uint32_t count, const borders *b, bool square, phx_pairs *pairs)
{
    const __m256i leave = _mm256_set1_epi32((int)PHX_PAIR_LEAVE), unsure = _mm256_set1_epi32((int)PHX_PAIR_UNSURE);
    uint32_t *observer = pairs->observer + pairs->count;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i low = load_vector(from->own + 2 * i), high = load_vector(from->own + 2 * i + LANES);
        __m256i d = unit_distances(every_other(low, high, 0x88), load_vector(from->now + i), square);
        __m256i e = unit_distances(every_other(low, high, 0xdd), load_vector(from->old + i), square);
        __m256i enters = _mm256_andnot_si256(_mm256_cmpgt_epi32(d, b->in_low), _mm256_cmpgt_epi32(e, b->in_high));
        __m256i leaves = _mm256_andnot_si256(_mm256_cmpgt_epi32(e, b->near_low), _mm256_cmpgt_epi32(d, b->near_high));
        __m256i flags = _mm256_or_si256(_mm256_and_si256(leaves, leave),
                                        _mm256_andnot_si256(_mm256_or_si256(enters, leaves), unsure));
        store_vector(observer + i, _mm256_or_si256(load_vector(observer + i), flags));
    }
    pairs->count += count;
}

/* Turns masks into pairs. */
AVX2_INLINE void put_found_pairs(const found *list, uint32_t count, const phx_tile_candidates *c,
                                 const phx_tile_observers *watchers, const borders *b, bool square, phx_pairs *pairs)
{
    const phx_tile_candidates of = *c;
    drawn some; /* written before it is read */
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t now = watchers->now[list[i].watcher], old = watchers->old[list[i].watcher];
        n = draw_found(&some, n, &list[i], &of, now, old, pairs->observer + pairs->count, pairs->target + pairs->count);
        if (PHX_LIKELY(n <= DRAWN_MAX - GROUP)) continue;
        flag_drawn(&some, n, b, square, pairs);
        n = 0;
    }
    flag_drawn(&some, n, b, square, pairs);
}

/*
 * First finds the masks of all candidates of many observers, then turns masks with bits into pairs. No branch depends
 * on whether an observer has events, which in a crowd is as likely as not.
 */
AVX2_INLINE uint32_t match_all_candidates(const phx_tile_candidates *c, uint32_t count,
                                          const phx_tile_observers *watchers, const phx_tile_limits *limits,
                                          bool square, bool margin, phx_pairs *pairs)
{
    const borders b = load_borders(limits);
    const uint32_t *now = c->now, *old = c->old;
    found list[FOUND_MAX];
    uint32_t n = 0, w = 0;
    for (; w < watchers->count; w++) {
        if (pairs->capacity - pairs->count < (size_t)n * GROUP + count) { /* there may not be enough room */
            put_found_pairs(list, n, c, watchers, &b, square, pairs);
            n = 0;
            if (pairs->capacity - pairs->count < count) break;
        }
        watcher of = watcher_at(watchers->now, watchers->old, watchers->place[w]);
        for (uint32_t at = 0; at < count; at += GROUP) {
            uint64_t mask = group_mask(now + at, old + at, count - at, &of, &b, square, margin);
            list[n] = (found){mask, of.place, at};
            n += mask != 0;
            if (PHX_LIKELY(n < FOUND_MAX)) continue;
            put_found_pairs(list, n, c, watchers, &b, square, pairs);
            n = 0;
        }
    }
    put_found_pairs(list, n, c, watchers, &b, square, pairs);
    return w;
}

static bool has_margin(const phx_tile_limits *limits)
{
    return limits->in_low != limits->near_low || limits->in_high != limits->near_high;
}

AVX2 static uint32_t match_avx2(const phx_tile_candidates *c, uint32_t count, const phx_tile_observers *watchers,
                                const phx_tile_limits *limits, phx_pairs *pairs)
{
    if (limits->square) return match_all_candidates(c, count, watchers, limits, true, true, pairs);
    if (has_margin(limits)) return match_all_candidates(c, count, watchers, limits, false, true, pairs);
    return match_all_candidates(c, count, watchers, limits, false, false, pairs);
}

/* Candidates in three rows of cells of one observer, mostly a vector each: as in near[], ROW_BITS for each. */
enum { NINE_ROWS = 3, ROW_BITS = 16 };
static const uint64_t STENCIL_LONG = NEAR_LONG * (1ull | 1ull << ROW_BITS | 1ull << 2 * ROW_BITS);

/* The lanes of all rows in the nine cells around one. */
AVX2_INLINE uint64_t stencil_lanes(const phx_tile_cells *cells, uint32_t cell)
{
    const uint32_t *middle = cells->near + cell, *above = middle - cells->columns, *below = middle + cells->columns;
    return *above | (uint64_t)*middle << ROW_BITS | (uint64_t)*below << 2 * ROW_BITS;
}

AVX2_INLINE uint32_t count_mask_bits(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

/* The lanes of a vector from a place on that may be events. */
AVX2_INLINE uint32_t mask_at(const phx_tile_cells *cells, uint32_t first, const watcher *of, const borders *b,
                             bool square, bool margin)
{
    return lane_mask(event_lanes(cells->now + first, cells->old + first, of, b, square, margin));
}

AVX2_INLINE void put_at(const phx_tile_cells *cells, uint32_t place, uint32_t at, const phx_tile_limits *limits,
                        bool square, phx_pairs *pairs)
{
    put_pair(pairs, limits, place, phx_units_apart(cells->now[at], cells->now[place], square),
             phx_units_apart(cells->old[at], cells->old[place], square), at);
}

/* Puts the pairs of the lanes of a vector. */
AVX2_INLINE void put_mask(const phx_tile_cells *cells, uint32_t place, uint32_t first, uint32_t mask,
                          const phx_tile_limits *limits, bool square, phx_pairs *pairs)
{
    for (; mask != 0; mask &= mask - 1)
        put_at(cells, place, first + (uint32_t)__builtin_ctz(mask), limits, square, pairs);
}

/* Puts the pairs of one observer's nine cells, if a row of cells is longer than a vector. */
AVX2_INLINE void put_long_row_pairs(const phx_tile_cells *cells, const phx_ninegrid_cells *around, uint32_t place,
                                    uint64_t mask, const borders *b, const phx_tile_limits *limits, bool square,
                                    bool margin, phx_pairs *pairs)
{
    const watcher of = watcher_at(cells->now, cells->old, place);
    for (uint32_t r = 0; r < NINE_ROWS; r++, mask >>= ROW_BITS) {
        uint32_t first = around->row[r].first, end = around->row[r].end;
        put_mask(cells, place, first, mask & (NEAR_LONG - 1), limits, square, pairs);
        if (!(mask & NEAR_LONG)) continue;
        for (uint32_t i = first + LANES; i < end; i += LANES) {
            uint32_t some = mask_at(cells, i, &of, b, square, margin) & first_lane_bits(end - i);
            put_mask(cells, place, i, some, limits, square, pairs);
        }
    }
}

/* Puts the pairs of one observer's mask. false: there is no room. */
AVX2_INLINE bool put_stencil_pairs(const phx_tile_cells *cells, uint32_t place, uint64_t mask, const borders *b,
                                   const phx_tile_limits *limits, bool square, bool margin, phx_pairs *pairs)
{
    const uint32_t cell = cells->cell[place], room = pairs->capacity - pairs->count;
    if (PHX_UNLIKELY((mask & STENCIL_LONG) != 0 || room < NINE_ROWS * LANES)) {
        const phx_ninegrid_cells around = phx_cells_around(cells, cell);
        if (room < around.count) return false;
        put_long_row_pairs(cells, &around, place, mask, b, limits, square, margin, pairs);
        pairs->tested += around.count - count_mask_bits(stencil_lanes(cells, cell));
        return true;
    }
    const uint32_t *above = cells->start + cell - 1 - cells->columns;
    do {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask), first = above[bit / ROW_BITS * cells->columns];
        put_at(cells, place, first + bit % ROW_BITS, limits, square, pairs);
    } while ((mask &= mask - 1) != 0);
    return true;
}

/*
 * Finds the masks of a range of observers. Returns how many have bits. *tested: adds the candidates, of a row of cells
 * a vector at most.
 */
AVX2_INLINE uint32_t find_stencil_masks(const phx_tile_cells *cells, const phx_tile_observers *watchers, phx_span range,
                                        const borders *b, bool square, bool margin, phx_found_ninegrid *list,
                                        uint64_t *tested)
{
    const uint32_t *now = watchers->now, *old = watchers->old, *places = watchers->place;
    const size_t columns = cells->columns;
    uint64_t sum = 0;
    uint32_t n = 0;
    for (uint32_t w = range.first; w < range.end; w++) {
        const watcher of = watcher_at(now, old, places[w]);
        const uint32_t cell = cells->cell[of.place], *middle = cells->start + cell - 1;
        uint32_t a = mask_at(cells, *(middle - columns), &of, b, square, margin);
        uint64_t m = mask_at(cells, *middle, &of, b, square, margin);
        uint64_t c = mask_at(cells, *(middle + columns), &of, b, square, margin);
        uint64_t there = stencil_lanes(cells, cell),
                 some = (STENCIL_LONG | a | m << ROW_BITS | c << 2 * ROW_BITS) & there;
        list[n] = (phx_found_ninegrid){some, w};
        n += some != 0;
        sum += count_mask_bits(there);
    }
    *tested += sum;
    return n;
}

/* As match_all_candidates(): first masks, then pairs of the masks with bits. */
AVX2_INLINE uint32_t match_stencil_cells(const phx_tile_cells *cells, const phx_tile_observers *watchers,
                                         const phx_tile_limits *limits, bool square, bool margin, phx_pairs *pairs)
{
    const borders b = load_borders(limits);
    const uint32_t *place = watchers->place;
    enum { AT_ONCE = 128 }; /* observers with masks that wait to become pairs: 2 KiB */
    phx_found_ninegrid list[AT_ONCE];
    for (uint32_t w = 0, end; w < watchers->count; w = end) {
        end = watchers->count - w < AT_ONCE ? watchers->count : w + AT_ONCE;
        uint32_t n = find_stencil_masks(cells, watchers, (phx_span){w, end}, &b, square, margin, list, &pairs->tested);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = list[i].watcher;
            if (put_stencil_pairs(cells, place[at], list[i].mask, &b, limits, square, margin, pairs)) continue;
            for (w = at; w < end; w++) pairs->tested -= count_mask_bits(stencil_lanes(cells, cells->cell[place[w]]));
            return at;
        }
    }
    return watchers->count;
}

AVX2 static uint32_t match_sparse_avx2(const phx_tile_cells *cells, const phx_tile_observers *watchers,
                                       const phx_tile_limits *limits, phx_pairs *pairs)
{
    if (limits->square) return match_stencil_cells(cells, watchers, limits, true, true, pairs);
    if (has_margin(limits)) return match_stencil_cells(cells, watchers, limits, false, true, pairs);
    return match_stencil_cells(cells, watchers, limits, false, false, pairs);
}

AVX2 static uint32_t unsure_avx2(const phx_pairs *pairs, uint32_t *which)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i += LANES) {
        __m256i flag = _mm256_slli_epi32(load_vector(pairs->observer + i), 1); /* PHX_PAIR_UNSURE becomes the sign */
        choice of = choose_lanes(lane_mask(flag) & first_lane_bits(pairs->count - i));
        store_chosen_lanes(which + n, &of, lanes_from(i));
        n += of.count;
    }
    return n;
}

/* Turns sure pairs into words and their observers, packed. Returns how many. */
AVX2_INLINE uint32_t take_sure(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words)
{
    const __m256i leave = _mm256_set1_epi32((int)PHX_TARGET_LEAVE);
    const uint32_t *const target = pairs->target, count = pairs->count;
    uint32_t *const observers = pairs->observer, n = 0;
    for (uint32_t i = 0; row && i < count; i++) words[i] = slots[row[target[i]]];
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i word = load_vector((row ? words : target) + i), observer = load_vector(observers + i);
        word = _mm256_or_si256(word, _mm256_and_si256(_mm256_srli_epi32(observer, 1), leave));
        choice of = choose_lanes(~lane_mask(_mm256_slli_epi32(observer, 1)) & first_lane_bits(count - i));
        store_chosen_lanes(words + n, &of, word);
        store_chosen_lanes(observers + n, &of, observer);
        n += of.count;
    }
    return n;
}

AVX2 static void resolve_avx2(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                              phx_observer_runs *runs)
{
    const __m256i of_place = _mm256_set1_epi32((int)PHX_PAIR_PLACE);
    const __m256i one_back = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    const phx_observer_runs to = *runs; /* stores below may alias the fields */
    const uint32_t *const observers = pairs->observer, n = take_sure(pairs, row, slots, words);
    __m256i last = _mm256_set1_epi32(-1);
    uint32_t r = 0, specials = 0, gone = 0;
    for (uint32_t i = 0; i < n; i += LANES) {
        __m256i observer = load_vector(observers + i), place = _mm256_and_si256(observer, of_place);
        __m256i turned = _mm256_permutevar8x32_epi32(place, one_back);
        __m256i same = _mm256_cmpeq_epi32(place, _mm256_blend_epi32(turned, last, 1));
        __m256i leave = _mm256_srli_epi32(observer, 31), before = _mm256_set1_epi32((int)gone);
        before = _mm256_add_epi32(before, _mm256_sub_epi32(prefix_sums(leave), leave));
        uint32_t lanes = first_lane_bits(n - i);
        choice begins = choose_lanes(~lane_mask(same) & lanes),
               special = choose_lanes(lane_mask(load_vector(words + i)) & lanes);
        store_chosen_lanes(to.place + r, &begins, place);
        store_chosen_lanes(to.first + r, &begins, lanes_from(i));
        store_chosen_lanes(to.leaves + r, &begins, before);
        store_chosen_lanes(to.special + specials, &special, lanes_from(i));
        r += begins.count;
        specials += special.count;
        gone += (uint32_t)__builtin_popcount(lane_mask(observer) & lanes);
        last = turned;
    }
    to.first[r] = to.special[specials] = n;
    to.leaves[r] = gone;
    runs->count = r;
}

/* ---- sparse plan ---- */

/* The positions of a vector in range of a position. r: squared for circles. */
AVX2_INLINE __m256 positions_in_view(const float *x, const float *y, __m256 px, __m256 py, __m256 r, bool square)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 dx = _mm256_sub_ps(px, _mm256_loadu_ps(x)), dy = _mm256_sub_ps(py, _mm256_loadu_ps(y));
    if (!square) return _mm256_cmp_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), r, _CMP_LE_OQ);
    return _mm256_and_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, dx), r, _CMP_LE_OQ),
                         _mm256_cmp_ps(_mm256_andnot_ps(sign, dy), r, _CMP_LE_OQ));
}

enum { FEW = 4 * LANES }; /* rows at once: mostly all of a range, and no branch depends on how many */

/* Of up to FEW rows: rows that are in view now or were before, not both; and rows that were before. */
typedef struct crossing_rows {
    uint32_t crossed, was;
} crossing_rows;

/* A querying row, in registers: all lanes alike. */
typedef struct stepper {
    __m256 x, y, ox, oy, r;
} stepper;

AVX2_INLINE crossing_rows view_change_masks(const phx_grid_rows *rows, uint32_t first, uint32_t count,
                                            const stepper *by, bool square)
{
    crossing_rows some = {0, 0};
    for (uint32_t k = 0; k < FEW; k += LANES) {
        uint32_t i = first + k;
        __m256 is = positions_in_view(rows->x + i, rows->y + i, by->x, by->y, by->r, square);
        __m256 was = positions_in_view(rows->ox + i, rows->oy + i, by->ox, by->oy, by->r, square);
        some.crossed |= (uint32_t)_mm256_movemask_ps(_mm256_xor_ps(is, was)) << k;
        some.was |= (uint32_t)_mm256_movemask_ps(was) << k;
    }
    if (count < FEW) some.crossed &= (1u << count) - 1;
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

AVX2_INLINE uint32_t find_row_changes(const phx_grid_rows *rows, const phx_row_ranges *looks, phx_span some, float r,
                                      bool square, const phx_view_changes *out)
{
    const phx_grid_rows at = *rows;
    const __m256 limit = _mm256_set1_ps(square ? r : r * r);
    uint32_t n = 0;
    for (uint32_t l = some.first; l < some.end; l++) {
        const uint32_t row = looks->row[l], end = looks->end[l];
        const stepper by = {_mm256_set1_ps(at.x[row]), _mm256_set1_ps(at.y[row]), _mm256_set1_ps(at.ox[row]),
                            _mm256_set1_ps(at.oy[row]), limit};
        for (uint32_t i = looks->first[l]; i < end; i += FEW)
            n = put_view_changes(row, i, view_change_masks(&at, i, end - i, &by, square), n, out);
    }
    return n;
}

AVX2 static uint32_t crossed_avx2(const phx_grid_rows *rows, const phx_row_ranges *looks, phx_span some,
                                  const phx_view_range *limit, const phx_view_changes *out)
{
    if (limit->square) return find_row_changes(rows, looks, some, limit->r, true, out);
    return find_row_changes(rows, looks, some, limit->r, false, out);
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
AVX2_INLINE sides tower_sides(const phx_lookup *sight, int axis, uint32_t block, __m256 p)
{
    const phx_rules *rules = sight->rules;
    const __m256 origin = _mm256_set1_ps(rules->origin[axis]), size = _mm256_set1_ps(rules->tower_size);
    const __m256 last = _mm256_set1_ps((float)(rules->towers[axis] - 1));
    const __m256 r = _mm256_set1_ps(phx_box_reach(sight->reach));
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
AVX2_INLINE void put_spilled_rows(phx_row_ranges *looks, uint32_t axes, __m256i lanes, __m256i row)
{
    const choice some = choose_lanes(lane_mask(lanes));
    store_chosen_lanes(looks->beyond[axes] + looks->beyond_count[axes], &some, row);
    looks->beyond_count[axes] += some.count;
}

/* A row of towers at a time, of all lanes. */
AVX2 static void look_avx2(const phx_grid_rows *rows, const phx_lookup *sight, const uint32_t *who, uint32_t count,
                           phx_row_ranges *looks)
{
    const phx_block *block = sight->block;
    const int *starts = (const int *)(const void *)block->start, *ends = starts + 1;
    const __m256i first = _mm256_set1_epi32((int)sight->at.first), end = _mm256_set1_epi32((int)sight->at.end);
    const __m256i one = _mm256_set1_epi32(1), none = _mm256_setzero_si256();
    uint64_t length = 0;
    uint32_t n = 0;
    for (uint32_t b = 0; b < PHX_BEYONDS; b++) looks->beyond_count[b] = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), lanes_from(0));
        __m256i row = _mm256_maskload_epi32((const int *)(const void *)(who + i), lanes);
        sides x = tower_sides(sight, 0, block->bx, _mm256_i32gather_ps(rows->x, row, sizeof(float)));
        sides y = tower_sides(sight, 1, block->by, _mm256_i32gather_ps(rows->y, row, sizeof(float)));
        x.beyond = _mm256_and_si256(x.beyond, lanes);
        y.beyond = _mm256_and_si256(y.beyond, lanes);
        put_spilled_rows(looks, PHX_SPILL_X, x.beyond, row);
        put_spilled_rows(looks, PHX_SPILL_Y, y.beyond, row);
        put_spilled_rows(looks, PHX_SPILL_BOTH, _mm256_and_si256(x.beyond, y.beyond), row);
        lanes = up_to(lanes, x.low, x.high);
        while (lane_mask(lanes = up_to(lanes, y.low, y.high)) != 0) {
            __m256i line = _mm256_slli_epi32(y.low, PHX_BLOCK_BITS);
            __m256i begin = _mm256_mask_i32gather_epi32(none, starts, _mm256_add_epi32(line, x.low), lanes, 4);
            __m256i stop = _mm256_mask_i32gather_epi32(none, ends, _mm256_add_epi32(line, x.high), lanes, 4);
            begin = _mm256_max_epu32(begin, first);
            stop = _mm256_min_epu32(stop, end);
            const __m256i some = _mm256_and_si256(_mm256_cmpgt_epi32(stop, begin), lanes); /* rows are 31 bits */
            const choice of = choose_lanes(lane_mask(some));
            store_chosen_lanes(looks->row + n, &of, row);
            store_chosen_lanes(looks->first + n, &of, begin);
            store_chosen_lanes(looks->end + n, &of, stop);
            for (uint32_t k = n; k < n + of.count; k++) length += looks->end[k] - looks->first[k];
            n += of.count;
            y.low = _mm256_add_epi32(y.low, one);
        }
    }
    looks->count = n;
    looks->length = length;
}

/* ---- areas and caps ---- */

AVX2 static uint32_t scan_avx2(const phx_grid_rows *rows, phx_span span, const phx_range *area, uint32_t *slots,
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

AVX2 static uint32_t nearer_avx2(uint32_t *slots, float *squares, uint32_t count, float limit)
{
    const __m256 most = _mm256_set1_ps(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __m256i slot = load_vector(slots + i);
        __m256 square = _mm256_loadu_ps(squares + i);
        uint32_t stays = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(square, most, _CMP_LE_OQ)) | lane_mask(slot);
        choice of = choose_lanes(stays & first_lane_bits(count - i));
        store_chosen_lanes(slots + n, &of, slot);
        keep_floats(squares + n, &of, square);
        n += of.count;
    }
    return n;
}

/* Keys of half a vector: squares times 1, or times sticky. */
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
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), lanes_from(0));
        __m256i marks =
            _mm256_mask_i32gather_epi32(zero, (const int *)(const void *)mark, load_vector(slots + i), lanes, 4);
        __m256i in = _mm256_and_si256(_mm256_cmpeq_epi32(marks, own), lanes);
        put_keys(keys + i, _mm_loadu_ps(squares + i), _mm256_castsi256_si128(in), sticky);
        put_keys(keys + i + HALF, _mm_loadu_ps(squares + i + HALF), _mm256_extracti128_si256(in, 1), sticky);
        __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(in), _mm256_extracti128_si256(in, 1));
        __m128i bytes = _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
        _mm_storel_epi64((__m128i *)(void *)(was + i), bytes);
        n += (uint32_t)__builtin_popcount(lane_mask(in));
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

AVX2 static uint32_t within_avx2(const double *keys, uint32_t count, double limit)
{
    const __m256d most = _mm256_set1_pd(limit);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        n += (uint32_t)__builtin_popcount(count_keys_within(keys + i, most) & first_lane_bits(count - i));
    return n;
}

AVX2 static phx_cap_split divide_avx2(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
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

AVX2 static uint32_t find_avx2(const uint32_t *array, uint32_t count, uint32_t value)
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

AVX2 static uint32_t missing_avx2(const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count)
{
    return phx_missing_by(find_avx2, array, count, values, value_count);
}

/*
 * Ranks two vectors of keys at a time, independent of each other, against every key and some padding that comes last.
 */
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
        int32_t key[PHX_ORDER_FEW + 2 * LANES]; /* the last vector may be padding alone, and is left out */
        uint32_t count = of->end[c] - at;
        phx_keys_of(by, of->targets + at, count, key);
        _mm256_storeu_si256((__m256i *)(void *)(key + count), _mm256_set1_epi32(INT32_MAX));
        rank_change_keys(key, count, of->first[c], place + at);
    }
}

/* Ranks words of 64 bits: a kind, or an id with its sign flipped, for a signed order. same: all kinds are equal. */
AVX2_INLINE void rank_names(const uint64_t *id, const uint16_t *kind, uint32_t count, bool same, uint32_t *place)
{
    int64_t ids[PHX_ORDER_FEW + HALF], kinds[PHX_ORDER_FEW + HALF];
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

AVX2 static void rank_avx2(const uint64_t *words, uint32_t count, uint32_t *place)
{
    rank_names(words, NULL, count, true, place);
}

const phx_kernels phx_kernels_avx2 = {.cull_rows = pick_avx2,
                                      .cell_offsets = starts_avx2,
                                      .indices_in_range = within_rows_avx2,
                                      .gather = gather_avx2,
                                      .match = match_avx2,
                                      .match_stencil = match_sparse_avx2,
                                      .collect_unsure = unsure_avx2,
                                      .pairs_to_runs = resolve_avx2,
                                      .range_scan = scan_avx2,
                                      .plan_row_ranges = look_avx2,
                                      .find_view_changes = crossed_avx2,
                                      .keep_within = nearer_avx2,
                                      .cap_keys = weigh_avx2,
                                      .count_within = within_avx2,
                                      .split_at_limit = divide_avx2,
                                      .find_u32 = find_avx2,
                                      .set_difference = missing_avx2,
                                      .order_keys = order_keys_avx2,
                                      .order = order_avx2,
                                      .rank_words = rank_avx2,
                                      .rank_most = 40,
                                      .merge = phx_merge_words};

#endif
