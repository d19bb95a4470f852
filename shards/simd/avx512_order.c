/*
 * Kernels of orders for AVX-512; see avx512_order.h and kernels.h.
 */
#include "shards/simd/avx512_order.h"

#if defined(__x86_64__)

#include "shards/simd/avx512_lanes.h"

/* The words at an offset in names; indexes count 8 bytes. */
AVX512_INLINE __m512i name_words(const phx_name *name, size_t offset, __m512i index, __mmask16 lanes)
{
    return _mm512_mask_i32gather_epi32(index, lanes, index, (const char *)name + offset, 8);
}

/* Targets' kinds and id bits, kinds in front; bits beyond the key have to be cut off. */
AVX512_INLINE __m512i kinds_and_ids(const phx_sort_key_format *by, __m512i target, __mmask16 lanes)
{
    _Static_assert(sizeof(phx_name) == 2 * 8, "an index counts halves of a name");
    _Static_assert((uint64_t)PHX_SLOTS_MAX * 2 - 1 <= INT32_MAX, "every slot has an index, which has a sign");
    __m512i slot = _mm512_and_si512(target, _mm512_set1_epi32((int)PHX_ROW_SLOT)), index = _mm512_add_epi32(slot, slot);
    __m512i id = name_words(by->name, offsetof(phx_name, id), index, lanes);
    id = _mm512_and_si512(id, _mm512_set1_epi32((int)((UINT32_C(1) << by->bits) - 1)));
    if (by->kinds == 0) return id;
    __m512i kind = name_words(by->name, offsetof(phx_name, kind), index, lanes);
    kind = _mm512_and_si512(kind, _mm512_set1_epi32((int)by->kinds)); /* the consumer follows it */
    return _mm512_or_si512(id, _mm512_sll_epi32(kind, _mm_cvtsi32_si128((int)by->bits)));
}

/*
 * Keys are words of 32 bits or, where their differing bits fit, short ones of 16. The functions below do both: `shorts`
 * is a constant where they are inlined.
 */
enum { SHORTS = 2 * LANES };

/* Stores the keys of a vector of targets, of these depths; lanes without a target get any key. */
AVX512_INLINE void store_keys(const phx_sort_key_format *by, __m512i target, __m512i depth, __mmask16 lanes,
                              bool shorts, int32_t *words, uint32_t at)
{
    const __m512i sign = _mm512_set1_epi32(shorts ? 1 << 15 : INT32_MIN);
    const __m128i shift = _mm_cvtsi32_si128((int)phx_sort_key_depth_shift(by));
    __m512i key = _mm512_or_si512(kinds_and_ids(by, target, lanes), _mm512_sll_epi32(depth, shift));
    key = _mm512_andnot_si512(sign, key);
    __m512i leave = shorts ? _mm512_srli_epi32(target, 15) : _mm512_add_epi32(target, target); /* PHX_TARGET_LEAVE */
    key = _mm512_or_si512(key, _mm512_and_si512(leave, sign));
    if (shorts) _mm256_storeu_si256((__m256i *)(void *)((int16_t *)(void *)words + at), _mm512_cvtepi32_epi16(key));
    else _mm512_storeu_si512(words + at, key);
}

/* Loads a vector of keys, of which so many are valid: the others come last. */
AVX512_INLINE __m512i load_keys(const int32_t *words, uint32_t at, uint32_t count, bool shorts)
{
    if (!shorts) return _mm512_mask_loadu_epi32(_mm512_set1_epi32(INT32_MAX), first_lane_mask(count), words + at);
    __mmask32 lanes = count >= SHORTS ? UINT32_MAX : _bzhi_u32(UINT32_MAX, count);
    return _mm512_mask_loadu_epi16(_mm512_set1_epi16(INT16_MAX), lanes, (const int16_t *)(const void *)words + at);
}

AVX512_INLINE __m512i add_keys(__m512i a, __m512i b, bool shorts)
{
    return shorts ? _mm512_add_epi16(a, b) : _mm512_add_epi32(a, b);
}

/* Adds one where a key is greater than the key in one lane of others. */
AVX512_INLINE __m512i count_lane(__m512i before, __m512i own, __m512i others, __m512i lane, bool shorts)
{
    if (shorts) {
        __mmask32 greater = _mm512_cmpgt_epi16_mask(own, _mm512_permutexvar_epi16(lane, others));
        return _mm512_mask_add_epi16(before, greater, before, _mm512_set1_epi16(1));
    }
    __mmask16 greater = _mm512_cmpgt_epi32_mask(own, _mm512_permutexvar_epi32(lane, others));
    return _mm512_mask_add_epi32(before, greater, before, _mm512_set1_epi32(1));
}

enum { SUMS = 4 }; /* sums side by side: they do not wait for each other */

/* Adds, for each of `vectors`, the keys of one vector (`count` valid ones) that come before it. */
AVX512_INLINE void count_before(__m512i keys, uint32_t count, const __m512i *own, uint32_t vectors, bool shorts,
                                __m512i before[][SUMS])
{
    const __m512i step = shorts ? _mm512_set1_epi16(SUMS) : _mm512_set1_epi32(SUMS);
    __m512i lane[SUMS];
    for (uint32_t s = 0; s < SUMS; s++) lane[s] = shorts ? _mm512_set1_epi16((short)s) : _mm512_set1_epi32((int)s);
#pragma GCC unroll 1 /* else lanes are extracted one by one */
    for (uint32_t i = 0; i < count; i += SUMS) {
        for (uint32_t s = 0; s < SUMS; s++) {
            for (uint32_t v = 0; v < vectors; v++)
                before[v][s] = count_lane(before[v][s], own[v], keys, lane[s], shorts);
            lane[s] = add_keys(lane[s], step, shorts);
        }
    }
}

