/*
 * The kernels for AVX-512; see kernels.h. Float operations are the portable kernels', each rounded
 * on its own. Compiled for the instruction set function by function and chosen at run time, so one
 * binary runs on any x86-64. Lanes beyond a range are read (arrays are padded) and masked out.
 */
#include "shards/box.h"
#include "shards/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi2,avx512vnni,bmi2,popcnt")))
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

/* Candidates are taken by twos of vectors, whose distances fit one as 16-bit words. */
enum { WIDE = 2 * LANES };

static const uint16_t wide_iota[WIDE] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* A border of a view: distances less its middle, and how far from that units can not tell. */
typedef struct border {
    __m512i middle_off, half, half_off; /* _off: negative */
} border;

AVX512_INLINE border border_of(int32_t low, int32_t high)
{
    int32_t half = (high - low) / 2, middle = high - half;
    PHX_ASSERT(low + half + 1 == middle && half < INT16_MAX); /* what is beyond INT16_MAX is so after packing as well */
    return (border){_mm512_set1_epi32(-middle), _mm512_set1_epi16((short)half), _mm512_set1_epi16((short)-half)};
}

/* Side by side as 16-bit words, cut short where they do not fit: four by turns of each, or first those of a. */
AVX512_INLINE __m512i pack(__m512i a, __m512i b, bool by_turns)
{
    __m512i both = _mm512_packs_epi32(a, b);
    return by_turns ? both : _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), both);
}

/* What all observers of one call are compared by. */
typedef struct matching {
    border in, near;
    bool square, margin;
    bool by_turns; /* four of each vector, as packing has it */
} matching;

/* How far the positions in two vectors are from one, less the middle of a border. */
AVX512_INLINE __m512i levels(const matching *by, const border *of, const uint32_t *const at[2], __m512i from_here)
{
    __m512i first = _mm512_loadu_si512(at[0]), second = _mm512_loadu_si512(at[1]);
    if (by->square)
        return pack(_mm512_add_epi32(apart(first, from_here, true), of->middle_off),
                    _mm512_add_epi32(apart(second, from_here, true), of->middle_off), by->by_turns);
    first = _mm512_sub_epi16(first, from_here);
    second = _mm512_sub_epi16(second, from_here);
    return pack(_mm512_dpwssd_epi32(of->middle_off, first, first),
                _mm512_dpwssd_epi32(of->middle_off, second, second), by->by_turns);
}

/* Of WIDE candidates those that may be events, those of them that leave, and that units can not decide about. */
typedef struct verdict {
    __mmask32 some, leave, unsure;
} verdict;

/* Without a margin: whoever is not on the same side of the one border before and after. */
AVX512_INLINE verdict cross_one(__mmask32 lanes, const border *in, __m512i now, __m512i old)
{
    __m512i nearer = _mm512_min_epi16(now, old), farther = _mm512_max_epi16(now, old);
    __m512i off = _mm512_min_epu16(_mm512_abs_epi16(now), _mm512_abs_epi16(old));
    lanes = _mm512_mask_cmple_epi16_mask(lanes, nearer, in->half);
    return (verdict){_mm512_mask_cmpge_epi16_mask(lanes, farther, in->half_off), _mm512_cmpgt_epi16_mask(now, old),
                     _mm512_cmple_epu16_mask(off, in->half)};
}

/* With one: enters cross the border of the view, leaves the one of view and margin. */
AVX512_INLINE verdict cross_two(__mmask32 lanes, const border *in, const border *near, const __m512i now[2],
                                const __m512i old[2])
{
    __mmask32 enter = _mm512_mask_cmpge_epi16_mask(lanes, old[0], in->half_off);
    __mmask32 leave = _mm512_mask_cmpge_epi16_mask(lanes, now[1], near->half_off);
    enter = _mm512_mask_cmple_epi16_mask(enter, now[0], in->half);
    leave = _mm512_mask_cmple_epi16_mask(leave, old[1], near->half);
    __mmask32 enters = _mm512_mask_cmpgt_epi16_mask(enter, old[0], in->half);
    __mmask32 leaves = _mm512_mask_cmpgt_epi16_mask(leave, now[1], near->half);
    enters = _mm512_mask_cmplt_epi16_mask(enters, now[0], in->half_off);
    leaves = _mm512_mask_cmplt_epi16_mask(leaves, old[1], near->half_off);
    return (verdict){enter | leave, leaves, ~(enters | leaves)};
}

