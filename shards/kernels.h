/*
 * The kernels of glances (glance.h): which of a range of rows crossed the borders of an
 * observer's view, and where a target stands in a list. One set per instruction set, bit
 * for bit the same; a world has one.
 */
#ifndef PHX_SHARDS_KERNELS_H
#define PHX_SHARDS_KERNELS_H

#include "shards/grid.h"

/* What a kernel compares with: the observer's new and old position; r and R, squared for circles. */
typedef struct phx_probe {
    float x, y, ox, oy;
    float in, near;
    bool square;
} phx_probe;

/* Candidates, as rows' slot words: now in r and not before; now beyond R and not before. */
typedef struct phx_hits {
    uint32_t *enter, *leave;
    uint32_t enter_count, leave_count;
} phx_hits;

/* Rows [first, end). The arrays of hits have room for all of them and 16 more. */
typedef void (*phx_glance_fn)(const phx_grid_rows *rows, uint32_t first, uint32_t end, const phx_probe *probe,
                              phx_hits *hits);

/* The place of `value` among the first `count` of an array, or count. */
typedef uint32_t (*phx_find_fn)(const uint32_t *array, uint32_t count, uint32_t value);

typedef struct phx_kernels {
    phx_glance_fn glance;
    phx_find_fn find;
} phx_kernels;

/* The kernels for what phx_simd_choose() gave. */
const phx_kernels *phx_kernels_of(ph_simd simd);

extern const phx_kernels phx_kernels_portable;
#if defined(__x86_64__)
extern const phx_kernels phx_kernels_avx2;
extern const phx_kernels phx_kernels_avx512;
#endif

#endif
