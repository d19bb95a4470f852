/*
 * The kernel that matches observers and candidates, for AVX-512; see kernels.h. For 32 candidates at once it finds
 * pairs that may have crossed a border: distances minus the border's are saturated to 16 bits, which is enough. Results
 * are stored packed, however many: no branch depends on a distance. Called in the interest phase.
 */
#include "shards/simd/avx512_match.h"

#if defined(__x86_64__)

#include "shards/entity/bounds.h"
#include "shards/simd/avx512_lanes.h"
#include "shards/simd/kernels.h"

/* Candidates are processed in two vectors, whose distances fit one vector of 16-bit words. */
enum { WIDE = 2 * LANES };

/* The order after packing: four of each vector by turns. */
static const uint16_t wide_iota[WIDE] = {0, 1, 2,  3,  16, 17, 18, 19, 4,  5,  6,  7,  20, 21, 22, 23,
                                         8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31};

/* A border of a view: distances minus its middle, and how far from it units can not decide. */
typedef struct border {
    __m512i middle_off, half, half_off; /* _off: negative */
} border;

AVX512_INLINE border border_of(int32_t low, int32_t high)
{
    int32_t half = (high - low) / 2, middle = high - half;
    PHX_ASSERT(low + half + 1 == middle && half < INT16_MAX); /* a value beyond INT16_MAX is still so after packing */
    return (border){_mm512_set1_epi32(-middle), _mm512_set1_epi16((short)half), _mm512_set1_epi16((short)-half)};
}

/* Limits for all observers of one call. */
typedef struct matching {
    border in, keep; /* bounded: without the middle */
    bool square, margin, bounded;
    __m512 r, farther; /* bounded: the limits' r and margin */
    bool sphere, cylinder;
    __m512i steep, level; /* of a cylinder */
} matching;

/* An observer: its position, and its height where heights count. */
typedef struct seer {
    eye at;
    __m512i height;
} seer;

/* Differences of heights from the observer's, for two vectors of candidates; with zeros above. */
typedef struct level_pair {
    __m512i first, second;
} level_pair;

/* Of heights now, or before. */
AVX512_INLINE level_pair level_pair_of(const uint32_t *const heights[2], __m512i own, bool before)
{
    const __m512i now = _mm512_set1_epi32(0xffff), none = _mm512_setzero_si512();
    if (!heights[0]) return (level_pair){none, none};
    const __m512i first = _mm512_sub_epi16(_mm512_loadu_si512(heights[0]), own);
    const __m512i second = _mm512_sub_epi16(_mm512_loadu_si512(heights[1]), own);
    if (before) return (level_pair){_mm512_srli_epi32(first, 16), _mm512_srli_epi32(second, 16)};
    return (level_pair){_mm512_and_si512(first, now), _mm512_and_si512(second, now)};
}

/* The middles of a border for two vectors of candidates, negative. */
typedef struct middles {
    __m512i first, second;
} middles;

/* The middle of a border at these distances. */
AVX512_INLINE __m512i middle_off_at(const matching *by, __m512 r)
{
    return _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_cvttps_epi32(by->square ? r : _mm512_mul_ps(r, r)));
}

/* The middles of the border of the view, or of view and margin, for candidates with these bounds. */
AVX512_INLINE middles middles_of(const matching *by, const border *of, const float *const bound[2], bool keep)
{
    if (!by->bounded) return (middles){of->middle_off, of->middle_off};
    __m512 first = _mm512_min_ps(_mm512_loadu_ps(bound[0]), by->r);
    __m512 second = _mm512_min_ps(_mm512_loadu_ps(bound[1]), by->r);
    if (keep) first = _mm512_add_ps(first, by->farther), second = _mm512_add_ps(second, by->farther);
    return (middles){middle_off_at(by, first), middle_off_at(by, second)};
}

/* Distances of the positions in two vectors from one position, minus the middles of a border, saturated. */
AVX512_INLINE __m512i border_distances(const matching *by, middles of, const uint32_t *const at[2], __m512i from_here)
{
    __m512i first = _mm512_loadu_si512(at[0]), second = _mm512_loadu_si512(at[1]);
    if (by->square)
        return _mm512_packs_epi32(_mm512_add_epi32(unit_distances_512(first, from_here, true), of.first),
                                  _mm512_add_epi32(unit_distances_512(second, from_here, true), of.second));
    first = _mm512_sub_epi16(first, from_here);
    second = _mm512_sub_epi16(second, from_here);
    return _mm512_packs_epi32(_mm512_dpwssd_epi32(of.first, first, first),
                              _mm512_dpwssd_epi32(of.second, second, second));
}

