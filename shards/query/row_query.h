/*
 * The rows around a place, some at a time: those of the towers in a rectangle whose position passes the ground-plane
 * part of the range test. Any time that rows stand still, any thread; memory is the caller's.
 */
#ifndef PHX_SHARDS_QUERY_ROW_QUERY_H
#define PHX_SHARDS_QUERY_ROW_QUERY_H

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"

enum { PHX_NEAR_ROWS = 256 }; /* a piece */

typedef struct phx_row_query {
    phx_block_walk walk;
    phx_grid_rows rows; /* x, y: the columns that are looked at */
    const phx_kernels *kernels;
    phx_range area;
    phx_span spans[PHX_BLOCK_SIDE];
    uint32_t span, span_count;
    uint32_t pairs;  /* tested so far */
    uint32_t ranges; /* begun so far */
    uint32_t hits[PHX_NEAR_ROWS + PHX_KERNEL_PAD];
    float squares[PHX_NEAR_ROWS + PHX_KERNEL_PAD];
} phx_row_query;

/* Where to look, for what; old: for where rows were at the last tick's end. */
void phx_row_query_open(phx_row_query *near, const phx_kernels *kernels, const phx_grid *grid, phx_rect rect,
                        phx_range area, bool old);
/* The next piece's hits, rows' slot words, are in near->hits: *count of them, perhaps none. false = through. */
bool phx_row_query_next(phx_row_query *near, uint32_t *count);

#endif
