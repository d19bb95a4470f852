/*
 * The kernel that merges words, for AVX-512; see kernels.h. Eight words at a time enter a network, which emits the
 * lower eight and keeps the upper ones. The next eight come from the run with the lower next word, so no later word
 * belongs before an emitted one. Called in the interest phase by entity/event_order.c.
 */
#include "shards/simd/avx512_merge.h"

#if defined(__x86_64__)

#include "shards/simd/avx512_lanes.h"

enum { WORDS = 8 };

AVX512_INLINE __mmask8 first_words(size_t count)
{
    return count >= WORDS ? 0xff : (__mmask8)((1u << count) - 1);
}

/* Loads so many words of a run, or the first eight; then words that come last. */
AVX512_INLINE __m512i words_at(const uint64_t *at, size_t count)
{
    return _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), first_words(count), at);
}

/* Sorts words that rise and then fall. */
AVX512_INLINE __m512i in_order(__m512i v)
{
    enum { UPPER_HALF = 0xf0, UPPER_PAIRS = 0xcc, UPPER = 0xaa };
    __m512i other = _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(1, 0, 3, 2));
    v = _mm512_mask_max_epu64(_mm512_min_epu64(v, other), UPPER_HALF, v, other);
    other = _mm512_permutex_epi64(v, _MM_SHUFFLE(1, 0, 3, 2));
    v = _mm512_mask_max_epu64(_mm512_min_epu64(v, other), UPPER_PAIRS, v, other);
    other = _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)_MM_SHUFFLE(1, 0, 3, 2));
    return _mm512_mask_max_epu64(_mm512_min_epu64(v, other), UPPER, v, other);
}

/* Emits the lower eight of these words and the kept ones, and keeps the upper ones. */
AVX512_INLINE __m512i merge_lower_keys(__m512i *kept, __m512i v)
{
    v = _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
    __m512i low = _mm512_min_epu64(*kept, v);
    *kept = in_order(_mm512_max_epu64(*kept, v));
    return in_order(low);
}

AVX512 void phx_merge_avx512(const void *first, uint32_t a_count, const void *second, uint32_t b_count, void *to)
{
    const uint64_t *a = first, *b = second;
    size_t i = WORDS, j = 0, n = 0, count = (size_t)a_count + b_count;
    uint64_t *out = to;
    __m512i kept = words_at(a, a_count);
    for (; i < a_count && j < b_count; n += WORDS) {
        size_t from_b = -(size_t)(b[j] < a[i]); /* no branch: it would be mispredicted every other time */
        const uint64_t *from = from_b ? b + j : a + i;
        __m512i v = words_at(from, from_b ? b_count - j : a_count - i);
        i += WORDS & ~from_b;
        j += WORDS & from_b;
        _mm512_storeu_si512(out + n, merge_lower_keys(&kept, v));
    }
    for (; i < a_count; i += WORDS, n += WORDS)
        _mm512_mask_storeu_epi64(out + n, first_words(count - n),
                                 merge_lower_keys(&kept, words_at(a + i, a_count - i)));
    for (; j < b_count; j += WORDS, n += WORDS)
        _mm512_mask_storeu_epi64(out + n, first_words(count - n),
                                 merge_lower_keys(&kept, words_at(b + j, b_count - j)));
    if (n < count) _mm512_mask_storeu_epi64(out + n, first_words(count - n), kept);
}

#endif
