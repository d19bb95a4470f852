/*
 * The cells of the baselines with circles: squares no smaller than the view, so that a target
 * in range is in the same cell or in one of the eight around. Positions outside the
 * world belong to the cells at its border.
 */
#ifndef PHX_BENCH_CELLS_H
#define PHX_BENCH_CELLS_H

#include "bench/baselines/population.h"

typedef struct cells {
    double origin[2];
    double inverse; /* 1 / side */
    uint32_t nx, ny;
} cells;

cells cells_make(const ph_world_def *def, float view);

static inline uint32_t cells_axis(const cells *grid, uint32_t axis, float at, uint32_t count)
{
    double index = ((double)at - grid->origin[axis]) * grid->inverse;
    index = index < 0 ? 0 : index;
    return index >= (double)count ? count - 1 : (uint32_t)index;
}

static inline uint32_t cells_index(const cells *grid, point at)
{
    return cells_axis(grid, 1, at.y, grid->ny) * grid->nx + cells_axis(grid, 0, at.x, grid->nx);
}

/* The exact rule: float32, each operation rounded. */
static inline bool cells_in_range(point a, point b, float square)
{
    float dx = b.x - a.x;
    float dy = b.y - a.y;
    return dx * dx + dy * dy <= square;
}

#endif
