/*
 * The kernel of moves for AVX2, of which the AVX-512 set has no better; see kernels.h. Two moves at a time, each in
 * half a register: x, y, z, and in the last place of a body its tower. Float operations are those of move.c, each
 * rounded on its own. Called in the ingest phase by move.c, by several workers at once for disjoint bodies.
 */
#include "shards/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

_Static_assert(offsetof(phx_body, tx) == 12 && offsetof(phx_body, ty) == 14, "half a register: x, y, z, ty << 16 | tx");
_Static_assert(offsetof(phx_body, state) + 2 == offsetof(phx_body, changed), "a word: changed << 16 | state");

/* Lanes of a mask: x, y and z of both; the towers; the lowest of each half. */
enum { PLACES = 0x77, TOWERS = 0x88, FIRSTS = 0x11, HALF = 4 };

AVX2_INLINE __m256 two(__m128 first, __m128 second)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(first), second, 1);
}

/* Of both: of x, of y, and of what is beside them. */
AVX2_INLINE __m256 twice(float x, float y, float rest)
{
    return _mm256_setr_ps(x, y, rest, rest, x, y, rest, rest);
}

/* x, y, z, 0. */
AVX2_INLINE __m128 position_at(const phx_place *to, const float *z, uint32_t i)
{
    __m128 place = _mm_castpd_ps(_mm_load_sd((const double *)(const void *)&to[i]));
    return z ? _mm_movelh_ps(place, _mm_load_ss(&z[i])) : place;
}

AVX2_INLINE uint32_t word_of(const phx_body *body)
{
    uint32_t word;
    memcpy(&word, &body->state, sizeof word);
    return word;
}

/* It changed in this tick, and not oddly. */
AVX2_INLINE void set_word(phx_body *body, uint32_t word, uint32_t changed)
{
    word = (word & (UINT16_MAX & ~(uint32_t)PHX_SLOT_ODD)) | changed;
    memcpy(&body->state, &word, sizeof word);
}

/* What of a walk is in registers. */
typedef struct course {
    __m256 origin, size, low, high; /* of towers; what is beside x and y is inside, and short of the limit */
    __m256 limit, length;           /* of steps; takes the signs, and what is of no step */
    __m256i towers, blocks;         /* from counts to a word in the last place; what may not change of it */
} course;

AVX2_INLINE course course_of(const phx_walk *walk)
{
    const int sign = INT32_MAX, block = (int)walk->block_bits;
    const __m128i tower = _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 4, 5);
    return (course){.origin = twice(walk->origin[0], walk->origin[1], 0.0f),
                    .size = twice(walk->tower_size, walk->tower_size, 1.0f),
                    .low = twice(walk->low[0], walk->low[1], -INFINITY),
                    .high = twice(walk->high[0], walk->high[1], INFINITY),
                    .limit = twice(walk->step_limit, walk->step_limit, INFINITY),
                    .length = _mm256_castsi256_ps(_mm256_setr_epi32(sign, sign, sign, 0, sign, sign, sign, 0)),
                    .towers = _mm256_broadcastsi128_si256(tower),
                    .blocks = _mm256_setr_epi32(0, 0, 0, block, 0, 0, 0, block)};
}

/* Two moves of the common kind: what the bodies become. false: one of them is another. */
AVX2_INLINE bool take_steps(const course *c, __m256 was, __m256 is, __m256 step, __m256 *to)
{
    __m256 q = _mm256_div_ps(_mm256_sub_ps(is, c->origin), c->size); /* as in phx_tower_index(), which clamps */
    __m256 inside = _mm256_and_ps(_mm256_cmp_ps(q, c->low, _CMP_GE_OQ), _mm256_cmp_ps(q, c->high, _CMP_LT_OQ));
    __m256 plain = _mm256_and_ps(inside, _mm256_cmp_ps(step, c->limit, _CMP_LE_OQ));
    __m256i tower = _mm256_shuffle_epi8(_mm256_cvttps_epi32(q), c->towers);
    __m256i other = _mm256_xor_si256(tower, _mm256_castps_si256(was));
    /* who does not move at all is not touched: then all three bits are set, and one more is carried over */
    int same = _mm256_movemask_ps(_mm256_cmp_ps(is, was, _CMP_EQ_OQ)) & PLACES;
    *to = _mm256_blend_ps(is, _mm256_castsi256_ps(tower), TOWERS);
    return _mm256_movemask_ps(plain) == (PLACES | TOWERS) && ((same + FIRSTS) & TOWERS) == 0 &&
           _mm256_testz_si256(other, c->blocks);
}

AVX2_INLINE float larger(float a, float b)
{
    return a > b ? a : b;
}

AVX2_INLINE uint32_t walk_on(const phx_walk *walk, const uint32_t *slots, const phx_place *to_places, const float *z,
                             uint32_t count, phx_strode *strode)
{
    const course c = course_of(walk);
    const uint32_t plain = walk->plain, bits = walk->plain_bits, changed = (uint32_t)walk->stamp << 16;
    phx_body *bodies = walk->bodies;
    __m256 steps = _mm256_setzero_ps(), squares = _mm256_setzero_ps(), to;
    uint32_t i = 0;
    for (; i + 2 <= count && slots[i] != slots[i + 1]; i += 2) {
        phx_body *a = &bodies[slots[i]], *b = &bodies[slots[i + 1]];
        uint32_t word_a = word_of(a), word_b = word_of(b);
        if ((((word_a ^ plain) | (word_b ^ plain)) & bits) != 0) break;
        if ((word_a ^ changed) <= UINT16_MAX || (word_b ^ changed) <= UINT16_MAX) break;
        __m256 was = two(_mm_loadu_ps(&a->x), _mm_loadu_ps(&b->x));
        __m256 is = two(position_at(to_places, z, i), position_at(to_places, z, i + 1));
        __m256 step = _mm256_and_ps(_mm256_sub_ps(is, was), c.length), square = _mm256_mul_ps(step, step);
        if (!take_steps(&c, was, is, step, &to)) break;
        _mm_storeu_ps(&a->x, _mm256_castps256_ps128(to));
        _mm_storeu_ps(&b->x, _mm256_extractf128_ps(to, 1));
        set_word(a, word_a, changed);
        set_word(b, word_b, changed);
        steps = _mm256_max_ps(steps, step);
        square = _mm256_add_ps(square, _mm256_permute_ps(square, _MM_SHUFFLE(3, 2, 0, 1)));
        squares = _mm256_max_ps(squares, square);
    }
    float along[2 * HALF], squared[2 * HALF];
    _mm256_storeu_ps(along, steps);
    _mm256_storeu_ps(squared, squares);
    strode->step = larger(larger(along[0], along[1]), larger(along[HALF], along[HALF + 1]));
    strode->step2 = larger(squared[0], squared[HALF]);
    return i;
}

AVX2 uint32_t phx_walk_avx2(const phx_walk *walk, const uint32_t *slots, const phx_place *to, const float *z,
                            uint32_t count, phx_strode *strode)
{
    if (z) return walk_on(walk, slots, to, z, count, strode);
    return walk_on(walk, slots, to, NULL, count, strode);
}

#endif
