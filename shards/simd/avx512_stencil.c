/*
 * The kernels of sparse tiles for AVX-512: begins of cells, and the match of observers with the nine cells around each,
 * mostly a vector for each row of three; see kernels.h. First all observers are compared without a branch on the
 * result, then the observers with candidates are handled. Called in the interest phase.
 */
#include "shards/simd/kernels.h"

#if defined(__x86_64__)

#include "shards/entity/bounds.h"
#include "shards/simd/avx512_lanes.h"
#include "shards/simd/avx512_stencil.h"
#include "shards/simd/scalar.h"

/* ---- begins of cells ---- */

/*
 * A word of stencil[]: the lanes of the rows in a cell and the two beside it, or of the first of them; and a bit if
 * there are more. stencil[0] is the number of lanes for a row of cells in this tile: NARROW, or WIDE if more than one
 * row in LONG_PART is longer.
 */
enum { NARROW = 8, WIDE = 16, LONG_PART = 16 };

/*
 * The bits of a row of cells in the mask of three, and the place of the bit for more in a row's word, so that no bits
 * overlap.
 */
enum { NARROW_BITS = NARROW, NARROW_MORE = 3 * NARROW, WIDE_BITS = WIDE + 1, WIDE_MORE = WIDE };

/* Sums of each lane and all lanes before it. */
AVX512_INLINE __m512i prefix_sums_512(__m512i v)
{
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 1));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 2));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 4));
    return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, LANES - 8));
}

/* Writes the words of stencil[]. Returns the number of rows of cells that are longer than that. */
AVX512_INLINE uint32_t count_stencil(const uint32_t *at, uint32_t cells, int lanes, int more, uint32_t *stencil)
{
    const __m512i one = _mm512_set1_epi32(1), most = _mm512_set1_epi32(lanes), longer = _mm512_set1_epi32(1 << more);
    uint32_t longs = 0;
    for (uint32_t c = 1; c + 1 < cells; c += LANES) {
        __m512i count = _mm512_sub_epi32(_mm512_loadu_si512(at + c + 2), _mm512_loadu_si512(at + c - 1));
        __mmask16 is_long = _mm512_mask_cmpgt_epu32_mask(first_lane_mask(cells - 1 - c), count, most);
        __m512i word = _mm512_sub_epi32(_mm512_sllv_epi32(one, _mm512_min_epu32(count, most)), one);
        _mm512_storeu_si512(stencil + c, _mm512_mask_or_epi32(word, is_long, word, longer));
        longs += (uint32_t)__builtin_popcount(is_long);
    }
    return longs;
}

AVX512 void phx_cell_offsets_avx512(uint32_t *at, uint32_t cells, uint32_t *stencil)
{
    const __m512i last = _mm512_set1_epi32(LANES - 1);
    __m512i before = _mm512_setzero_si512();
    for (uint32_t c = 0; c <= cells; c += LANES) {
        __m512i sums = _mm512_add_epi32(prefix_sums_512(_mm512_loadu_si512(at + c)), before);
        _mm512_storeu_si512(at + c, sums);
        before = _mm512_permutexvar_epi32(last, sums);
    }
    stencil[0] = NARROW;
    if (count_stencil(at, cells, NARROW, NARROW_MORE, stencil) <= cells / LONG_PART) return;
    stencil[0] = WIDE;
    (void)count_stencil(at, cells, WIDE, WIDE_MORE, stencil);
}

/* ---- distances ---- */

/* Limits in registers, and constants of all observers of one call. */
typedef struct borders {
    __m512i in_low, in_high, keep_low, keep_high;
    bool square, margin, bounded;
    __m512 r, farther; /* bounded: the limits' r and margin; */
    __m512i unsure;    /* and how far from a border units can not decide */
} borders;

AVX512_INLINE borders load_borders_512(const phx_tile_limits *limits, bool square, bool margin, bool bounded)
{
    return (borders){_mm512_set1_epi32(limits->in_low),
                     _mm512_set1_epi32(limits->in_high),
                     _mm512_set1_epi32(limits->keep_low),
                     _mm512_set1_epi32(limits->keep_high),
                     square,
                     margin,
                     bounded,
                     _mm512_set1_ps(limits->r),
                     _mm512_set1_ps(limits->margin),
                     _mm512_set1_epi32(limits->unsure)};
}

