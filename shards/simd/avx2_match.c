/*
 * Kernels of pairs for AVX2; see avx2_match.h and kernels.h. Float operations are the portable kernels', each rounded
 * on its own.
 */
#include "shards/simd/avx2_match.h"

#include "shards/simd/scalar.h"

#if defined(__x86_64__)

#include "shards/simd/avx2_lanes.h"

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
    __m256i in_low, in_high, keep_low, keep_high;
    bool bounded;
    __m256 r, farther; /* bounded: the limits' r and margin; */
    __m256i unsure;    /* and how far from a border units can not decide */
    bool sphere, cylinder;
    __m256i steep, level; /* of a cylinder; bounded: without the middle */
} borders;

AVX2_INLINE borders load_borders(const phx_tile_limits *limits, bool bounded)
{
    return (borders){_mm256_set1_epi32(limits->in_low),
                     _mm256_set1_epi32(limits->in_high),
                     _mm256_set1_epi32(limits->keep_low),
                     _mm256_set1_epi32(limits->keep_high),
                     bounded,
                     _mm256_set1_ps(limits->r),
                     _mm256_set1_ps(limits->margin),
                     _mm256_set1_epi32(limits->unsure),
                     false,
                     false,
                     _mm256_setzero_si256(),
                     _mm256_setzero_si256()};
}

/* Where heights count. */
AVX2_INLINE borders load_levels(const phx_tile_limits *limits, bool sphere, bool bounded)
{
    borders b = load_borders(limits, bounded);
    b.sphere = sphere;
    b.cylinder = !sphere;
    b.steep = _mm256_set1_epi32(limits->levels->steep);
    b.level = _mm256_set1_epi32(limits->levels->level + (bounded ? 0 : phx_limits_middle(limits)));
    return b;
}

/* Distances as heights count, from those in the plane; dz: differences now, and before in the upper halves. */
AVX2_INLINE __m256i level_distances(__m256i apart, __m256i dz, bool before, const borders *b)
{
    dz = before ? _mm256_srli_epi32(dz, 16) : _mm256_and_si256(dz, _mm256_set1_epi32(0xffff));
    if (b->sphere) return _mm256_add_epi32(apart, _mm256_madd_epi16(dz, dz));
    return _mm256_max_epi32(apart, _mm256_add_epi32(b->level, _mm256_madd_epi16(_mm256_abs_epi16(dz), b->steep)));
}

/* The borders for candidates with these bounds; bound is read if borders are bounded. */
AVX2_INLINE borders borders_within(const borders *b, const float *bound, bool square)
{
    if (!b->bounded) return *b;
    const __m256 r = _mm256_min_ps(_mm256_loadu_ps(bound), b->r), far = _mm256_add_ps(r, b->farther);
    const __m256i in = _mm256_cvttps_epi32(square ? r : _mm256_mul_ps(r, r));
    const __m256i keep = _mm256_cvttps_epi32(square ? far : _mm256_mul_ps(far, far));
    const __m256i low = _mm256_add_epi32(b->unsure, _mm256_set1_epi32(1));
    borders own = *b;
    own.in_low = _mm256_sub_epi32(in, low), own.in_high = _mm256_add_epi32(in, b->unsure);
    own.keep_low = _mm256_sub_epi32(keep, low), own.keep_high = _mm256_add_epi32(keep, b->unsure);
    own.level = _mm256_add_epi32(b->level, in);
    return own;
}

/* Some bounds, or heights, farther on; NULL stays so. */
AVX2_INLINE const float *bounds_from(const float *bound, uint32_t first)
{
    return bound ? bound + first : NULL;
}

AVX2_INLINE const uint32_t *heights_from(const uint32_t *height, uint32_t first)
{
    return height ? height + first : NULL;
}

/* The observer that is matched. */
typedef struct tile_observer {
    uint32_t place;
    __m256i now, old, height; /* height: where heights count */
} tile_observer;

