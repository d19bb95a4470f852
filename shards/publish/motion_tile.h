/*
 * A motion tile: the motion samples of the rows in and around a block, sorted by small cells. Rows stand in order of
 * their towers, which are often twice as wide as a view; in cells of half a view an observer of the block compares
 * itself with less than half as many, in a few ranges. It is made where observers stand close enough that they save
 * more than it costs; elsewhere the rows are compared as they stand.
 *
 * It says nothing that the rows do not: an observer whose view is in its box finds in it exactly the rows that it finds
 * in the grid.
 *
 * Publish phase, behind the motion samples, by one worker, in its own memory. Its content follows from the tick and the
 * block alone, so all workers find the same order.
 */
#ifndef PHX_SHARDS_PUBLISH_MOTION_TILE_H
#define PHX_SHARDS_PUBLISH_MOTION_TILE_H

#include "base/mem.h"
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"

struct phx_block;
struct phx_shard;

enum { PHX_MOTION_TILE_SPANS_MAX = 8 }; /* rows of cells that a view may meet: four, and two cut ones, and to spare */

typedef struct phx_motion_tile {
    const struct phx_shard *shard; /* of this block of this shard in this tick; NULL = none */
    uint64_t tick;
    uint32_t block, instance;
    bool usable;            /* else the rows are compared as they stand, and nothing below is valid */
    phx_box box;            /* of the views of the block's observers; all rows with a position in it are here */
    float scale;            /* cells to a unit of length */
    uint32_t columns, rows; /* of cells */
    uint32_t count;
    phx_motion_columns of; /* by place, with items, row words, and bits of those left out */
    uint32_t *left_out;
    uint32_t *item;  /* by place: the row */
    uint32_t *start; /* by cell, row-major: its places are start[cell] .. start[cell + 1] */
    uint32_t *words; /* memory of all columns */
    uint32_t words_capacity;
    uint32_t *place_of; /* by row: its place, if that has the row as its item */
    uint32_t place_of_capacity;
} phx_motion_tile;

void phx_motion_tile_free(phx_motion_tile *tile, phx_mem *mem);

/* Makes the tile of a block, unless it is made already. false = no memory: there is none, and the rows are compared. */
bool phx_motion_tile_open(phx_motion_tile *tile, phx_mem *mem, const struct phx_shard *shard, uint32_t block);

/* The block for which it was opened last, in this shard and tick; or NULL. */
const struct phx_block *phx_motion_tile_block(const phx_motion_tile *tile, const struct phx_shard *shard);

/* Does it have all rows in this box and instance? The shard's, in this tick. */
bool phx_motion_tile_covers(const phx_motion_tile *tile, const struct phx_shard *shard, uint32_t instance, phx_box box);

/* Writes the places of all rows in a box that it covers, and of some more, as ranges. Returns how many. */
uint32_t phx_motion_tile_spans(const phx_motion_tile *tile, phx_box box, phx_span spans[PHX_MOTION_TILE_SPANS_MAX]);

/* Leaves a row out, or takes that back, if it is in the tile. */
static inline void phx_motion_tile_leave_out(phx_motion_tile *tile, uint32_t row, bool out)
{
    enum { BITS = 32 };
    if (!tile->usable || row >= tile->place_of_capacity) return;
    const uint32_t place = tile->place_of[row];
    if (place >= tile->count || tile->item[place] != row) return;
    const uint32_t bit = 1u << place % BITS, word = tile->left_out[place / BITS];
    tile->left_out[place / BITS] = out ? word | bit : word & ~bit;
}

#endif