/*
 * Pairs found and not written yet: which candidate of a piece, with the pair's flags. Their observers' places are where
 * they belong already.
 */
enum { PIECE = 4096, FOUND_LEAVE = 0x8000, FOUND_UNSURE = 0x4000, FOUND_WHICH = PIECE - 1 };

typedef struct found {
    uint16_t which[PIECE + WIDE];
    uint32_t count;
} found;

/* Writes them; place[] is of the piece. */
AVX512 static void write_found(found *of, const uint32_t *place, phx_pairs *pairs)
{
    const __m512i which = _mm512_set1_epi32(FOUND_WHICH), flags = _mm512_set1_epi32(FOUND_LEAVE | FOUND_UNSURE);
    uint32_t *observer = pairs->observer + pairs->count, *target = pairs->target + pairs->count;
    for (uint32_t i = 0; i < of->count; i += LANES) {
        __m512i word = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(of->which + i)));
        __m512i flag = _mm512_slli_epi32(_mm512_and_si512(word, flags), 16); /* PHX_PAIR_LEAVE, PHX_PAIR_UNSURE */
        _mm512_storeu_si512(observer + i, _mm512_or_si512(_mm512_loadu_si512(observer + i), flag));
        __m512i of_place = _mm512_mask_i32gather_epi32(flag, first_lanes(of->count - i),
                                                       _mm512_and_si512(word, which), place, 4);
        _mm512_storeu_si512(target + i, of_place);
    }
    pairs->count += of->count;
    of->count = 0;
}

/* Where one who looks is, and was. */
typedef struct eye {
    __m512i here, there;
} eye;

/* Of the candidates in two vectors, where they are now and were. */
AVX512_INLINE verdict judge(const matching *by, __mmask32 lanes, const uint32_t *const now[2],
                            const uint32_t *const old[2], const eye *of)
{
    __m512i to_now = levels(by, &by->in, now, of->here), to_old = levels(by, &by->in, old, of->there);
    if (!by->margin) return cross_one(lanes, &by->in, to_now, to_old);
    const __m512i both_now[2] = {to_now, levels(by, &by->near, now, of->here)};
    const __m512i both_old[2] = {to_old, levels(by, &by->near, old, of->there)};
    return cross_two(lanes, &by->in, &by->near, both_now, both_old);
}

/* One observer and the candidates first .. end: no branch hangs on a distance, but for very many events at once. */
AVX512_INLINE void match_piece(const matching *by, const phx_candidates *of, phx_span piece, eye who, found *to)
{
    enum { SHORT = 8 }; /* as many as mostly are stored, of what may be stored: short stores seldom meet two lines */
    const __m512i leave = _mm512_set1_epi16((short)FOUND_LEAVE), unsure = _mm512_set1_epi16(FOUND_UNSURE);
    const __m512i step = _mm512_set1_epi16(WIDE), length = _mm512_set1_epi16((short)(piece.end - piece.first));
    const uint32_t *to_now = of->now, *to_old = of->old; /* stores below might be anywhere */
    __m512i which = _mm512_loadu_si512(wide_iota);
    uint16_t *out = to->which + to->count;
    for (uint32_t i = piece.first; i < piece.end; i += WIDE) {
        const uint32_t *const now[2] = {to_now + i, to_now + i + LANES};
        const uint32_t *const old[2] = {to_old + i, to_old + i + LANES};
        verdict is = judge(by, _mm512_cmplt_epu16_mask(which, length), now, old, &who);
        __m512i word = _mm512_mask_blend_epi16(is.leave, which, _mm512_or_si512(which, leave));
        word = _mm512_mask_blend_epi16(is.unsure, word, _mm512_or_si512(which, unsure)); /* and so no leave */
        word = _mm512_maskz_compress_epi16(is.some, word);
        uint32_t count = (uint32_t)__builtin_popcount(is.some);
        _mm_storeu_si128((__m128i *)(void *)out, _mm512_castsi512_si128(word));
        if (PHX_UNLIKELY(count > SHORT)) _mm512_storeu_si512(out, word);
        out += count;
        which = _mm512_add_epi16(which, step);
    }
    to->count = (uint32_t)(out - to->which);
}

