/*
 * The kernel of moves for AVX2, and for AVX-512, which has no better one; see moves_avx2.h. Two moves at a time, each
 * in half a register: x, y, z, and in the last lane, as in a body, its tower. Float operations are the same as in
 * ingest/moves.c, each rounded on its own. Called in the ingest phase by ingest/moves.c, by several workers at once for
 * disjoint bodies.
 */
#include "shards/ingest/moves_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

_Static_assert(offsetof(phx_body, tx) == 12 && offsetof(phx_body, ty) == 14, "half a register: x, y, z, ty << 16 | tx");
_Static_assert(offsetof(phx_body, state) + 2 == offsetof(phx_body, changed), "a word: changed << 16 | state");

/* Lanes of a mask: x, y and z of both halves; the towers; the lowest lane of each half. */
enum { PLACES = 0x77, TOWERS = 0x88, FIRSTS = 0x11, HALF = 4 };

AVX2_INLINE __m256 join_halves(__m128 first, __m128 second)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(first), second, 1);
}

/* Of both halves: x, y, and the other lanes. */
AVX2_INLINE __m256 repeat_position(float x, float y, float rest)
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

/* Notes a change in this tick that is no discontinuity. */
AVX2_INLINE void set_word(phx_body *body, uint32_t word, uint32_t changed)
{
    word = (word & (UINT16_MAX & ~(uint32_t)PHX_SLOT_DISCONTINUOUS)) | changed;
    memcpy(&body->state, &word, sizeof word);
}

/* Constants of one or two shards' moves, in registers. */
typedef struct course {
    __m256 origin, size, low, high; /* of towers */
    __m256 last;                    /* of the world's towers */
    __m256 limit, length;           /* of steps; clears signs, and lanes that are no step */
    __m256i towers, blocks;         /* from counts to a word in the last lane; bits that must not change */
} course;

AVX2_INLINE course course_of(const phx_shard *shard)
{
    const phx_move_constants *constants = &shard->move_constants;
    const int sign = INT32_MAX, block = (int)constants->block_bits;
    const __m128i tower = _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 4, 5);
    return (course){.origin = join_halves(constants->origin, constants->origin),
                    .size = join_halves(constants->tower_size, constants->tower_size),
                    .low = join_halves(constants->low, constants->low),
                    .high = join_halves(constants->high, constants->high),
                    .last = join_halves(constants->last, constants->last),
                    .limit = repeat_position(shard->step_usual, shard->step_usual, INFINITY),
                    .length = _mm256_castsi256_ps(_mm256_setr_epi32(sign, sign, sign, 0, sign, sign, sign, 0)),
                    .towers = _mm256_broadcastsi128_si256(tower),
                    .blocks = _mm256_setr_epi32(0, 0, 0, block, 0, 0, 0, block)};
}

/* Are both places, in towers, outside of the world? Then *q become their nearest towers', as phx_tower_index() clamps.
 */
AVX2_INLINE bool clamp_both_outside(const course *c, __m256 *q)
{
    const __m256 first = repeat_position(0.0f, 0.0f, -INFINITY), is = *q;
    *q = _mm256_max_ps(_mm256_min_ps(is, c->last), first);
    int same = _mm256_movemask_ps(_mm256_cmp_ps(*q, is, _CMP_EQ_OQ)) & PLACES;
    return ((same + FIRSTS) & TOWERS) == 0;
}

/*
 * Applies two common moves: the new bodies. false: one of them is of another kind. outside: both entities are, a
 * constant.
 */
