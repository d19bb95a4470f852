/*
 * A tile: everything in one block of towers and around it, as glances (delta_tile.h) want it.
 * Positions are 16-bit pairs in a word, wrapped, sorted by small cells that have nothing to do with
 * the towers: their side follows from how far the block's observers look and how crowded it is.
 *
 * Cells are of where everybody was half way through this tick's step, of which either end is half a step off: who comes
 * into a view or leaves it was at its border then, give or take one longest step for the two of them. From where they
 * are now it might be two. Who came or jumped has no way behind it and counts where it is; it is odd. So is who went or
 * jumped away: it counts where it was, by its past row (grid/prev_rows.h).
 *
 * Its units decide about all pairs but those near a border of a view, for which float32 does, from the rows. A
 * position is rounded down to PHX_TILE_REACH parts of the reach. There are less than 2^20 units to a block and what
 * is around it, so before that the roundings of float32 cost less than 1/16 each: the subtraction's (which is
 * exact far from the origin) and the multiplication's. A difference of two is so off by less than 1 + 1/4 along an
 * axis, a distance by less than sqrt(2) * 1.25 < PHX_TILE_SLACK, and what is farther than that from a border is
 * on its side of it. (Who was in the frame half way may be before its begin at an end of its step, and is rounded up
 * there, but that is farther from all own rows than any border.)
 *
 * Built and read in the interest phase by one worker, in its own memory; what it holds of a shard
 * (positions, which no worker writes) depends on the tick alone, so all workers find the same order.
 */
#ifndef PHX_SHARDS_INTEREST_TILE_H
#define PHX_SHARDS_INTEREST_TILE_H

#include "shards/simd/kernels.h"
#include "shards/state/shard.h"

/*
 * Something changed in a tower that decides about the cell; and something odd did, or, while lists are implied, is or
 * was in sight.
 */
enum { PHX_TILE_DIRTY = 1, PHX_TILE_DISCONTINUOUS = 2 };

/* In row[]: not a row of the grid but one of the shard's past rows (grid/prev_rows.h), of this place among them. */
static const uint32_t PHX_TILE_PAST = 1u << 31;

enum {
    PHX_TILE_FINE_MAX = 4, /* cells a reach, at most */
    PHX_TILE_ODD_MAX = 16, /* odd ones nearer than the ring around a cell that are picked one by one: of more, all */
    PHX_TILE_SPANS_MAX = 2 * (2 * PHX_TILE_FINE_MAX + 1) + PHX_TILE_ODD_MAX
};