/* The observer of the pairs first .. end: one vector always, which is enough as a rule. */
AVX512_INLINE void name_observer(uint32_t *observer, uint32_t first, uint32_t end, __m512i place)
{
    do _mm512_storeu_si512(observer + first, place);
    while ((first += LANES) < end);
}

AVX512_INLINE borders in_registers(const phx_limits *limits)
{
    return (borders){_mm512_set1_epi32(limits->in_low), _mm512_set1_epi32(limits->in_high),
                     _mm512_set1_epi32(limits->near_low), _mm512_set1_epi32(limits->near_high)};
}

AVX512_INLINE uint32_t match_all(const matching *by, const phx_candidates *candidates, uint32_t count,
                                 const phx_watchers *watchers, phx_pairs *pairs)
{
    found unwritten;
    uint32_t w = 0, first = 0;
    unwritten.count = 0; /* and nothing else */
    for (; w < watchers->count && pairs->capacity - pairs->count - unwritten.count >= count; w++) {
        uint32_t place = watchers->place[w];
        const eye of = {_mm512_set1_epi32((int)watchers->now[place]), _mm512_set1_epi32((int)watchers->old[place])};
        for (uint32_t i = 0; i < count; i += PIECE) {
            phx_span piece = {i, count - i < PIECE ? count : i + PIECE};
            if (i != first || unwritten.count + (piece.end - i) > PIECE) {
                write_found(&unwritten, candidates->place + first, pairs);
                first = i;
            }
            uint32_t before = unwritten.count;
            match_piece(by, candidates, piece, of, &unwritten);
            name_observer(pairs->observer + pairs->count, before, unwritten.count, _mm512_set1_epi32((int)place));
        }
    }
    write_found(&unwritten, candidates->place + first, pairs);
    return w;
}

AVX512 static uint32_t match_avx512(const phx_candidates *candidates, uint32_t count, const phx_watchers *watchers,
                                    const phx_limits *limits, phx_pairs *pairs)
{
    const border in = border_of(limits->in_low, limits->in_high), near = border_of(limits->near_low, limits->near_high);
    const bool margin = limits->in_low != limits->near_low;
#define MATCH(square, margin) \
    match_all(&(matching){in, near, square, margin, false}, candidates, count, watchers, pairs)
    if (limits->square) return margin ? MATCH(true, true) : MATCH(true, false);
    return margin ? MATCH(false, true) : MATCH(false, false);
#undef MATCH
}

/* The three rows of cells around one: where they begin, and how many are in them. */
typedef struct nine_cells {
    uint32_t first[3], count[3];
} nine_cells;

AVX512_INLINE nine_cells cells_around(const phx_cells *cells, uint32_t place)
{
    const uint32_t *middle = cells->start + cells->cell[place] - 1, *above = middle - cells->columns;
    const uint32_t *below = middle + cells->columns;
    return (nine_cells){{above[0], middle[0], below[0]},
                        {above[3] - above[0], middle[3] - middle[0], below[3] - below[0]}};
}

/* Is one of the rows more than a vector? */
AVX512_INLINE bool is_long(const nine_cells *around)
{
    return around->count[0] > LANES || around->count[1] > LANES || around->count[2] > LANES;
}

