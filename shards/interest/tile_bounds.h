/*
 * The bounds of a tile's targets (PHX_SLOT_BOUNDED), and its rows parted by them. The border of a bounded target lies
 * inside of the views: the candidates of a cell are the unbounded rows of the ring where views end, as in any tile, and
 * the bounded rows up to the longest bound, which are few where bounds are short. In the interest phase, by the worker
 * of the tile.
 */
#ifndef PHX_SHARDS_INTEREST_TILE_BOUNDS_H
#define PHX_SHARDS_INTEREST_TILE_BOUNDS_H

#include "base/mem.h"
#include "shards/simd/kernels.h"

typedef struct phx_tile_bounds {
    float *by_place;          /* in units, or infinity */
    float *picked;            /* of picked candidates */
    float most;               /* the longest one that is shorter than a reach */
    uint32_t count;           /* of rows with such a bound */
    phx_tile_candidates rows; /* parted, by cell: the unbounded ones, then the bounded ones */
    uint32_t *start; /* of them, by cell: where its unbounded rows begin; then, its bounded ones; then the end */
    uint32_t *words; /* memory of all */
    uint32_t words_capacity;
} phx_tile_bounds;

void phx_tile_bounds_free(phx_tile_bounds *bounds, phx_mem *mem);
/* Room for so many rows and cells, and for the pad of kernels. false = no memory. */
bool phx_tile_bounds_reserve(phx_tile_bounds *bounds, phx_mem *mem, size_t rows, size_t cells);
/* Finds `count` of rows with known bounds. */
void phx_tile_bounds_count(phx_tile_bounds *bounds, uint32_t rows);
/* Parts the rows of `from`, by bounds and cells: a cell's rows begin at start[]. Finds `most`. */
void phx_tile_bounds_part(phx_tile_bounds *bounds, const phx_tile_candidates *from, const uint32_t *start,
                          uint32_t cells);

#endif
