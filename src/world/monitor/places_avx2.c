/*
 * The kernel of places for AVX2; see places_avx2.h. Eight bodies at a time. Float operations are as in
 * shown.h, each rounded on its own, so places are the same to the last bit. By all workers, at the end of a tick.
 */
#include "world/monitor/places_avx2.h"

#if defined(__x86_64__)

#include <stddef.h>

#include "shards/simd/avx2_lanes.h"

_Static_assert(offsetof(phx_body, y) == offsetof(phx_body, x) + 4 && offsetof(phx_body, z) == offsetof(phx_body, x) + 8,
               "a load of x has y, and two more words of the body");
_Static_assert(offsetof(phx_body, state) % 4 == 0 && sizeof(phx_body) % 4 == 0,
               "the state is the lower half of a word");

/* Of eight bodies. */
typedef struct positions {
    __m256 x, y;
} positions;

AVX2_INLINE __m256 load_two(const phx_body *bodies, uint32_t first)
{
    const __m128 low = _mm_loadu_ps(&bodies[first].x), high = _mm_loadu_ps(&bodies[first + HALF].x);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

AVX2_INLINE positions load_positions(const phx_body *bodies)
{
    const __m256 a = load_two(bodies, 0), b = load_two(bodies, 1), c = load_two(bodies, 2), d = load_two(bodies, 3);
    const __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), high = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    /* each half of low: x0 x1 y0 y1, of high: x2 x3 y2 y3 */
    return (positions){_mm256_castpd_ps(_mm256_unpacklo_pd(low, high)),
                       _mm256_castpd_ps(_mm256_unpackhi_pd(low, high))};
}

AVX2_INLINE __m256i states_of(const phx_body *bodies)
{
    enum { WORDS = sizeof(phx_body) / 4 };
    const __m256i steps = _mm256_setr_epi32(0, WORDS, 2 * WORDS, 3 * WORDS, 4 * WORDS, 5 * WORDS, 6 * WORDS, 7 * WORDS);
    return _mm256_i32gather_epi32((const int *)(const void *)&bodies->state, steps, 4);
}

/* Lanes with low <= p <= high. */
AVX2_INLINE __m256 lanes_between(__m256 p, float low, float high)
{
    return _mm256_and_ps(_mm256_cmp_ps(p, _mm256_set1_ps(low), _CMP_GE_OQ),
                         _mm256_cmp_ps(p, _mm256_set1_ps(high), _CMP_LE_OQ));
}

/* phx_shown_place() */
AVX2_INLINE __m256i places_along(__m256 p, float from, float scale)
{
    const __m256 at = _mm256_mul_ps(_mm256_sub_ps(p, _mm256_set1_ps(from)), _mm256_set1_ps(scale));
    const __m256 below = _mm256_min_ps(at, _mm256_set1_ps(65535.0f));
    return _mm256_cvttps_epi32(_mm256_max_ps(below, _mm256_setzero_ps()));
}

/*
 * Bodies were written by other phases, and are far away by now: asked for early, a pass takes two thirds of the time.
 * An address behind the last body is no access.
 */
AVX2_INLINE void fetch_ahead(const phx_body *bodies)
{
    enum { AHEAD = 8192, STEP = PHX_CACHE_LINE, LINES = LANES * sizeof(phx_body) / STEP }; /* AHEAD: bytes, measured */
    for (uint32_t line = 0; line < LINES; line++)
        _mm_prefetch((const char *)((uintptr_t)bodies + AHEAD + line * STEP), _MM_HINT_T0);
}

AVX2 uint32_t phx_places_avx2(const phx_places_of *of, const phx_body *bodies, phx_span slots, phx_places to)
{
    const phx_shown shown = of->shown;
    const __m256i among = _mm256_set1_epi32((int)of->among), state = _mm256_set1_epi32((int)of->state);
    uint32_t n = 0, slot = slots.first;
    for (; slot + LANES <= slots.end; slot += LANES) {
        const positions at = load_positions(&bodies[slot]);
        fetch_ahead(&bodies[slot]);
        const __m256 in = _mm256_and_ps(lanes_between(at.x, shown.box.x0, shown.box.x1),
                                        lanes_between(at.y, shown.box.y0, shown.box.y1));
        const __m256i are = _mm256_cmpeq_epi32(_mm256_and_si256(states_of(&bodies[slot]), among), state);
        const uint32_t mask = lane_mask(_mm256_and_si256(_mm256_castps_si256(in), are));
        const __m256i x = places_along(at.x, shown.box.x0, shown.scale_x);
        const __m256i y = places_along(at.y, shown.box.y0, shown.scale_y);
        const __m256i places = _mm256_or_si256(_mm256_slli_epi32(y, 16), x), numbers = lanes_from(slot);
        if (mask == (1u << LANES) - 1) {
            store_vector(to.slots + n, numbers);
            store_vector(to.places + n, places);
            n += LANES;
        } else if (mask != 0) {
            const choice chosen = choose_lanes(mask);
            store_chosen_lanes(to.slots + n, &chosen, numbers);
            store_chosen_lanes(to.places + n, &chosen, places);
            n += chosen.count;
        }
    }
    const phx_places rest = {to.slots + n, to.places + n};
    return n + phx_places_portable(of, bodies, (phx_span){slot, slots.end}, rest);
}

#endif