typedef struct phx_tile {
    const phx_shard *shard; /* of this block of this shard in this tick; NULL = nothing yet */
    uint64_t tick;
    uint32_t block;
    phx_span rows; /* the block's own, in the grid */
    bool usable;   /* false: the block is none for a tile, look at its observers one by one */
    bool quiet;    /* nothing changed in any tower around */
    bool odd; /* something odd (PHX_SLOT_DISCONTINUOUS) happened in a tower around; once marked, in somebody's sight */
    bool marked; /* marks[] are there */

    phx_tile_frame frame;
    float reach;                         /* no pair that was beyond it half way is an event */
    float spread;                        /* how far outside of the block own rows may have been then */
    uint32_t fine;                       /* cells a reach: 1, 2 or 4 */
    int8_t outer[PHX_TILE_FINE_MAX + 1]; /* by rows of cells off: cells within this many columns may matter, */
    int8_t inner[PHX_TILE_FINE_MAX + 1]; /* ... and those within this many can not, but odd ones; -1 = all may */

    uint32_t count;              /* rows in it, past ones too */
    uint32_t past_count;         /* of them: who is odd, where it was, as one that is not here now */
    uint32_t *odd_places;        /* while lists are implied: of those, and of who was not here before, in order; */
    uint32_t *odd_at;            /* their cells: y << 16 | x */
    uint32_t odd_count, odd_own; /* of the block's own rows: not here before */
    phx_grid_rows rows_without_history; /* of these alone: x, y and what a pair says of them, as scans want it */
    uint32_t *comer_start;              /* by row of cells, and one more: its first one */
    bool told;                          /* all observers of the block are told by glances, the odd ones too */
    uint32_t *odd_words;
    uint32_t odd_words_capacity;
    uint32_t *now, *old; /* sorted by cell: y << 16 | x */
    uint32_t *row, *cell;
    uint32_t *target; /* by place, what pairs say of it: */
    bool named;       /* its row's slot word; else the place */
    uint32_t *own;    /* places of the block's own rows, in order */
    uint32_t *movers; /* places of all rows that moved, in order; unless most of the shard's do */
    uint32_t mover_count;
    phx_tile_rows picked;           /* before the sort */
    phx_tile_candidates candidates; /* of one cell: in the same memory */
    uint32_t candidate_count;
    phx_tile_limits limits; /* of observers with these radii: */
    float limits_in, limits_near;
    bool alike; /* all observers of the block are plain and have the same view and margin: */
    float alike_in, alike_near;
    bool sparse;     /* so few rows that each observer had better look at its nine cells alone */
    uint32_t *start; /* by cell, row-major: its places are start[cell] .. start[cell + 1] */
    uint32_t *near;  /* by cell: what starts() says (simd/kernels.h); in the memory of start */
    uint8_t *marks;  /* by cell: PHX_TILE_..., around its observers; there too */
    uint32_t start_capacity;
    uint32_t *words; /* all the arrays but these */
    uint32_t words_capacity, rows_capacity;
} phx_tile;

void phx_tile_free(phx_tile *tile, phx_mem *mem);

/* May a block have a tile? Whether its rows stand in it is another question. */
bool phx_tile_fits(const phx_block *block, const phx_shard *shard);

/*
 * The tile of a block of a shard that allows glances; the one that is there if it is that.
 * Nothing but `usable` and `quiet` of one that is not usable, or quiet, means anything. false = no memory.
 */
bool phx_tile_open(phx_tile *tile, phx_mem *mem, const phx_shard *shard, uint32_t block);

/*
 * Picks the candidates of the observers in a cell into tile->candidates. Returns how many; *spans: the
 * ranges of places that they came from. Where something odd is in sight: the odd ones too, who may be an event however
 * near they are; to an observer that is odd itself all may, whole.
 */
uint32_t phx_tile_pick(phx_tile *tile, uint32_t cell, bool whole, uint32_t *spans);

/*
 * What a pair says of a target in this place: its row's slot word. A past one can only leave, and is special, for it
 * may be there a second time, and have other attributes.
 */
static inline uint32_t phx_tile_word(const phx_tile *tile, uint32_t place)
{
    const uint32_t row = tile->row[place];
    if (row & PHX_TILE_PAST)
        return tile->shard->past.rows[row & ~PHX_TILE_PAST].slot | PHX_ROW_SPECIAL | PHX_TARGET_LEAVE;
    return tile->shard->grid.rows.slot[row];
}

/* Has the own observer, with that in the view column, only what a glance can tell? Its view; that and its margin. */
bool phx_tile_plain(const phx_shard *shard, uint32_t slot, float view, float *in, float *near);

/* tile->limits become those of observers with these radii. */
void phx_tile_limit(phx_tile *tile, float in, float near);

/* Of those who were not here before, all that may be in view from a cell, and some more: a range of comers. */
phx_span phx_tile_comers(const phx_tile *tile, uint32_t cell);

/* The towers where the rows of all in the frame stand; there are none in the cells before low. */
phx_rect phx_tile_towers(const phx_tile *tile);

/* ---- in tile_marks.c ---- */

/* Is it a row of the block that the tile is of? */
static inline bool phx_tile_own(const phx_tile *tile, uint32_t row)
{
    return row - tile->rows.first < tile->rows.end - tile->rows.first;
}

#endif