/* The same where heights count. */
AVX512_INLINE __m512i level_distances_512(const matching *by, middles of, const uint32_t *const at[2],
                                          __m512i from_here, level_pair dz)
{
    if (by->sphere) {
        of.first = _mm512_dpwssd_epi32(of.first, dz.first, dz.first);
        of.second = _mm512_dpwssd_epi32(of.second, dz.second, dz.second);
    }
    const __m512i distances = border_distances(by, of, at, from_here);
    if (!by->cylinder) return distances;
    const __m512i first = _mm512_dpwssd_epi32(by->level, _mm512_abs_epi16(dz.first), by->steep);
    const __m512i second = _mm512_dpwssd_epi32(by->level, _mm512_abs_epi16(dz.second), by->steep);
    return _mm512_max_epi16(distances, _mm512_packs_epi32(first, second));
}

/*
 * A note of a pair until it is written: the candidate's number in the piece, with the pair's flags. Its observer's
 * place is written already.
 */
enum { PIECE = 4096, FOUND_LEAVE = 0x8000, FOUND_UNSURE = 0x4000, FOUND_WHICH = PIECE - 1 };

typedef struct found {
    uint16_t which[PIECE + WIDE];
    uint32_t count;
} found;

/* Of WIDE candidates: the ones that may be events, and their notes. */
typedef struct verdict {
    __mmask32 some;
    __m512i notes;
} verdict;

/* Unsure pairs are noted as such, and not as leaves. */
AVX512_INLINE __m512i note_unsure(__m512i notes, __mmask32 unsure, __m512i which)
{
    return _mm512_mask_add_epi16(notes, unsure, which, _mm512_set1_epi16(FOUND_UNSURE));
}

/* Without a margin: pairs that are not surely on the same side of the one border before and after. */
AVX512_INLINE verdict cross_one(__mmask32 lanes, const border *in, __m512i now, __m512i old, __m512i which)
{
    enum { WITH_BITS_OF_BOTH = 0xf8 };                          /* the first, or the second and the third */
    const __m512i sign = _mm512_set1_epi16((short)FOUND_LEAVE); /* a candidate that was nearer than the border leaves */
    __m512i off = _mm512_min_epu16(_mm512_abs_epi16(now), _mm512_abs_epi16(old));
    __mmask32 unsure = _mm512_mask_cmple_epu16_mask(lanes, off, in->half);
    __mmask32 across = _mm512_mask_test_epi16_mask(lanes, _mm512_xor_si512(now, old), sign);
    __m512i notes = _mm512_ternarylogic_epi32(which, old, sign, WITH_BITS_OF_BOTH);
    return (verdict){across | unsure, note_unsure(notes, unsure, which)};
}

/* With a margin: enters cross the border of the view, leaves the border of view and margin. */
AVX512_INLINE verdict cross_two(__mmask32 lanes, const border *in, const border *keep, const __m512i now[2],
                                const __m512i old[2], __m512i which)
{
    __mmask32 enter = _mm512_mask_cmpge_epi16_mask(lanes, old[0], in->half_off);
    __mmask32 leave = _mm512_mask_cmpge_epi16_mask(lanes, now[1], keep->half_off);
    enter = _mm512_mask_cmple_epi16_mask(enter, now[0], in->half);
    leave = _mm512_mask_cmple_epi16_mask(leave, old[1], keep->half);
    __mmask32 enters = _mm512_mask_cmpgt_epi16_mask(enter, old[0], in->half);
    __mmask32 leaves = _mm512_mask_cmpgt_epi16_mask(leave, now[1], keep->half);
    enters = _mm512_mask_cmplt_epi16_mask(enters, now[0], in->half_off);
    leaves = _mm512_mask_cmplt_epi16_mask(leaves, old[1], keep->half_off);
    __m512i notes = _mm512_mask_add_epi16(which, leaves, which, _mm512_set1_epi16((short)FOUND_LEAVE));
    return (verdict){enter | leave, note_unsure(notes, ~(enters | leaves), which)};
}