/* So many lanes of two vectors, four by turns of each. */
AVX512_INLINE __mmask32 by_turns(uint32_t a, uint32_t b)
{
    enum { FROM_A = 0x0f0f0f0f };
    return _pdep_u32(_bzhi_u32(UINT32_MAX, a), FROM_A) | _pdep_u32(_bzhi_u32(UINT32_MAX, b), ~(uint32_t)FROM_A);
}

/* Is there anything for the observer in its rows? Or one of them is long, and to be looked at anyway. */
AVX512_INLINE bool has_some(const matching *by, const phx_cells *cells, const nine_cells *around, uint32_t place)
{
    const eye of = {_mm512_set1_epi32((int)cells->now[place]), _mm512_set1_epi32((int)cells->old[place])};
    const uint32_t *first = around->first, *count = around->count;
    const uint32_t *const now[3] = {cells->now + first[0], cells->now + first[1], cells->now + first[2]};
    const uint32_t *const old[3] = {cells->old + first[0], cells->old + first[1], cells->old + first[2]};
    const uint32_t *const now_last[2] = {now[2], now[2]}, *const old_last[2] = {old[2], old[2]};
    __mmask32 some = judge(by, by_turns(count[0], count[1]), now, old, &of).some;
    some |= judge(by, by_turns(count[2], 0), now_last, old_last, &of).some;
    return some != 0 || is_long(around);
}

/* The pairs of one observer, for which there is something. */
AVX512_INLINE void match_nine(const phx_cells *cells, uint32_t place, const borders *b, bool square, phx_pairs *pairs)
{
    const nine_cells around = cells_around(cells, place);
    const __m512i here = _mm512_set1_epi32((int)cells->now[place]), there = _mm512_set1_epi32((int)cells->old[place]);
    const __m512i of = _mm512_set1_epi32((int)place);
    for (uint32_t row = 0; row < 3; row++) {
        uint32_t first = around.first[row], end = first + around.count[row];
        do { /* once, as a rule */
            distances apart_by = measure(cells->now + first, cells->old + first, here, there, square);
            pair(pairs, of, crossing(apart_by, b) & first_lanes(end - first), apart_by, from(first), b);
        } while ((first += LANES) < end);
    }
}

/* Some observers: all are looked at, and those with something are noted without a branch; then these have their turn. */
AVX512_INLINE uint32_t match_nines(const matching *by, const phx_cells *cells, const phx_watchers *watchers,
                                   const borders *b, phx_pairs *pairs)
{
    enum { TOGETHER = 64 };
    uint32_t some[TOGETHER], w = 0, together = TOGETHER;
    while (w < watchers->count) {
        uint32_t end = watchers->count - w < together ? watchers->count : w + together, n = 0, tested = 0;
        for (uint32_t i = w; i < end; i++) {
            const nine_cells around = cells_around(cells, watchers->place[i]);
            some[n] = watchers->place[i];
            n += has_some(by, cells, &around, watchers->place[i]);
            tested += around.count[0] + around.count[1] + around.count[2];
        }
        if (PHX_UNLIKELY(pairs->capacity - pairs->count < tested)) { /* perhaps no room for all */
            if (together == 1) break;
            together = 1;
            continue;
        }
        for (uint32_t i = 0; i < n; i++) match_nine(cells, some[i], b, by->square, pairs);
        pairs->tested += tested;
        w = end;
    }
    return w;
}

AVX512 static uint32_t match_sparse_avx512(const phx_cells *cells, const phx_watchers *watchers,
                                           const phx_limits *limits, phx_pairs *pairs)
{
    const border in = border_of(limits->in_low, limits->in_high), near = border_of(limits->near_low, limits->near_high);
    const borders b = in_registers(limits);
    const bool margin = limits->in_low != limits->near_low;
#define MATCH(square, margin) match_nines(&(matching){in, near, square, margin, true}, cells, watchers, &b, pairs)
    if (limits->square) return margin ? MATCH(true, true) : MATCH(true, false);
    return margin ? MATCH(false, true) : MATCH(false, false);
#undef MATCH
}