/* The number of keys, of so many, from the first of a vector on. */
AVX512_INLINE uint32_t keys_from(uint32_t first, uint32_t count)
{
    return first < count ? count - first : 0;
}

/* The places of one change's targets, with keys in at most `vectors` vectors, each against each. */
AVX512_INLINE void rank_change_keys_512(const int32_t *words, uint32_t at, uint32_t count, uint32_t vectors,
                                        bool shorts, __m512i first, uint32_t *place)
{
    const uint32_t lanes = shorts ? SHORTS : LANES;
    __m512i own[PHX_ORDER_SHORT_MAX / LANES], before[PHX_ORDER_SHORT_MAX / LANES][SUMS];
    for (uint32_t v = 0; v < vectors; v++) {
        own[v] = load_keys(words, at + v * lanes, keys_from(v * lanes, count), shorts);
        for (uint32_t s = 0; s < SUMS; s++) before[v][s] = _mm512_setzero_si512();
    }
    for (uint32_t v = 0; v < vectors; v++) {
        uint32_t some = v + 1 < vectors ? lanes : keys_from(v * lanes, count);
        count_before(own[v], some, own, vectors, shorts, before);
    }
    for (uint32_t v = 0; v < vectors; v++, place += lanes) {
        __m512i all = add_keys(add_keys(before[v][0], before[v][1], shorts),
                               add_keys(before[v][2], before[v][3], shorts), shorts);
        __m512i low = shorts ? _mm512_cvtepu16_epi32(_mm512_castsi512_si256(all)) : all;
        _mm512_storeu_si512(place, _mm512_add_epi32(low, first));
        if (!shorts) continue;
        __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(all, 1));
        _mm512_storeu_si512(place + LANES, _mm512_add_epi32(high, first));
    }
}

AVX512_INLINE void order_changes(const phx_sort_key_format *by, const phx_unsorted_events *of, bool shorts,
                                 uint32_t *place)
{
    int32_t words[PHX_ORDER_MOST + PHX_ORDER_SHORT_MAX];
    const uint32_t total = of->count > 0 ? of->end[of->count - 1] : 0;
    PHX_ASSERT(total <= PHX_ORDER_MOST);
    for (uint32_t i = 0; i < total; i += LANES) {
        __mmask16 lanes = first_lane_mask(total - i);
        const __m512i target = _mm512_maskz_loadu_epi32(lanes, of->targets + i);
        const __m512i depth = of->depths ? _mm512_maskz_loadu_epi32(lanes, of->depths + i) : _mm512_setzero_si512();
        store_keys(by, target, depth, lanes, shorts, words, i);
    }
    for (uint32_t c = 0, at = 0; c < of->count; at = of->end[c++]) {
        const __m512i first = _mm512_set1_epi32((int)of->first[c]);
        const uint32_t count = of->end[c] - at, one = shorts ? SHORTS : LANES;
        if (PHX_LIKELY(count <= one)) rank_change_keys_512(words, at, count, 1, shorts, first, place + at);
        else if (count <= 2 * one) rank_change_keys_512(words, at, count, 2, shorts, first, place + at);
        else rank_change_keys_512(words, at, count, PHX_ORDER_SHORT_MAX / one, shorts, first, place + at);
    }
}

AVX512 void phx_order_keys_avx512(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place)
{
    /* bits in which keys differ: up to 15, and one for leaves, fit a short key */
    const uint64_t bits = (uint64_t)by->deepest << phx_sort_key_depth_shift(by) | (uint64_t)by->kinds << by->bits |
                          ((UINT64_C(1) << by->bits) - 1);
    if (bits <= INT16_MAX) order_changes(by, of, true, place);
    else order_changes(by, of, false, place);
}

enum { IDS = 8 }; /* ids in a vector */

/* Counts, for each of so many vectors of ids, the ids that come before it. same: all kinds are equal. */
AVX512_INLINE void rank_names_512(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t vectors, bool same,
                                  uint32_t *place)
{
    __m512i ids[PHX_ORDER_SHORT_MAX / IDS], kinds[PHX_ORDER_SHORT_MAX / IDS];
    for (uint32_t v = 0; v < vectors; v++) {
        uint32_t left = count - v * IDS;
        __mmask8 lanes = left >= IDS ? 0xff : (__mmask8)((1u << left) - 1);
        const __m512i last = _mm512_set1_epi64(-1); /* comes last */
        ids[v] = _mm512_mask_loadu_epi64(last, lanes, id + v * IDS);
        if (!same) kinds[v] = _mm512_mask_cvtepu16_epi64(last, lanes, _mm_maskz_loadu_epi16(lanes, kind + v * IDS));
    }
    for (uint32_t i = 0; i < count; i++) {
        const __m512i own = _mm512_set1_epi64((long long)id[i]);
        const __m512i own_kind = same ? own : _mm512_set1_epi64(kind[i]);
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

AVX512 void phx_order_avx512(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place)
{
    const uint32_t vectors = (count + IDS - 1) / IDS;
    bool same = true;
    for (uint32_t i = 1; i < count; i++) same &= kind[i] == kind[0];
    if (same) rank_names_512(id, kind, count, vectors, true, place);
    else rank_names_512(id, kind, count, vectors, false, place);
}

AVX512 void phx_rank_words_avx512(const uint64_t *words, uint32_t count, uint32_t *place)
{
    if (count <= IDS) rank_names_512(words, NULL, count, 1, true, place);
    else rank_names_512(words, NULL, count, (count + IDS - 1) / IDS, true, place);
}

#endif