/* Writes the noted pairs; targets[] are of the piece. */
AVX512 static void write_found(found *of, const uint32_t *targets, phx_pairs *pairs)
{
    const __m512i which = _mm512_set1_epi32(FOUND_WHICH), flags = _mm512_set1_epi32(FOUND_LEAVE | FOUND_UNSURE);
    uint32_t *observer = pairs->observer + pairs->count, *target = pairs->target + pairs->count;
    for (uint32_t i = 0; i < of->count; i += LANES) {
        __m512i word = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(of->which + i)));
        __m512i flag = _mm512_slli_epi32(_mm512_and_si512(word, flags), 16); /* PHX_PAIR_LEAVE, PHX_PAIR_UNSURE */
        _mm512_storeu_si512(observer + i, _mm512_or_si512(_mm512_loadu_si512(observer + i), flag));
        __m512i taken = _mm512_mask_i32gather_epi32(flag, first_lane_mask(of->count - i), _mm512_and_si512(word, which),
                                                    targets, 4);
        _mm512_storeu_si512(target + i, taken);
    }
    pairs->count += of->count;
    of->count = 0;
}

/* Judges the candidates in two vectors by positions now and before; their numbers are in the order of packing. */
AVX512_INLINE verdict judge_candidates(const matching *by, __mmask32 lanes, const uint32_t *const now[2],
                                       const uint32_t *const old[2], const float *const bound[2],
                                       const uint32_t *const heights[2], const seer *of, __m512i which)
{
    const middles in = middles_of(by, &by->in, bound, false), keep = middles_of(by, &by->keep, bound, true);
    __m512i to_now = level_distances_512(by, in, now, of->at.here, level_pair_of(heights, of->height, false));
    __m512i to_old = level_distances_512(by, in, old, of->at.there, level_pair_of(heights, of->height, true));
    if (!by->margin) return cross_one(lanes, &by->in, to_now, to_old, which);
    const __m512i both_now[2] = {to_now, border_distances(by, keep, now, of->at.here)};
    const __m512i both_old[2] = {to_old, border_distances(by, keep, old, of->at.there)};
    return cross_two(lanes, &by->in, &by->keep, both_now, both_old, which);
}

/*
 * Matches one observer with the candidates first .. end. No branch depends on a distance, except for very many events
 * at once.
 */
AVX512_INLINE void match_candidate_piece(const matching *by, const phx_tile_candidates *of, phx_span piece,
                                         seer observer, found *to)
{
    enum { SHORT = 8 }; /* stores as many as are mostly needed: short stores seldom meet two cache lines */
    const __m512i step = _mm512_set1_epi16(WIDE), length = _mm512_set1_epi16((short)(piece.end - piece.first));
    const uint32_t *to_now = of->now, *to_old = of->old, *heights = of->height; /* stores below may alias the fields */
    const float *to_bound = of->bound;
    __m512i which = _mm512_loadu_si512(wide_iota);
    uint16_t *out = to->which + to->count;
    for (uint32_t i = piece.first; i < piece.end; i += WIDE) {
        const uint32_t *const now[2] = {to_now + i, to_now + i + LANES};
        const uint32_t *const old[2] = {to_old + i, to_old + i + LANES};
        const float *const bound[2] = {by->bounded ? to_bound + i : NULL, by->bounded ? to_bound + i + LANES : NULL};
        const bool level = by->sphere || by->cylinder;
        const uint32_t *const at[2] = {level ? heights + i : NULL, level ? heights + i + LANES : NULL};
        verdict is =
            judge_candidates(by, _mm512_cmplt_epu16_mask(which, length), now, old, bound, at, &observer, which);
        __m512i notes = _mm512_maskz_compress_epi16(is.some, is.notes);
        uint32_t count = (uint32_t)__builtin_popcount(is.some);
        _mm_storeu_si128((__m128i *)(void *)out, _mm512_castsi512_si128(notes));
        if (PHX_UNLIKELY(count > SHORT)) _mm512_storeu_si512(out, notes);
        out += count;
        which = _mm512_add_epi16(which, step);
    }
    to->count = (uint32_t)(out - to->which);
}

/* Writes the observer of the pairs first .. end: always one vector, which is mostly enough. */
AVX512_INLINE void name_observer(uint32_t *observer, uint32_t first, uint32_t end, __m512i place)
{
    do _mm512_storeu_si512(observer + first, place);
    while ((first += LANES) < end);
}