/* ---- where few moved ---- */

/* One that may have moved, in registers: all lanes alike. */
typedef struct stepper {
    __m512 x, y, ox, oy, r; /* r: squared for circles */
} stepper;

/* Which of a vector of positions are in range of a place? */
AVX512_INLINE __mmask16 in_view(const float *x, const float *y, __m512 px, __m512 py, __m512 r, bool square)
{
    __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(x), px), dy = _mm512_sub_ps(_mm512_loadu_ps(y), py);
    if (square)
        return _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(_mm512_abs_ps(dx), r, _CMP_LE_OQ), _mm512_abs_ps(dy), r,
                                       _CMP_LE_OQ);
    return _mm512_cmp_ps_mask(_mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy)), r, _CMP_LE_OQ);
}

/* Of up to two vectors of rows: those that are in view, or were, and not both, and those that were. */
typedef struct crossing_rows {
    uint32_t crossed, was;
} crossing_rows;

AVX512_INLINE crossing_rows crossing_of(const phx_grid_rows *rows, uint32_t i, uint32_t count, const stepper *by,
                                        bool square)
{
    const uint32_t j = i + LANES, have = (uint32_t)((UINT64_C(1) << count) - 1);
    __mmask16 was_a = in_view(rows->ox + i, rows->oy + i, by->ox, by->oy, by->r, square);
    __mmask16 was_b = in_view(rows->ox + j, rows->oy + j, by->ox, by->oy, by->r, square);
    __mmask16 is_a = in_view(rows->x + i, rows->y + i, by->x, by->y, by->r, square);
    __mmask16 is_b = in_view(rows->x + j, rows->y + j, by->x, by->y, by->r, square);
    uint32_t was = _mm512_kunpackw(was_b, was_a);
    return (crossing_rows){(was ^ _mm512_kunpackw(is_b, is_a)) & have, was};
}

/* Behind n; how many there are now. */
AVX512_INLINE uint32_t put_crossed(__m512i by, uint32_t i, crossing_rows some, uint32_t n, const phx_crossers *out)
{
    const __m512i leave = _mm512_set1_epi32((int)PHX_PAIR_LEAVE);
    __m512i a = from(i), b = from(i + LANES);
    _mm512_storeu_si512(out->by + n, by);
    keep(out->row + n, (__mmask16)some.crossed, _mm512_mask_or_epi32(a, (__mmask16)some.was, a, leave));
    n += (uint32_t)__builtin_popcount((uint16_t)some.crossed);
    _mm512_storeu_si512(out->by + n, by);
    keep(out->row + n, (__mmask16)(some.crossed >> LANES),
         _mm512_mask_or_epi32(b, (__mmask16)(some.was >> LANES), b, leave));
    return n + (uint32_t)__builtin_popcount(some.crossed >> LANES);
}

/* Where there are many rows no branch hangs on what two vectors hold, which is not to be foreseen. */
AVX512_INLINE uint32_t crossed(const phx_grid_rows *rows, const phx_looks *looks, phx_span some, float r,
                               bool square, const phx_crossers *out)
{
    const phx_grid_rows at = *rows;
    const __m512 limit = _mm512_set1_ps(square ? r : r * r);
    uint32_t n = 0;
    for (uint32_t l = some.first; l < some.end; l++) {
        const uint32_t row = looks->row[l], end = looks->end[l];
        const stepper by = {_mm512_set1_ps(at.x[row]), _mm512_set1_ps(at.y[row]), _mm512_set1_ps(at.ox[row]),
                            _mm512_set1_ps(at.oy[row]), limit};
        const __m512i looking = _mm512_set1_epi32((int)row);
        uint32_t i = looks->first[l];
        for (; PHX_UNLIKELY(end - i > 2 * LANES); i += 2 * LANES)
            n = put_crossed(looking, i, crossing_of(&at, i, 2 * LANES, &by, square), n, out);
        crossing_rows last = crossing_of(&at, i, end - i, &by, square);
        if (PHX_UNLIKELY(last.crossed != 0)) n = put_crossed(looking, i, last, n, out);
    }
    return n;
}