/* The borders for candidates with these bounds. */
AVX512_INLINE borders borders_within_512(const borders *b, __m512 bound)
{
    const __m512 r = _mm512_min_ps(bound, b->r), far = _mm512_add_ps(r, b->farther);
    const __m512i in = _mm512_cvttps_epi32(b->square ? r : _mm512_mul_ps(r, r));
    const __m512i keep = _mm512_cvttps_epi32(b->square ? far : _mm512_mul_ps(far, far));
    const __m512i low = _mm512_add_epi32(b->unsure, _mm512_set1_epi32(1));
    borders own = *b;
    own.in_low = _mm512_sub_epi32(in, low), own.in_high = _mm512_add_epi32(in, b->unsure);
    own.keep_low = _mm512_sub_epi32(keep, low), own.keep_high = _mm512_add_epi32(keep, b->unsure);
    return own;
}

/* Distances of some candidates, now and before. */
typedef struct distances {
    __m512i d, e;
} distances;

AVX512_INLINE distances measure_units(__m512i now, __m512i old, eye of, bool square)
{
    return (distances){unit_distances_512(now, of.here, square), unit_distances_512(old, of.there, square)};
}

/* The candidates that may be events. */
AVX512_INLINE __mmask16 event_mask(distances of, const borders *b)
{
    if (!b->margin) { /* pairs that are not surely on the same side of the one border before and after */
        __mmask16 stencil = _mm512_cmple_epi32_mask(_mm512_min_epi32(of.d, of.e), b->in_high);
        return _mm512_mask_cmpgt_epi32_mask(stencil, _mm512_max_epi32(of.d, of.e), b->in_low);
    }
    __mmask16 enter = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.e, b->in_low), of.d, b->in_high);
    __mmask16 leave = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.d, b->keep_low), of.e, b->keep_high);
    return enter | leave;
}

/* The observer words of pairs, with the flags for these distances. */
AVX512_INLINE __m512i flag_observers(__m512i place, distances of, const borders *b)
{
    __mmask16 enter = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.e, b->in_high), of.d, b->in_low);
    __mmask16 leave = _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(of.d, b->keep_high), of.e, b->keep_low);
    place = _mm512_mask_or_epi32(place, leave, place, _mm512_set1_epi32((int)PHX_PAIR_LEAVE));
    return _mm512_mask_or_epi32(place, _knot_mask16(enter | leave), place, _mm512_set1_epi32((int)PHX_PAIR_UNSURE));
}

/* ---- nine cells ---- */

/* Inputs of the match: the cells, in registers, as stores may alias memory. */
typedef struct field {
    phx_tile_cells of;
    uint32_t lanes;      /* of a row of cells, from stencil[0] */
    uint32_t bits, more; /* of a row's word, see above */
} field;

/* The bits of all rows in the nine cells, or of the first ones of each row of cells. */
AVX512_INLINE uint64_t there_are(const field *in, uint32_t cell)
{
    const uint32_t *middle = in->of.stencil + cell, *above = middle - in->of.columns, *below = middle + in->of.columns;
    return *above | (uint64_t)*middle << in->bits | (uint64_t)*below << 2 * in->bits;
}

AVX512_INLINE uint32_t count_bits_512(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

AVX512_INLINE __m512i two_rows(const uint32_t *words, uint32_t a, uint32_t b)
{
    __m512i first = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)(words + a)));
    return _mm512_inserti64x4(first, _mm256_loadu_si256((const __m256i *)(const void *)(words + b)), 1);
}

AVX512_INLINE uint64_t crossing_at(const field *in, uint32_t first, eye of, const borders *b)
{
    const __m512i now = _mm512_loadu_si512(in->of.now + first), old = _mm512_loadu_si512(in->of.old + first);
    const distances some = measure_units(now, old, of, b->square);
    if (!b->bounded) return event_mask(some, b);
    const borders own = borders_within_512(b, _mm512_loadu_ps(in->of.bound + first));
    return event_mask(some, &own);
}

/* The candidates that may be events among half a vector from each of two places on. */
AVX512_INLINE uint64_t crossing_at_two(const field *in, uint32_t first, uint32_t second, eye of, const borders *b)
{
    const __m512i now = two_rows(in->of.now, first, second), old = two_rows(in->of.old, first, second);
    const distances some = measure_units(now, old, of, b->square);
    if (!b->bounded) return event_mask(some, b);
    const uint32_t *bound = (const uint32_t *)(const void *)in->of.bound;
    const borders own = borders_within_512(b, _mm512_castsi512_ps(two_rows(bound, first, second)));
    return event_mask(some, &own);
}