AVX2_INLINE tile_observer tile_observer_at(const uint32_t *now, const uint32_t *old, uint32_t place)
{
    return (tile_observer){place, _mm256_set1_epi32((int)now[place]), _mm256_set1_epi32((int)old[place]),
                           _mm256_setzero_si256()};
}

/*
 * Lanes of candidates that may be events. AVX2 has only "greater": an enter is not (d beyond high) and e beyond low.
 * Without a margin, enter or leave is the same as: one of d and e beyond low, and one of them not beyond high.
 */
AVX2_INLINE __m256i event_lanes(const uint32_t *now, const uint32_t *old, const float *bound, const uint32_t *height,
                                const tile_observer *of, const borders *all, bool square, bool margin)
{
    const borders within = borders_within(all, bound, square), *b = &within;
    __m256i d = unit_distances(of->now, load_vector(now), square),
            e = unit_distances(of->old, load_vector(old), square);
    if (b->sphere || b->cylinder) {
        PHX_ASSERT(height);
        const __m256i dz = _mm256_sub_epi16(load_vector(height), of->height);
        d = level_distances(d, dz, false, b);
        e = level_distances(e, dz, true, b);
    }
    if (!margin)
        return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_min_epi32(d, e), b->in_high),
                                   _mm256_cmpgt_epi32(_mm256_max_epi32(d, e), b->in_low));
    __m256i enter = _mm256_andnot_si256(_mm256_cmpgt_epi32(d, b->in_high), _mm256_cmpgt_epi32(e, b->in_low));
    __m256i leave = _mm256_andnot_si256(_mm256_cmpgt_epi32(e, b->keep_high), _mm256_cmpgt_epi32(d, b->keep_low));
    return _mm256_or_si256(enter, leave);
}

/* Candidates of one observer that may be events: bits of a mask, from one candidate on. */
typedef struct found {
    uint64_t mask;
    uint32_t observer, first;
} found;

enum {
    QUAD = 4 * LANES, /* candidates of four vectors, packed to bytes, */
    GROUP = 2 * QUAD, /* and candidates of a mask */
    FOUND_MAX = 64    /* masks with events that wait to become pairs: a KiB */
};

/* Bits of four vectors; packing leaves them in interleaved quarters. */
AVX2_INLINE uint32_t quad_mask(const uint32_t *now, const uint32_t *old, const float *bound, const uint32_t *height,
                               const tile_observer *of, const borders *b, bool square, bool margin)
{
    const __m256i in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i v[4];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; i++)
        v[i] = event_lanes(now + i * LANES, old + i * LANES, bounds_from(bound, i * LANES),
                           heights_from(height, i * LANES), of, b, square, margin);
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, in_turn));
}

/* Of up to GROUP candidates. */
AVX2_INLINE uint64_t group_mask(const uint32_t *now, const uint32_t *old, const float *bound, const uint32_t *height,
                                uint32_t count, const tile_observer *of, const borders *b, bool square, bool margin)
{
    uint64_t mask = quad_mask(now, old, bound, height, of, b, square, margin);
    if (count > QUAD)
        mask |= (uint64_t)quad_mask(now + QUAD, old + QUAD, bounds_from(bound, QUAD), heights_from(height, QUAD), of, b,
                                    square, margin)
                << QUAD;
    return count >= GROUP ? mask : mask & ((UINT64_C(1) << count) - 1);
}

/* Appends a pair. */
AVX2_INLINE void put_pair(phx_pairs *pairs, const phx_tile_limits *limits, const float *bound, uint32_t place,
                          int32_t d, int32_t e, uint32_t target)
{
    uint32_t flags;
    if (bound) {
        const phx_tile_limits own = phx_bounded_limits(limits, *bound);
        (void)phx_units_cross(d, e, &own, &flags);
    } else {
        (void)phx_units_cross(d, e, limits, &flags);
    }
    pairs->observer[pairs->count] = place | flags;
    pairs->target[pairs->count++] = target;
}