AVX512 static uint32_t crossed_avx512(const phx_grid_rows *rows, const phx_looks *looks, phx_span some,
                                      const phx_limit *limit, const phx_crossers *out)
{
    if (limit->square) return crossed(rows, looks, some, limit->r, true, out);
    return crossed(rows, looks, some, limit->r, false, out);
}

/* What rows see along one axis, in towers of a block; and which see towers beyond it. */
typedef struct sides {
    __m512i low, high;
    __mmask16 beyond;
} sides;

/* Towers of places. */
AVX512_INLINE __m512i towers(__m512 p, __m512 origin, __m512 size, __m512 last)
{
    __m512 q = _mm512_div_ps(_mm512_sub_ps(p, origin), size);
    q = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(q, _mm512_setzero_ps(), _CMP_GT_OQ), q);
    return _mm512_cvttps_epi32(_mm512_min_ps(q, last));
}

/* As phx_box_around() and phx_box_towers() do it. */
AVX512_INLINE sides sides_of(const phx_sight *sight, int axis, uint32_t block, __m512 p)
{
    const phx_rules *rules = sight->rules;
    const __m512 origin = _mm512_set1_ps(rules->origin[axis]), size = _mm512_set1_ps(rules->tower_size);
    const __m512 last = _mm512_set1_ps((float)(rules->towers[axis] - 1));
    const __m512 r = _mm512_set1_ps(phx_box_reach(sight->reach));
    const __m512i base = _mm512_set1_epi32((int)(block << PHX_BLOCK_BITS)), zero = _mm512_setzero_si512();
    const __m512i most = _mm512_set1_epi32(PHX_BLOCK_SIDE - 1);
    __m512 off = _mm512_mul_ps(_mm512_add_ps(_mm512_abs_ps(p), r), _mm512_set1_ps(PHX_BOX_ROUNDING));
    off = _mm512_add_ps(r, off);
    __m512i low = _mm512_sub_epi32(towers(_mm512_sub_ps(p, off), origin, size, last), base);
    __m512i high = _mm512_sub_epi32(towers(_mm512_add_ps(p, off), origin, size, last), base);
    return (sides){_mm512_max_epi32(low, zero), _mm512_min_epi32(high, most),
                   _mm512_movepi32_mask(low) | _mm512_cmpgt_epi32_mask(high, most)};
}

/* What 64 towers have, in registers. */
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

/* Who looks beyond the block. */
AVX512_INLINE void put_beyond(phx_looks *looks, uint32_t axes, __mmask16 lanes, __m512i row)
{
    keep(looks->beyond[axes] + looks->beyond_count[axes], lanes, row);
    looks->beyond_count[axes] += (uint32_t)__builtin_popcount(lanes);
}

