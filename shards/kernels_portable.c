/*
 * The kernels in plain C; see kernels.h. Every row is written to both ends and kept
 * or not, so nothing depends on a branch.
 */
#include "shards/kernels.h"

static inline void test(const phx_grid_rows *rows, uint32_t i, const phx_probe *p, bool square, phx_hits *hits)
{
    float dx = rows->x[i] - p->x, dy = rows->y[i] - p->y, ex = rows->ox[i] - p->ox, ey = rows->oy[i] - p->oy;
    bool in, near, was_in, was_near;
    if (square) {
        dx = fabsf(dx), dy = fabsf(dy), ex = fabsf(ex), ey = fabsf(ey);
        in = (dx <= p->in) & (dy <= p->in), near = (dx <= p->near) & (dy <= p->near);
        was_in = (ex <= p->in) & (ey <= p->in), was_near = (ex <= p->near) & (ey <= p->near);
    } else {
        float d2 = dx * dx + dy * dy, e2 = ex * ex + ey * ey;
        in = d2 <= p->in, near = d2 <= p->near, was_in = e2 <= p->in, was_near = e2 <= p->near;
    }
    hits->enter[hits->enter_count] = hits->leave[hits->leave_count] = rows->slot[i];
    hits->enter_count += in & !was_in;
    hits->leave_count += !near & was_near;
}

static void glance_portable(const phx_grid_rows *rows, uint32_t first, uint32_t end, const phx_probe *probe,
                            phx_hits *hits)
{
    phx_hits own = *hits;
    if (probe->square)
        for (uint32_t i = first; i < end; i++) test(rows, i, probe, true, &own);
    else
        for (uint32_t i = first; i < end; i++) test(rows, i, probe, false, &own);
    *hits = own;
}

static uint32_t find_portable(const uint32_t *array, uint32_t count, uint32_t value)
{
    enum { STEP = 16 }; /* a fixed length without a way out is what compilers vectorise */
    uint32_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < STEP; j++) found |= array[i + j] == value;
        if (found) break;
    }
    while (i < count && array[i] != value) i++;
    return i;
}

const phx_kernels phx_kernels_portable = {.glance = glance_portable, .find = find_portable};

const phx_kernels *phx_kernels_of(ph_simd simd)
{
#if defined(__x86_64__)
    if (simd == PH_SIMD_AVX512) return &phx_kernels_avx512;
    if (simd == PH_SIMD_AVX2) return &phx_kernels_avx2;
#endif
    PHX_ASSERT(simd == PH_SIMD_PORTABLE);
    return &phx_kernels_portable;
}