/* Pairs on their way from masks to flags: the positions of both sides; observers and targets are in place already. */
enum { DRAWN_MAX = 4 * GROUP };
typedef struct drawn {
    uint32_t now[DRAWN_MAX + LANES], old[DRAWN_MAX + LANES]; /* of targets */
    uint32_t own[2 * (DRAWN_MAX + LANES)];                   /* of observers: now, old, now, ... */
    float bound[DRAWN_MAX + LANES];                          /* of targets, if they have any */
    uint32_t height[DRAWN_MAX + LANES];                      /* where heights count: of targets, */
    uint32_t own_height[DRAWN_MAX + LANES];                  /* and of observers */
} drawn;

/* Draws the candidates of one mask, behind n drawn ones. Returns the new n. */
AVX2_INLINE uint32_t draw_found(drawn *to, uint32_t n, const found *from, const phx_tile_candidates *c, bool bounded,
                                const phx_tile_levels *levels, uint32_t now, uint32_t old, uint32_t *observer,
                                uint32_t *target)
{
    const __m128i place = _mm_set1_epi32((int)from->observer);
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
        if (bounded) {
            to->bound[n] = c->bound[a];
            to->bound[n + 1] = c->bound[b];
        }
        if (levels) {
            to->height[n] = c->height[a];
            to->height[n + 1] = c->height[b];
            to->own_height[n] = to->own_height[n + 1] = levels->by_place[from->observer];
        }
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
AVX2_INLINE void flag_drawn(const drawn *from, uint32_t count, const borders *all, bool square, phx_pairs *pairs)
{
    const __m256i leave = _mm256_set1_epi32((int)PHX_PAIR_LEAVE), unsure = _mm256_set1_epi32((int)PHX_PAIR_UNSURE);
    uint32_t *observer = pairs->observer + pairs->count;
    for (uint32_t i = 0; i < count; i += LANES) {
        const borders within = borders_within(all, from->bound + i, square), *b = &within;
        __m256i low = load_vector(from->own + 2 * i), high = load_vector(from->own + 2 * i + LANES);
        __m256i d = unit_distances(every_other(low, high, 0x88), load_vector(from->now + i), square);
        __m256i e = unit_distances(every_other(low, high, 0xdd), load_vector(from->old + i), square);
        if (b->sphere || b->cylinder) {
            const __m256i dz = _mm256_sub_epi16(load_vector(from->height + i), load_vector(from->own_height + i));
            d = level_distances(d, dz, false, b);
            e = level_distances(e, dz, true, b);
        }
        __m256i enters = _mm256_andnot_si256(_mm256_cmpgt_epi32(d, b->in_low), _mm256_cmpgt_epi32(e, b->in_high));
        __m256i leaves = _mm256_andnot_si256(_mm256_cmpgt_epi32(e, b->keep_low), _mm256_cmpgt_epi32(d, b->keep_high));
        __m256i flags = _mm256_or_si256(_mm256_and_si256(leaves, leave),
                                        _mm256_andnot_si256(_mm256_or_si256(enters, leaves), unsure));
        store_vector(observer + i, _mm256_or_si256(load_vector(observer + i), flags));
    }
    pairs->count += count;
}

/* Turns masks into pairs. */
AVX2_INLINE void put_found_pairs(const found *list, uint32_t count, const phx_tile_candidates *c,
                                 const phx_tile_observers *observers, const borders *b, bool square,
                                 const phx_tile_levels *levels, phx_pairs *pairs)
{
    const phx_tile_candidates of = *c;
    drawn some; /* written before it is read */
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t now = observers->now[list[i].observer], old = observers->old[list[i].observer];
        n = draw_found(&some, n, &list[i], &of, b->bounded, levels, now, old, pairs->observer + pairs->count,
                       pairs->target + pairs->count);
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
                                          const phx_tile_observers *observers, const phx_tile_limits *limits,
                                          const phx_tile_levels *levels, bool square, bool margin, bool bounded,
                                          bool sphere, phx_pairs *pairs)
{
    const borders b = levels ? load_levels(limits, sphere, bounded) : load_borders(limits, bounded);
    const uint32_t *now = c->now, *old = c->old, *height = levels ? c->height : NULL;
    const float *bound = bounded ? c->bound : NULL;
    found list[FOUND_MAX];
    uint32_t n = 0, w = 0;
    for (; w < observers->count; w++) {
        if (pairs->capacity - pairs->count < (size_t)n * GROUP + count) { /* there may not be enough room */
            put_found_pairs(list, n, c, observers, &b, square, levels, pairs);
            n = 0;
            if (pairs->capacity - pairs->count < count) break;
        }
        tile_observer of = tile_observer_at(observers->now, observers->old, observers->place[w]);
        if (levels) of.height = _mm256_set1_epi32((int)levels->by_place[of.place]);
        for (uint32_t at = 0; at < count; at += GROUP) {
            uint64_t mask = group_mask(now + at, old + at, bounds_from(bound, at), heights_from(height, at), count - at,
                                       &of, &b, square, margin);
            list[n] = (found){mask, of.place, at};
            n += mask != 0;
            if (PHX_LIKELY(n < FOUND_MAX)) continue;
            put_found_pairs(list, n, c, observers, &b, square, levels, pairs);
            n = 0;
        }
    }
    put_found_pairs(list, n, c, observers, &b, square, levels, pairs);
    return w;
}

static bool has_margin(const phx_tile_limits *limits)
{
    return limits->in_low != limits->keep_low || limits->in_high != limits->keep_high;
}

AVX2 uint32_t phx_match_avx2(const phx_tile_candidates *c, uint32_t count, const phx_tile_observers *observers,
                             const phx_tile_limits *limits, phx_pairs *pairs)
{
    const phx_tile_levels *levels = limits->levels;
#define MATCH(levels, square, margin, bounded, sphere) \
    match_all_candidates(c, count, observers, limits, levels, square, margin, bounded, sphere, pairs)
    PHX_ASSERT(!levels || !(limits->square || has_margin(limits)));
    if (levels && c->bound)
        return levels->sphere ? MATCH(levels, false, false, true, true) : MATCH(levels, false, false, true, false);
    if (levels)
        return levels->sphere ? MATCH(levels, false, false, false, true) : MATCH(levels, false, false, false, false);
    if (c->bound) return MATCH(NULL, limits->square, limits->margin > 0.0f, true, false);
    if (limits->square) return MATCH(NULL, true, true, false, false);
    return has_margin(limits) ? MATCH(NULL, false, true, false, false) : MATCH(NULL, false, false, false, false);
#undef MATCH
}

/* Candidates in three rows of cells of one observer, mostly a vector each: as in stencil[], ROW_BITS for each. */
enum { STENCIL_ROWS = 3, ROW_BITS = 16 };
static const uint64_t STENCIL_LONG = STENCIL_MORE * (1ull | 1ull << ROW_BITS | 1ull << 2 * ROW_BITS);

/* The lanes of all rows in the nine cells around one. */
AVX2_INLINE uint64_t stencil_lanes(const phx_tile_cells *cells, uint32_t cell)
{
    const uint32_t *middle = cells->stencil + cell, *above = middle - cells->columns, *below = middle + cells->columns;
    return *above | (uint64_t)*middle << ROW_BITS | (uint64_t)*below << 2 * ROW_BITS;
}

AVX2_INLINE uint32_t count_mask_bits(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

/* The lanes of a vector from a place on that may be events. */
AVX2_INLINE uint32_t mask_at(const phx_tile_cells *cells, uint32_t first, const tile_observer *of, const borders *b,
                             bool square, bool margin)
{
    const float *bound = b->bounded ? cells->bound + first : NULL;
    return lane_mask(event_lanes(cells->now + first, cells->old + first, bound, NULL, of, b, square, margin));
}

AVX2_INLINE void put_at(const phx_tile_cells *cells, uint32_t place, uint32_t at, const phx_tile_limits *limits,
                        bool square, phx_pairs *pairs)
{
    put_pair(pairs, limits, cells->bound ? cells->bound + at : NULL, place,
             phx_units_apart(cells->now[at], cells->now[place], square),
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
AVX2_INLINE void put_long_row_pairs(const phx_tile_cells *cells, const phx_stencil_cells *around, uint32_t place,
                                    uint64_t mask, const borders *b, const phx_tile_limits *limits, bool square,
                                    bool margin, phx_pairs *pairs)
{
    const tile_observer of = tile_observer_at(cells->now, cells->old, place);
    for (uint32_t r = 0; r < STENCIL_ROWS; r++, mask >>= ROW_BITS) {
        uint32_t first = around->row[r].first, end = around->row[r].end;
        put_mask(cells, place, first, mask & (STENCIL_MORE - 1), limits, square, pairs);
        if (!(mask & STENCIL_MORE)) continue;
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
    if (PHX_UNLIKELY((mask & STENCIL_LONG) != 0 || room < STENCIL_ROWS * LANES)) {
        const phx_stencil_cells around = phx_cells_around(cells, cell);
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
AVX2_INLINE uint32_t find_stencil_masks(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                        phx_span range, const borders *b, bool square, bool margin,
                                        phx_found_ninegrid *list, uint64_t *tested)
{
    const uint32_t *now = observers->now, *old = observers->old, *places = observers->place;
    const size_t columns = cells->columns;
    uint64_t sum = 0;
    uint32_t n = 0;
    for (uint32_t w = range.first; w < range.end; w++) {
        const tile_observer of = tile_observer_at(now, old, places[w]);
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
AVX2_INLINE uint32_t match_stencil_cells(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                         const phx_tile_limits *limits, bool square, bool margin, bool bounded,
                                         phx_pairs *pairs)
{
    const borders b = load_borders(limits, bounded);
    const uint32_t *place = observers->place;
    enum { AT_ONCE = 128 }; /* observers with masks that wait to become pairs: 2 KiB */
    phx_found_ninegrid list[AT_ONCE];
    for (uint32_t w = 0, end; w < observers->count; w = end) {
        end = observers->count - w < AT_ONCE ? observers->count : w + AT_ONCE;
        uint32_t n = find_stencil_masks(cells, observers, (phx_span){w, end}, &b, square, margin, list, &pairs->tested);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = list[i].observer;
            if (put_stencil_pairs(cells, place[at], list[i].mask, &b, limits, square, margin, pairs)) continue;
            for (w = at; w < end; w++) pairs->tested -= count_mask_bits(stencil_lanes(cells, cells->cell[place[w]]));
            return at;
        }
    }
    return observers->count;
}

AVX2 uint32_t phx_match_stencil_avx2(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                     const phx_tile_limits *limits, phx_pairs *pairs)
{
    if (cells->bound)
        return match_stencil_cells(cells, observers, limits, limits->square, limits->margin > 0.0f, true, pairs);
    if (limits->square) return match_stencil_cells(cells, observers, limits, true, true, false, pairs);
    if (has_margin(limits)) return match_stencil_cells(cells, observers, limits, false, true, false, pairs);
    return match_stencil_cells(cells, observers, limits, false, false, false, pairs);
}

AVX2 uint32_t phx_collect_flagged_avx2(const uint32_t *words, uint32_t count, uint32_t flag, uint32_t *which)
{
    const __m128i up = _mm_cvtsi32_si128(__builtin_clz(flag)); /* the flag becomes the sign */
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        choice of = choose_lanes(lane_mask(_mm256_sll_epi32(load_vector(words + i), up)) & first_lane_bits(count - i));
        store_chosen_lanes(which + n, &of, lanes_from(i));
        n += of.count;
    }
    return n;
}

/* Turns sure pairs into words and their observers, packed. Returns how many. */
AVX2_INLINE uint32_t pack_sure(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words)
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

AVX2 void phx_pairs_to_runs_avx2(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                                 phx_observer_runs *runs)
{
    const __m256i of_place = _mm256_set1_epi32((int)PHX_PAIR_PLACE);
    const __m256i one_back = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    const phx_observer_runs to = *runs; /* stores below may alias the fields */
    const uint32_t *const observers = pairs->observer, n = pack_sure(pairs, row, slots, words);
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

#endif