/*
 * The candidates that may be events in the rows of cells that begin at the middle's place, above and below, within the
 * lanes.
 */
AVX512_INLINE uint64_t some_cross(const field *in, const uint32_t *middle, eye of, const borders *b)
{
    const uint32_t first = *(middle - in->of.columns), second = *middle, third = *(middle + in->of.columns);
    if (in->lanes == NARROW)
        return crossing_at_two(in, first, second, of, b) | crossing_at(in, third, of, b) << 2 * in->bits;
    return crossing_at(in, first, of, b) | crossing_at(in, second, of, b) << in->bits |
           crossing_at(in, third, of, b) << 2 * in->bits;
}

/* The bits of rows of cells that are longer than their lanes. */
AVX512_INLINE uint64_t long_rows(const field *in)
{
    return (1 | UINT64_C(1) << in->bits | UINT64_C(1) << 2 * in->bits) << in->more;
}

/*
 * Finds the masks of a range of observers. Returns how many have bits. *tested: adds the candidates; of a longer row
 * one more than lanes, until put_found_512() corrects it.
 */
AVX512_INLINE uint32_t find_stencil_masks_512(const field *in, const phx_tile_observers *observers, phx_span range,
                                              const borders *b, phx_found_ninegrid *list, uint64_t *tested)
{
    uint64_t sum = 0;
    uint32_t n = 0;
    for (uint32_t w = range.first; w < range.end; w++) {
        const uint32_t place = observers->place[w], cell = in->of.cell[place];
        const eye of = {_mm512_set1_epi32((int)in->of.now[place]), _mm512_set1_epi32((int)in->of.old[place])};
        const uint64_t there = there_are(in, cell);
        const uint64_t mask = (some_cross(in, in->of.start + cell - 1, of, b) | long_rows(in)) & there;
        list[n] = (phx_found_ninegrid){mask, w};
        n += mask != 0;
        sum += count_bits_512(there);
    }
    *tested += sum;
    return n;
}

/* Puts the pairs of one observer, without flags, if a row of cells is longer than its lanes. Returns the new count. */
AVX512_INLINE uint32_t put_long_row_512(const field *in, uint32_t place, const phx_stencil_cells *around,
                                        const borders *b, const phx_pairs *pairs, uint32_t n)
{
    const eye of = {_mm512_set1_epi32((int)in->of.now[place]), _mm512_set1_epi32((int)in->of.old[place])};
    for (uint32_t r = 0; r < 3; r++) {
        const phx_span row = around->row[r];
        for (uint32_t first = row.first; first < row.end; first += LANES) {
            __mmask16 mask = (__mmask16)crossing_at(in, first, of, b) & first_lane_mask(row.end - first);
            _mm512_storeu_si512(pairs->observer + n, _mm512_set1_epi32((int)place));
            store_lanes(pairs->target + n, mask, lanes_from_512(first));
            n += (uint32_t)__builtin_popcount(mask);
        }
    }
    return n;
}

/* The place of a bit; row: the begins of the three rows of cells. */
AVX512_INLINE uint32_t bit_place(const field *in, const uint32_t *row, uint32_t bit)
{
    const uint32_t r = bit / in->bits;
    return row[r * in->of.columns] + (bit - r * in->bits);
}

/* Puts the pairs of a mask, without flags. Returns the new count. */
AVX512_INLINE uint32_t put_stencil_512(const field *in, uint32_t place, uint64_t mask, const phx_pairs *pairs,
                                       uint32_t n)
{
    const uint32_t *row = in->of.start + in->of.cell[place] - 1 - in->of.columns;
    do { /* two at once, and the second counts if it exists: mostly one round */
        const uint64_t rest = mask & (mask - 1);
        pairs->observer[n] = pairs->observer[n + 1] = place;
        pairs->target[n] = bit_place(in, row, (uint32_t)__builtin_ctzll(mask));
        pairs->target[n + 1] = bit_place(in, row, (uint32_t)__builtin_ctzll(rest ? rest : mask));
        n += rest ? 2 : 1;
        mask = rest & (rest - 1);
    } while (mask != 0);
    return n;
}

