/*
 * The kernels for AVX-512 and AVX2; see kernels.h. The same operations as the
 * portable one, each rounded on its own: multiply and add are apart. Compiled for their
 * instruction sets function by function and chosen at run time, so one binary runs on any
 * x86-64. Lanes beyond the range are read (rows are padded) and masked out.
 */
#include "shards/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define AVX2 __attribute__((target("avx2")))

AVX512 static inline void hits512(phx_hits *hits, __mmask16 enter, __mmask16 leave, const uint32_t *slot)
{
    __m512i slots = _mm512_loadu_si512(slot);
    _mm512_storeu_si512(hits->enter + hits->enter_count, _mm512_maskz_compress_epi32(enter, slots));
    hits->enter_count += (uint32_t)__builtin_popcount(enter);
    _mm512_storeu_si512(hits->leave + hits->leave_count, _mm512_maskz_compress_epi32(leave, slots));
    hits->leave_count += (uint32_t)__builtin_popcount(leave);
}

AVX512 static void glance_avx512(const phx_grid_rows *rows, uint32_t first, uint32_t end, const phx_probe *p,
                              phx_hits *hits)
{
    const __m512 px = _mm512_set1_ps(p->x), py = _mm512_set1_ps(p->y);
    const __m512 qx = _mm512_set1_ps(p->ox), qy = _mm512_set1_ps(p->oy);
    const __m512 r = _mm512_set1_ps(p->in), far = _mm512_set1_ps(p->near);
    for (uint32_t i = first; i < end; i += 16) {
        __mmask16 lanes = end - i >= 16 ? (__mmask16)0xffff : (__mmask16)((1u << (end - i)) - 1);
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(rows->x + i), px);
        __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(rows->y + i), py);
        __m512 ex = _mm512_sub_ps(_mm512_loadu_ps(rows->ox + i), qx);
        __m512 ey = _mm512_sub_ps(_mm512_loadu_ps(rows->oy + i), qy);
        __m512 d, e; /* what is compared: squares of distances, or the longer of the two axes */
        if (p->square) {
            d = _mm512_max_ps(_mm512_abs_ps(dx), _mm512_abs_ps(dy));
            e = _mm512_max_ps(_mm512_abs_ps(ex), _mm512_abs_ps(ey));
        } else {
            d = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
            e = _mm512_add_ps(_mm512_mul_ps(ex, ex), _mm512_mul_ps(ey, ey));
        }
        __mmask16 in = _mm512_mask_cmp_ps_mask(lanes, d, r, _CMP_LE_OQ);
        __mmask16 was_in = _mm512_mask_cmp_ps_mask(lanes, e, r, _CMP_LE_OQ);
        __mmask16 near = _mm512_mask_cmp_ps_mask(lanes, d, far, _CMP_LE_OQ);
        __mmask16 was_near = _mm512_mask_cmp_ps_mask(lanes, e, far, _CMP_LE_OQ);
        __mmask16 enter = (__mmask16)(in & ~was_in), leave = (__mmask16)(was_near & ~near);
        if ((enter | leave) != 0) hits512(hits, enter, leave, rows->slot + i);
    }
}

AVX512 static uint32_t find_avx512(const uint32_t *array, uint32_t count, uint32_t value)
{
    const __m512i wanted = _mm512_set1_epi32((int)value);
    for (uint32_t i = 0; i < count; i += 16) {
        __mmask16 lanes = count - i >= 16 ? (__mmask16)0xffff : (__mmask16)((1u << (count - i)) - 1);
        __m512i some = _mm512_maskz_loadu_epi32(lanes, array + i);
        __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(lanes, some, wanted);
        if (equal != 0) return i + (uint32_t)__builtin_ctz(equal);
    }
    return count;
}

const phx_kernels phx_kernels_avx512 = {.glance = glance_avx512, .find = find_avx512};

AVX2 static inline void hits256(uint32_t mask, const uint32_t *slot, uint32_t *out, uint32_t *count)
{
    for (; mask != 0; mask &= mask - 1) out[(*count)++] = slot[__builtin_ctz(mask)];
}

AVX2 static inline uint32_t within(__m256 d, __m256 r)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(d, r, _CMP_LE_OQ));
}

AVX2 static void glance_avx2(const phx_grid_rows *rows, uint32_t first, uint32_t end, const phx_probe *p,
                             phx_hits *hits)
{
    const __m256 px = _mm256_set1_ps(p->x), py = _mm256_set1_ps(p->y);
    const __m256 qx = _mm256_set1_ps(p->ox), qy = _mm256_set1_ps(p->oy);
    const __m256 r = _mm256_set1_ps(p->in), far = _mm256_set1_ps(p->near), sign = _mm256_set1_ps(-0.0f);
    for (uint32_t i = first; i < end; i += 8) {
        uint32_t lanes = end - i >= 8 ? 0xff : (1u << (end - i)) - 1;
        __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(rows->x + i), px);
        __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(rows->y + i), py);
        __m256 ex = _mm256_sub_ps(_mm256_loadu_ps(rows->ox + i), qx);
        __m256 ey = _mm256_sub_ps(_mm256_loadu_ps(rows->oy + i), qy);
        __m256 d, e;
        if (p->square) {
            d = _mm256_max_ps(_mm256_andnot_ps(sign, dx), _mm256_andnot_ps(sign, dy));
            e = _mm256_max_ps(_mm256_andnot_ps(sign, ex), _mm256_andnot_ps(sign, ey));
        } else {
            d = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            e = _mm256_add_ps(_mm256_mul_ps(ex, ex), _mm256_mul_ps(ey, ey));
        }
        uint32_t enter = within(d, r) & ~within(e, r) & lanes, leave = within(e, far) & ~within(d, far) & lanes;
        if (enter != 0) hits256(enter, rows->slot + i, hits->enter, &hits->enter_count);
        if (leave != 0) hits256(leave, rows->slot + i, hits->leave, &hits->leave_count);
    }
}

AVX2 static uint32_t find_avx2(const uint32_t *array, uint32_t count, uint32_t value)
{
    const __m256i wanted = _mm256_set1_epi32((int)value);
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(array + i)), wanted);
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
        if (mask != 0) return i + (uint32_t)__builtin_ctz(mask);
    }
    while (i < count && array[i] != value) i++;
    return i;
}

const phx_kernels phx_kernels_avx2 = {.glance = glance_avx2, .find = find_avx2};

#endif
