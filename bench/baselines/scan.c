/*
 * One place after the other, eight at once (AVX2), sixteen at once (AVX-512); see scan.h.
 * Multiplications and additions are instructions of their own here as everywhere: the
 * rule is exact.
 */
#include "bench/baselines/scan.h"

static uint32_t scan_plain(const sorted *places, uint32_t begin, uint32_t end, scan_centre centre, uint32_t *hits)
{
    uint32_t count = 0;
    for (uint32_t j = begin; j < end; j++) {
        float dx = places->x[j] - centre.x;
        float dy = places->y[j] - centre.y;
        hits[count] = places->slots[j];
        count += (dx * dx + dy * dy <= centre.square) & (places->slots[j] != centre.slot);
    }
    return count;
}

#if defined(__x86_64__)

#include <immintrin.h>

/* By a mask of eight hits: which lanes go to the front. */
static uint8_t lanes[256][8];

static void make_lanes(void)
{
    for (uint32_t mask = 0; mask < 256; mask++) {
        uint32_t count = 0;
        for (uint32_t bit = 0; bit < 8; bit++) {
            if ((mask >> bit & 1) != 0) {
                lanes[mask][count++] = (uint8_t)bit;
            }
        }
    }
}

__attribute__((target("avx2,popcnt"))) static uint32_t scan_avx2(const sorted *places, uint32_t begin, uint32_t end,
                                                                 scan_centre centre, uint32_t *hits)
{
    const __m256 x = _mm256_set1_ps(centre.x);
    const __m256 y = _mm256_set1_ps(centre.y);
    const __m256 square = _mm256_set1_ps(centre.square);
    const __m256i self = _mm256_set1_epi32((int)centre.slot);
    uint32_t count = 0;
    for (uint32_t j = begin; j < end; j += 8) {
        __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(&places->x[j]), x);
        __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(&places->y[j]), y);
        __m256 flat = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
        __m256i slots = _mm256_loadu_si256((const __m256i *)&places->slots[j]);
        __m256i own = _mm256_cmpeq_epi32(slots, self);
        __m256 in = _mm256_andnot_ps(_mm256_castsi256_ps(own), _mm256_cmp_ps(flat, square, _CMP_LE_OQ));
        uint32_t mask = (uint32_t)_mm256_movemask_ps(in);
        mask &= end - j >= 8 ? 0xffu : (1u << (end - j)) - 1;
        __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)lanes[mask]));
        _mm256_storeu_si256((__m256i *)&hits[count], _mm256_permutevar8x32_epi32(slots, order));
        count += (uint32_t)_mm_popcnt_u32(mask);
    }
    return count;
}

__attribute__((target("avx512f,popcnt"))) static uint32_t scan_avx512(const sorted *places, uint32_t begin,
                                                                      uint32_t end, scan_centre centre, uint32_t *hits)
{
    const __m512 x = _mm512_set1_ps(centre.x);
    const __m512 y = _mm512_set1_ps(centre.y);
    const __m512 square = _mm512_set1_ps(centre.square);
    const __m512i self = _mm512_set1_epi32((int)centre.slot);
    uint32_t count = 0;
    for (uint32_t j = begin; j < end; j += 16) {
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(&places->x[j]), x);
        __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(&places->y[j]), y);
        __m512 flat = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        __m512i slots = _mm512_loadu_si512(&places->slots[j]);
        __mmask16 inside = (__mmask16)(end - j >= 16 ? 0xffffu : (1u << (end - j)) - 1);
        __mmask16 in = _mm512_mask_cmp_ps_mask(inside, flat, square, _CMP_LE_OQ);
        in = _mm512_mask_cmpneq_epi32_mask(in, slots, self);
        /* To a register, then to memory: compressing straight into memory is microcode on some processors. */
        _mm512_storeu_si512(&hits[count], _mm512_maskz_compress_epi32(in, slots));
        count += (uint32_t)_mm_popcnt_u32(in);
    }
    return count;
}

uint32_t scan_count(void)
{
    if (__builtin_cpu_supports("avx512f")) {
        return 3;
    }
    return __builtin_cpu_supports("avx2") ? 2 : 1;
}

scan_fn scan_at(uint32_t index)
{
    static const scan_fn scans[] = {scan_plain, scan_avx2, scan_avx512};
    PHX_ASSERT(index < scan_count());
    make_lanes();
    return scans[index];
}

#else

uint32_t scan_count(void)
{
    return 1;
}

scan_fn scan_at(uint32_t index)
{
    PHX_ASSERT(index == 0);
    (void)index;
    return scan_plain;
}

#endif