/* Sets the flags of pairs first .. end. */
AVX512_INLINE void flag_pairs(const field *in, const borders *b, const phx_pairs *pairs, uint32_t first, uint32_t end)
{
    const __m512i none = _mm512_setzero_si512();
    for (uint32_t i = first; i < end; i += LANES) {
        __mmask16 lanes = first_lane_mask(end - i);
        __m512i place = _mm512_loadu_si512(pairs->observer + i), target = _mm512_loadu_si512(pairs->target + i);
        const eye of = {_mm512_mask_i32gather_epi32(none, lanes, place, in->of.now, 4),
                        _mm512_mask_i32gather_epi32(none, lanes, place, in->of.old, 4)};
        distances apart_by =
            measure_units(_mm512_mask_i32gather_epi32(none, lanes, target, in->of.now, 4),
                          _mm512_mask_i32gather_epi32(none, lanes, target, in->of.old, 4), of, b->square);
        const borders own =
            b->bounded
                ? borders_within_512(b, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), lanes, target, in->of.bound, 4))
                : *b;
        _mm512_storeu_si512(pairs->observer + i, flag_observers(place, apart_by, &own));
    }
}

/* Puts the pairs of found observers, as long as there is room for all of one. Returns how many observers are done. */
AVX512_INLINE uint32_t put_found_512(const field *in, const uint32_t *places, const phx_found_ninegrid *list,
                                     uint32_t count, const borders *b, phx_pairs *pairs)
{
    const phx_pairs to = *pairs; /* stores below may alias the fields */
    uint32_t n = to.count, i = 0;
    for (; i < count; i++) {
        const uint32_t place = places[list[i].observer];
        const bool is_long = (list[i].mask & long_rows(in)) != 0;
        if (PHX_UNLIKELY(is_long || to.capacity - n < 3 * in->lanes)) {
            const phx_stencil_cells around = phx_cells_around(&in->of, in->of.cell[place]);
            if (to.capacity - n < around.count) break;
            if (is_long) {
                pairs->tested += around.count - count_bits_512(there_are(in, in->of.cell[place]));
                n = put_long_row_512(in, place, &around, b, &to, n);
                continue;
            }
        }
        n = put_stencil_512(in, place, list[i].mask, &to, n);
    }
    flag_pairs(in, b, &to, to.count, n);
    pairs->count = n;
    return i;
}

/* Matches observers, some at a time. */
AVX512_INLINE uint32_t match_stencil_512(const field *in, const phx_tile_observers *observers,
                                         const phx_tile_limits *limits, bool square, bool margin, bool bounded,
                                         phx_pairs *pairs)
{
    const borders b = load_borders_512(limits, square, margin, bounded);
    enum { AT_ONCE = 256 }; /* observers with masks that wait to become pairs: 4 KiB */
    phx_found_ninegrid list[AT_ONCE];
    for (uint32_t w = 0, end; w < observers->count; w = end) {
        end = observers->count - w < AT_ONCE ? observers->count : w + AT_ONCE;
        uint32_t n = find_stencil_masks_512(in, observers, (phx_span){w, end}, &b, list, &pairs->tested);
        uint32_t done = put_found_512(in, observers->place, list, n, &b, pairs);
        if (done == n) continue;
        for (w = list[done].observer; end-- > w;)
            pairs->tested -= count_bits_512(there_are(in, in->of.cell[observers->place[end]]));
        return w;
    }
    return observers->count;
}

AVX512_INLINE uint32_t match_field(const phx_tile_cells *of, uint32_t lanes, const phx_tile_observers *observers,
                                   const phx_tile_limits *limits, phx_pairs *pairs)
{
    const field in = {*of, lanes, lanes == NARROW ? NARROW_BITS : WIDE_BITS, lanes == NARROW ? NARROW_MORE : WIDE_MORE};
    const bool margin = limits->in_low != limits->keep_low || limits->in_high != limits->keep_high;
    if (of->bound) return match_stencil_512(&in, observers, limits, limits->square, limits->margin > 0.0f, true, pairs);
    if (limits->square) return match_stencil_512(&in, observers, limits, true, true, false, pairs);
    if (margin) return match_stencil_512(&in, observers, limits, false, true, false, pairs);
    return match_stencil_512(&in, observers, limits, false, false, false, pairs);
}

AVX512 uint32_t phx_match_stencil_avx512(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                         const phx_tile_limits *limits, phx_pairs *pairs)
{
    return cells->stencil[0] == NARROW ? match_field(cells, NARROW, observers, limits, pairs)
                                       : match_field(cells, WIDE, observers, limits, pairs);
}

#endif
