/*
 * Scan kernels: of the rows [first, end) of a grid, the slots whose (x, y) passes the
 * ground-plane part of the range test, in row order. Exact float32 as in rules.h; z,
 * layers and stealth are looked at by the caller, only for what passes.
 * `out` has room for end - first slots, and 16 more. Returns how many passed.
 */
#ifndef PHX_SHARDS_SCAN_H
#define PHX_SHARDS_SCAN_H

#include "shards/grid.h"

/* r is the radius; circles compare with r * r. */
typedef uint32_t (*phx_scan_fn)(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                                uint32_t *out);

uint32_t phx_scan_circle(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                         uint32_t *out);
uint32_t phx_scan_square(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                         uint32_t *out);
/* Every row: range = towers. */
uint32_t phx_scan_all(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                      uint32_t *out);

#endif