AVX2_INLINE bool apply_steps(const course *c, __m256 was, __m256 is, __m256 step, bool outside, __m256 *to)
{
    __m256 q = _mm256_div_ps(_mm256_sub_ps(is, c->origin), c->size); /* as in phx_tower_index(), which clamps */
    if (outside && !clamp_both_outside(c, &q)) return false;
    __m256 inside = _mm256_and_ps(_mm256_cmp_ps(q, c->low, _CMP_GE_OQ), _mm256_cmp_ps(q, c->high, _CMP_LT_OQ));
    __m256 plain = _mm256_and_ps(inside, _mm256_cmp_ps(step, c->limit, _CMP_LE_OQ));
    __m256i tower = _mm256_shuffle_epi8(_mm256_cvttps_epi32(q), c->towers);
    __m256i other = _mm256_xor_si256(tower, _mm256_castps_si256(was));
    /* a body that does not move is not written: then all three bits are set, and one more is carried over */
    int same = _mm256_movemask_ps(_mm256_cmp_ps(is, was, _CMP_EQ_OQ)) & PLACES;
    *to = _mm256_blend_ps(is, _mm256_castsi256_ps(tower), TOWERS);
    return _mm256_movemask_ps(plain) == (PLACES | TOWERS) && ((same + FIRSTS) & TOWERS) == 0 &&
           _mm256_testz_si256(other, c->blocks);
}

/* Adds moves to the sums of a shard: along x, y and z, and squared in the ground plane; first lane: all squares. */
AVX2_INLINE void add_up(phx_move_stats *sum, __m128 steps, __m128 squares, uint32_t count)
{
    _Static_assert(offsetof(phx_move_stats, rise_max) == 8 && offsetof(phx_move_stats, step2_max) == 12, "a vector");
    float *longest = (float *)(void *)sum;
    _mm_storeu_ps(longest, _mm_max_ps(_mm_loadu_ps(longest), steps));
    sum->step2_sum += _mm_cvtss_f32(squares);
    sum->moved += count;
}

/* A step, and behind it the first of some squares. */
AVX2_INLINE __m128 step_lengths(__m128 step, __m128 square)
{
    enum { FIRST_TO_LAST = 3 << 4 };
    return _mm_insert_ps(step, square, FIRST_TO_LAST);
}

/* In the first lane the square of a step in the ground plane, from the squares along x and y. */
AVX2_INLINE __m128 ground_square(__m128 square)
{
    return _mm_add_ps(square, _mm_permute_ps(square, _MM_SHUFFLE(3, 2, 0, 1)));
}

/* Applies moves of one shard, two at a time; outside: of entities that are outside of the world, a constant. */
AVX2_INLINE uint32_t move_one_shard(phx_shard *shard, const phx_move_batch *batch, uint32_t first, bool outside,
                                    phx_move_stats *sum)
{
    const uint32_t common = PHX_MOVE_COMMON | (outside ? PHX_SLOT_OUTSIDE : 0);
    const course c = course_of(shard);
    const uint32_t changed = (uint32_t)shard->dirty_stamp << 16, count = batch->count, *slots = batch->slots;
    const phx_place *to_places = batch->to;
    const float *z = batch->z;
    phx_body *bodies = shard->store.body;
    __m256 steps = _mm256_setzero_ps(), squares = steps, all = steps, to;
    uint32_t i = first;
    for (; i + 2 <= count && slots[i] != slots[i + 1]; i += 2) {
        phx_body *a = &bodies[slots[i]], *b = &bodies[slots[i + 1]];
        uint32_t word_a = word_of(a), word_b = word_of(b);
        if ((((word_a ^ common) | (word_b ^ common)) & PHX_MOVE_KERNEL_BITS) != 0) break;
        if ((word_a ^ changed) <= UINT16_MAX || (word_b ^ changed) <= UINT16_MAX) break;
        __m256 was = join_halves(_mm_loadu_ps(&a->x), _mm_loadu_ps(&b->x));
        __m256 is = join_halves(position_at(to_places, z, i), position_at(to_places, z, i + 1));
        __m256 step = _mm256_and_ps(_mm256_sub_ps(is, was), c.length), square = _mm256_mul_ps(step, step);
        if (!apply_steps(&c, was, is, step, outside, &to)) break;
        _mm_storeu_ps(&a->x, _mm256_castps256_ps128(to));
        _mm_storeu_ps(&b->x, _mm256_extractf128_ps(to, 1));
        set_word(a, word_a, changed);
        set_word(b, word_b, changed);
        steps = _mm256_max_ps(steps, step);
        square = _mm256_add_ps(square, _mm256_permute_ps(square, _MM_SHUFFLE(3, 2, 0, 1)));
        squares = _mm256_max_ps(squares, square);
        all = _mm256_add_ps(all, square);
    }
    __m128 step = _mm_max_ps(_mm256_castps256_ps128(steps), _mm256_extractf128_ps(steps, 1));
    __m128 square = _mm_max_ps(_mm256_castps256_ps128(squares), _mm256_extractf128_ps(squares, 1));
    const __m128 every = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    add_up(sum, step_lengths(step, square), every, i - first);
    return i - first;
}