/* A row of towers at a time, of all lanes. */
AVX512 static void look_avx512(const phx_grid_rows *rows, const phx_sight *sight, const uint32_t *who,
                               uint32_t count, phx_looks *looks)
{
    const phx_block *block = sight->block;
    const per_tower starts = per_tower_of(block->start), ends = per_tower_of(block->start + 1);
    const __m512i first = _mm512_set1_epi32((int)sight->at.first), end = _mm512_set1_epi32((int)sight->at.end);
    __m512i all = _mm512_setzero_si512();
    uint32_t n = 0;
    for (uint32_t b = 0; b < PHX_BEYONDS; b++) looks->beyond_count[b] = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        __mmask16 lanes = first_lanes(count - i);
        __m512i row = _mm512_maskz_loadu_epi32(lanes, who + i), length = _mm512_setzero_si512();
        sides x = sides_of(sight, 0, block->bx, _mm512_i32gather_ps(row, rows->x, sizeof(float)));
        sides y = sides_of(sight, 1, block->by, _mm512_i32gather_ps(row, rows->y, sizeof(float)));
        put_beyond(looks, PHX_BEYOND_X, x.beyond & lanes, row);
        put_beyond(looks, PHX_BEYOND_Y, y.beyond & lanes, row);
        put_beyond(looks, PHX_BEYOND_BOTH, x.beyond & y.beyond & lanes, row);
        lanes = _mm512_mask_cmple_epi32_mask(lanes, x.low, x.high);
        while ((lanes = _mm512_mask_cmple_epi32_mask(lanes, y.low, y.high)) != 0) {
            __m512i line = _mm512_slli_epi32(y.low, PHX_BLOCK_BITS);
            __m512i from = _mm512_max_epu32(of_towers(&starts, _mm512_add_epi32(line, x.low)), first);
            __m512i to = _mm512_min_epu32(of_towers(&ends, _mm512_add_epi32(line, x.high)), end);
            __mmask16 some = _mm512_mask_cmplt_epu32_mask(lanes, from, to);
            keep(looks->row + n, some, row);
            keep(looks->first + n, some, from);
            keep(looks->end + n, some, to);
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

/* So many vectors of keys, of which the last may be filled up with anything, against every key. */
AVX512_INLINE void order_vectors(const int32_t *key, uint32_t count, uint32_t vectors, uint32_t *place)
{
    const __m512i one = _mm512_set1_epi32(1);
    __m512i own[PHX_ORDER_FEW / LANES], before[PHX_ORDER_FEW / LANES];
    for (uint32_t v = 0; v < vectors; v++) {
        own[v] = _mm512_loadu_si512(key + v * LANES);
        before[v] = _mm512_setzero_si512();
    }
    for (uint32_t i = 0; i < count; i++) {
        const __m512i other = _mm512_set1_epi32(key[i]);
        for (uint32_t v = 0; v < vectors; v++)
            before[v] = _mm512_mask_add_epi32(before[v], _mm512_cmpgt_epi32_mask(own[v], other), before[v], one);
    }
    for (uint32_t v = 0; v < vectors; v++) _mm512_storeu_si512(place + v * LANES, before[v]);
}

AVX512 static void order_keys_avx512(int32_t *key, uint32_t count, uint32_t *place)
{
    if (count <= LANES) order_vectors(key, count, 1, place);
    else if (count <= 2 * LANES) order_vectors(key, count, 2, place);
    else order_vectors(key, count, PHX_ORDER_FEW / LANES, place);
}

/* Of up to VECTORS * 8 ids those that come before one; `same`: the kinds are all one. */
AVX512_INLINE void order(const uint64_t *id, const uint16_t *kind, uint32_t count, bool same, uint32_t *place)
{
    enum { IDS = 8, VECTORS = PHX_ORDER_FEW / IDS };
    __m512i ids[VECTORS], kinds[VECTORS];
    uint32_t vectors = (count + IDS - 1) / IDS;
    for (uint32_t v = 0; v < vectors; v++) {
        uint32_t left = count - v * IDS;
        __mmask8 lanes = left >= IDS ? 0xff : (__mmask8)((1u << left) - 1);
        const __m512i last = _mm512_set1_epi64(-1); /* comes before none */
        ids[v] = _mm512_mask_loadu_epi64(last, lanes, id + v * IDS);
        if (!same)
            kinds[v] = _mm512_mask_cvtepu16_epi64(last, lanes, _mm_maskz_loadu_epi16(lanes, kind + v * IDS));
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
                                        .look = look_avx512,
                                        .crossed = crossed_avx512,
                                        .nearer = nearer_avx512,
                                        .weigh = weigh_avx512,
                                        .within = within_avx512,
                                        .divide = divide_avx512,
                                        .find = find_avx512,
                                        .order_keys = order_keys_avx512,
                                        .order = order_avx512,
                                        .merge = phx_merge_avx512};

#endif
