/*
 * Row query: the rows around a position, piece by piece. It visits the rows of the towers in a rectangle, and gives the
 * rows whose position passes the ground-plane part of the range test. In any phase in which rows do not change, any
 * thread; the caller has the memory.
 */
#ifndef PHX_SHARDS_QUERY_ROW_QUERY_H
#define PHX_SHARDS_QUERY_ROW_QUERY_H

#include <math.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"

enum { PHX_QUERY_ROWS = 256 }; /* rows of a piece */

typedef struct phx_row_query {
    phx_block_walk walk;
    phx_grid_rows rows; /* x, y: the columns that are compared */
    const phx_kernels *kernels;
    phx_range area;
    phx_span spans[PHX_BLOCK_SIDE];
    uint32_t span, span_count;
    uint32_t pairs;  /* tested so far */
    uint32_t ranges; /* begun so far */
    uint32_t hits[PHX_QUERY_ROWS + PHX_KERNEL_PAD];
    float squares[PHX_QUERY_ROWS + PHX_KERNEL_PAD];
} phx_row_query;

/* Opens a query of these blocks; old: by positions at the last tick's end. */
void phx_row_query_open(phx_row_query *query, const phx_kernels *kernels, phx_block_walk walk, phx_range area,
                        bool old);
/* The measure of a distance that the range test compares: the square, or the longer axis. */
static inline float phx_range_measure(float dx, float dy, bool square)
{
    dx = square ? fabsf(dx) : dx, dy = square ? fabsf(dy) : dy;
    return square ? (dx > dy ? dx : dy) : dx * dx + dy * dy;
}

/*
 * Finds the hits of the next piece, as slot words of rows: query->hits, *count of them, perhaps none. false = the end.
 */
bool phx_row_query_next(phx_row_query *query, uint32_t *count);

#endif