/* Applies moves of several shards, one at a time; differences between shards are in memory. */
AVX2_INLINE uint32_t move_mixed_shards(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch,
                                       uint32_t first, phx_move_stats *sums)
{
    enum { X_Y_Z = 7, TOWER = 8, TOWER_LANE = 3 };
    const course c = course_of(shards); /* low, high and block_bits are each shard's own: a blind one has no blocks */
    const __m128 origin = _mm256_castps256_ps128(c.origin), size = _mm256_castps256_ps128(c.size);
    const __m128 limit = _mm256_castps256_ps128(c.limit), length = _mm256_castps256_ps128(c.length);
    const __m128i towers = _mm256_castsi256_si128(c.towers);
    const uint32_t changed = (uint32_t)shards->dirty_stamp << 16, count = batch->count, *slots = batch->slots;
    const uint32_t *places = batch->places;
    const phx_place *to_places = batch->to;
    const float *z = batch->z;
    uint32_t i = first;
    for (; i < count; i++) {
        const uint32_t place = places[i];
        if (PHX_UNLIKELY(place >= shard_count)) break;
        phx_shard *shard = &shards[place];
        const phx_move_constants *constants = &shard->move_constants;
        phx_body *body = &shard->store.body[slots[i]];
        uint32_t word = word_of(body);
        if (PHX_UNLIKELY(!shard->dense_tick || ((word ^ PHX_MOVE_COMMON) & PHX_MOVE_KERNEL_BITS) != 0)) break;
        if (PHX_UNLIKELY((word ^ changed) <= UINT16_MAX)) break;
        __m128 was = _mm_loadu_ps(&body->x), is = position_at(to_places, z, i);
        __m128 step = _mm_and_ps(_mm_sub_ps(is, was), length), square = _mm_mul_ps(step, step);
        __m128 q = _mm_div_ps(_mm_sub_ps(is, origin), size);
        __m128 inside =
            _mm_and_ps(_mm_cmp_ps(q, constants->low, _CMP_GE_OQ), _mm_cmp_ps(q, constants->high, _CMP_LT_OQ));
        __m128 plain = _mm_and_ps(inside, _mm_cmp_ps(step, limit, _CMP_LE_OQ));
        __m128i tower = _mm_shuffle_epi8(_mm_cvttps_epi32(q), towers);
        if (PHX_UNLIKELY(_mm_movemask_ps(plain) != (X_Y_Z | TOWER))) break;
        if (PHX_UNLIKELY((_mm_movemask_ps(_mm_cmp_ps(is, was, _CMP_EQ_OQ)) & X_Y_Z) == X_Y_Z)) break;
        const __m128i other = _mm_xor_si128(tower, _mm_castps_si128(was));
        if (PHX_UNLIKELY(((uint32_t)_mm_extract_epi32(other, TOWER_LANE) & constants->block_bits) != 0)) break;
        _mm_storeu_ps(&body->x, _mm_blend_ps(is, _mm_castsi128_ps(tower), TOWER));
        set_word(body, word, changed);
        const __m128 ground = ground_square(square);
        add_up(&sums[place], step_lengths(step, ground), ground, 1);
    }
    return i - first;
}

AVX2 uint32_t phx_moves_apply_avx2(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, uint32_t first,
                                   phx_move_stats *sums)
{
    const uint32_t place = batch->places[first];
    PHX_ASSERT(place < shard_count && shards[place].dense_tick);
    if (batch->mixed) return move_mixed_shards(shards, shard_count, batch, first, sums);
    phx_shard *shard = &shards[place];
    if (shard->store.body[batch->slots[first]].state & PHX_SLOT_OUTSIDE)
        return move_one_shard(shard, batch, first, true, &sums[place]);
    return move_one_shard(shard, batch, first, false, &sums[place]);
}

#endif