AVX512_INLINE uint32_t match_all_512(const matching *by, const phx_tile_candidates *candidates, uint32_t count,
                                     const phx_tile_observers *observers, const phx_tile_levels *levels,
                                     phx_pairs *pairs)
{
    const bool level = by->sphere || by->cylinder;
    found unwritten;
    uint32_t w = 0, first = 0;
    unwritten.count = 0; /* and no other field */
    for (; w < observers->count && pairs->capacity - pairs->count - unwritten.count >= count; w++) {
        uint32_t place = observers->place[w];
        const seer of = {{_mm512_set1_epi32((int)observers->now[place]), _mm512_set1_epi32((int)observers->old[place])},
                         level ? _mm512_set1_epi32((int)levels->by_place[place]) : _mm512_setzero_si512()};
        for (uint32_t i = 0; i < count; i += PIECE) {
            phx_span piece = {i, count - i < PIECE ? count : i + PIECE};
            if (i != first || unwritten.count + (piece.end - i) > PIECE) {
                write_found(&unwritten, candidates->target + first, pairs);
                first = i;
            }
            uint32_t before = unwritten.count;
            match_candidate_piece(by, candidates, piece, of, &unwritten);
            name_observer(pairs->observer + pairs->count, before, unwritten.count, _mm512_set1_epi32((int)place));
        }
    }
    write_found(&unwritten, candidates->target + first, pairs);
    return w;
}

/* Candidates have bounds. */
AVX512_INLINE matching bounded_matching(const phx_tile_limits *limits)
{
    const border off = border_of(-limits->unsure - 1, limits->unsure);
    return (matching){.in = off,
                      .keep = off,
                      .square = limits->square,
                      .margin = limits->margin > 0.0f,
                      .bounded = true,
                      .r = _mm512_set1_ps(limits->r),
                      .farther = _mm512_set1_ps(limits->margin)};
}

AVX512 static uint32_t match_bounded_512(const phx_tile_candidates *candidates, uint32_t count,
                                         const phx_tile_observers *observers, const phx_tile_limits *limits,
                                         phx_pairs *pairs)
{
    const matching by = bounded_matching(limits);
    return match_all_512(&by, candidates, count, observers, NULL, pairs);
}

/* Heights count, with bounds or without. */
AVX512_INLINE uint32_t match_tall_512(const phx_tile_candidates *candidates, uint32_t count,
                                      const phx_tile_observers *observers, const phx_tile_limits *limits, bool sphere,
                                      bool bounded, phx_pairs *pairs)
{
    const border in = border_of(limits->in_low, limits->in_high);
    matching by = {.in = in, .keep = in};
    if (bounded) by = bounded_matching(limits);
    by.square = by.margin = false;
    by.sphere = sphere;
    by.cylinder = !sphere;
    by.steep = _mm512_set1_epi32(limits->levels->steep);
    by.level = _mm512_set1_epi32(limits->levels->level);
    return match_all_512(&by, candidates, count, observers, limits->levels, pairs);
}

AVX512 static uint32_t match_levels_512(const phx_tile_candidates *candidates, uint32_t count,
                                        const phx_tile_observers *observers, const phx_tile_limits *limits,
                                        phx_pairs *pairs)
{
    PHX_ASSERT(!limits->square && limits->in_low == limits->keep_low && limits->in_high == limits->keep_high);
#define MATCH(sphere, bounded) match_tall_512(candidates, count, observers, limits, sphere, bounded, pairs)
    if (candidates->bound) return limits->levels->sphere ? MATCH(true, true) : MATCH(false, true);
    return limits->levels->sphere ? MATCH(true, false) : MATCH(false, false);
#undef MATCH
}

AVX512 uint32_t phx_match_avx512(const phx_tile_candidates *candidates, uint32_t count,
                                 const phx_tile_observers *observers, const phx_tile_limits *limits, phx_pairs *pairs)
{
    if (limits->levels) return match_levels_512(candidates, count, observers, limits, pairs);
    if (candidates->bound) return match_bounded_512(candidates, count, observers, limits, pairs);
    const border in = border_of(limits->in_low, limits->in_high), keep = border_of(limits->keep_low, limits->keep_high);
    const bool margin = limits->in_low != limits->keep_low || limits->in_high != limits->keep_high;
    const __m512 none = _mm512_setzero_ps();
    const __m512i zero = _mm512_setzero_si512();
#define MATCH(square, margin) \
    match_all_512(&(matching){in, keep, square, margin, false, none, none, false, false, zero, zero}, candidates, \
                  count, observers, NULL, pairs)
    if (limits->square) return margin ? MATCH(true, true) : MATCH(true, false);
    return margin ? MATCH(false, true) : MATCH(false, false);
#undef MATCH
}

#endif
