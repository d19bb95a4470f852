/*
 * A tile: all rows in one block of towers and around it, as the tile delta (delta_tile.h) reads them. Positions are
 * 16-bit pairs in a word, wrapped, sorted by small cells that are independent of the towers: the side of a cell follows
 * from the longest view of the block's observers and from the density.
 *
 * Rows are binned by their mid-step position (average of old and new). A pair that became or ceased to be visible was,
 * at mid-step, within one longest step of the view radius; at the new positions it might be two steps. An entity
 * without an old position (entered, or jumped here) counts where it is now, and is discontinuous. So is an entity that
 * left or jumped away: it counts where it was, by its previous row (grid/prev_rows.h).
 *
 * Units decide about all pairs but the unsure ones near a border of a view; for these float32 decides, from the rows. A
 * position is rounded down to PHX_TILE_REACH parts of the reach. A block and its surroundings have less than 2^20
 * units, and so have own rows outside of the world and theirs, so the roundings of float32 before that cost less than
 * 1/16 unit each: the subtraction's (which is exact far from the origin) and the multiplication's. So a difference of
 * two positions is off by less than 1 + 1/4 along an axis, a distance by less than sqrt(2) * 1.25 < PHX_TILE_SLACK, and
 * a distance farther than that from a border is on its side of the border. (A row in the frame at mid-step may be
 * before the frame's begin at an end of its step, and is rounded up there. But that is farther from all own rows than
 * any border.)
 *
 * Built and read in the interest phase by one worker, in its own memory. Its content (positions, which no worker
 * writes) follows from the tick alone, so all workers find the same order.
 */
#ifndef PHX_SHARDS_INTEREST_TILE_H
#define PHX_SHARDS_INTEREST_TILE_H

#include "shards/interest/far_items.h"
#include "shards/interest/tile_bounds.h"
#include "shards/interest/tile_heights.h"
#include "shards/simd/kernels.h"
#include "shards/state/shard.h"

/*
 * Marks of a cell: a tower that decides about the cell is dirty; a discontinuous entity is or was in view of the cell.
 */
enum { PHX_TILE_DIRTY = 1, PHX_TILE_DISCONTINUOUS = 2 };

enum {
    PHX_TILE_FINE_MAX = 4,           /* most cells to a reach */
    PHX_TILE_DISCONTINUOUS_MAX = 16, /* discontinuous entities inside the ring around a cell that are picked one by one;
                              if more, all rows are picked */
    PHX_TILE_SPANS_MAX = 2 * (2 * PHX_TILE_FINE_MAX + 1) + PHX_TILE_DISCONTINUOUS_MAX
};

/* Cells around a cell, by distance in rows of cells. */
typedef struct phx_tile_ring {
    int8_t outer[PHX_TILE_FINE_MAX + 1]; /* cells within so many columns belong to the ring; -1 = none */
    int8_t inner[PHX_TILE_FINE_MAX + 1]; /* ... but for cells within so many; -1 = all do */
} phx_tile_ring;

/* Candidates of the places in a cell, by their distance. */
typedef struct phx_tile_between {
    uint32_t cell; /* UINT32_MAX: none */
    float near, far;
} phx_tile_between;

typedef struct phx_tile {
    const phx_shard *shard; /* the tile is of this block of this shard in this tick; NULL = none yet */
    uint64_t tick;
    uint32_t block;
    phx_span rows;      /* the block's own rows, in the grid */
    bool usable;        /* false: the block does not fit a tile, its observers are run one by one */
    bool quiet;         /* nothing changed in any tower around */
    bool discontinuous; /* a discontinuity in a tower around; once marked, in view of a cell that may have own rows */
    bool marked;        /* marks[] are there */

    phx_tile_frame frame;
    float reach;          /* no pair that was farther apart at mid-step is an event */
    uint32_t fine;        /* cells to a reach: 1, 2 or 4 */
    phx_tile_ring events; /* of events, unless sparse: cells inside can not matter, except for discontinuous rows */

    uint32_t count;                 /* rows in it, previous rows too */
    uint32_t previous_count;        /* of them, previous rows: they have no new position */
    uint32_t *discontinuous_places; /* places of previous rows, and of rows without an old position, ascending */
    uint32_t *discontinuous_cells;  /* their cells: y << 16 | x */
    uint32_t discontinuous_count;
    uint32_t *discontinuous_own; /* places of own rows without old position, ascending */
    uint32_t discontinuous_own_count;
    phx_grid_rows
        rows_without_history;        /* of rows without old position alone: x, y and their words, as scans read them */
    uint32_t *without_history_start; /* by row of cells, and one more: its first row without old position */
    bool related_due;                /* phx_related_due() is true for an own observer */
    bool annular;                    /* an own observer may have an annulus */
    bool renewed;                    /* an own observer is: phx_prev_rows_renew() */
    bool all_by_delta; /* a delta finds the events of all observers of the block, discontinuous ones too */
    uint32_t *discontinuous_words;
    uint32_t discontinuous_words_capacity;
    uint32_t *now, *old;  /* sorted by cell: y << 16 | x */
    uint32_t *row, *cell; /* tile row words; cells */
    uint32_t *target;     /* by place, the target in a pair: */
    bool named;           /* the target word; if false, the place */
    bool bounded;         /* some targets have a bound: a view takes them in up to there alone */
    bool parted;          /* then, unless a ring is all cells around: rows are parted by their bounds */
    phx_tile_bounds bounds;
    phx_tile_heights heights;
    phx_tile_ring bounded_events; /* the ring of events of bounded rows: all cells inside of it matter */
    uint32_t *own;                /* places of the block's own rows: in order, or some views first, each in order */
    uint32_t
        grouped_end; /* in own: views that are side by side end here; 0: they are in order. No row before is renewed */
    uint32_t watching_end; /* in own: from here on no row observes */
    uint32_t *movers;      /* places of all rows that moved, in order; not in a dense tick */
    uint32_t mover_count;
    phx_tile_rows picked;           /* rows before the sort */
    phx_tile_candidates candidates; /* candidates of one cell: in the same memory */
    uint32_t candidate_count;
    phx_tile_between between; /* what they are, if phx_tile_pick_between() picked them */
    phx_tile_limits limits;   /* limits of observers with these radii: */
    float limits_in, limits_keep;
    bool alike; /* all observers of a range are plain and have the same view and margin: phx_tile_find_alike() */
    float alike_in, alike_keep;
    bool sparse;       /* so few rows that each observer compares with its nine cells alone */
    phx_far_items far; /* of the block */
    uint32_t *start;   /* by cell, row-major: its places are start[cell] .. start[cell + 1] */
    uint32_t *stencil; /* by cell: result of cell_offsets() (simd/kernels.h); in the memory of start */
    uint8_t *marks;    /* by cell: PHX_TILE_..., around its observers; in the memory of start, too */
    uint32_t start_capacity;
    uint32_t *words; /* memory of all other arrays */
    uint32_t words_capacity, rows_capacity;
} phx_tile;

void phx_tile_free(phx_tile *tile, phx_mem *mem);

/* May a block have a tile? Its rows are not checked. */
bool phx_tile_fits(const phx_block *block, const phx_shard *shard);

/* In a shard with bounded targets (PHX_SLOT_BOUNDED): may one be, or have been, among a block's rows? */
static inline bool phx_tile_block_bounded(const phx_block *block)
{
    return block->special || block->previous.first < block->previous.end;
}

/*
 * Makes the tile of a block, in a shard with delta_allowed, unless it is made already. If the tile is not usable, or is
 * quiet, only `usable` and `quiet` are valid. false = no memory.
 */
bool phx_tile_open(phx_tile *tile, phx_mem *mem, const phx_shard *shard, uint32_t block);

/*
 * Picks the candidates of the observers in a cell into tile->candidates. Returns how many; *spans: the number of ranges
 * of places that they came from. If a discontinuous entity is in view, discontinuous rows are picked at any distance.
 * whole: all rows are picked, as for a discontinuous observer. Not in a sparse tile.
 */
uint32_t phx_tile_pick(phx_tile *tile, uint32_t cell, bool whole, uint32_t *spans);

/*
 * Finds the ranges of places of all rows at a distance from near to far, before the step or after it, of observers in a
 * cell; far is within the reach. Room for PHX_TILE_SPANS_MAX. Returns how many.
 */
uint32_t phx_tile_spans_between(const phx_tile *tile, uint32_t cell, float near, float far, phx_span *spans);

/*
 * Picks the candidates at a distance from near to far, before the step or after it, of observers in a cell, into
 * tile->candidates, with tile row words as targets. Far is within the reach. Picks no more than it has to: picked ones
 * may serve the next observer of the cell. Returns how many; *spans as above, 0 if they were picked before.
 */
uint32_t phx_tile_pick_between(phx_tile *tile, uint32_t cell, float near, float far, uint32_t *spans);

/*
 * The word of a target at this place: its row's slot word. A previous row can only leave. It is special, as its entity
 * may have a current row too, and other attributes.
 */
static inline phx_target_word phx_tile_word(const phx_tile *tile, uint32_t place)
{
    const phx_tile_row_word row = phx_tile_row_word_at(tile->row, place);
    const uint32_t number = phx_tile_row_word_number(row);
    if (phx_tile_row_word_is_previous(row)) return phx_target_word_of_previous(tile->shard->previous.rows[number].slot);
    return phx_target_word_of_row(phx_row_word_at(tile->shard->grid.rows.slot, number));
}

/*
 * Is the own observer, with this value in the view column, plain, so that a delta finds its events? *in: its view;
 * *near: its view and margin.
 */
bool phx_tile_plain(const phx_shard *shard, uint32_t slot, float view, float *in, float *keep);

/*
 * Are all observers of a block with stored lists renewed, in a world where some wait for targets? Their views do not
 * change before the commit; the ones of leftover lists do, so with such a list the answer is no.
 */
bool phx_tile_stored_renewed(const phx_block *block, const phx_shard *shard);

/*
 * Finds out whether the observers among own rows first .. end of an open tile that is not quiet are alike: they are the
 * caller's, and others' lists may change under the hands of their workers. Reads attributes only if all observers of
 * the block have the same reach, as then they are probably alike. In a dense tick renewed ones need no look: one that a
 * delta does has no margin, so the same radii, and the others are run alone.
 */
void phx_tile_find_alike(phx_tile *tile, phx_span range);

/* Sets tile->limits for observers with these radii. */
void phx_tile_limit(phx_tile *tile, float in, float keep);

/* How many of some ascending places are below one place. */
uint32_t phx_tile_places_below(const uint32_t *places, uint32_t count, uint32_t place);

/* The first own row without old position at a place or behind it; UINT32_MAX: none. */
uint32_t phx_tile_next_discontinuous(const phx_tile *tile, uint32_t place);

/* A range of the rows without old position: all that may be in view from a cell, and some more. */
phx_span phx_tile_without_history(const phx_tile *tile, uint32_t cell);

/* The towers where the rows of the frame stand; the cells before frame.low have no rows. */
phx_rect phx_tile_towers(const phx_tile *tile);

/* May a discontinuous entity be in view of the own row at this place? */
static inline bool phx_tile_passes(const phx_tile *tile, uint32_t place)
{
    if (!tile->discontinuous) return false;
    return !tile->marked || (tile->marks[tile->cell[place]] & PHX_TILE_DISCONTINUOUS);
}

/* Is it a row of the tile's block? */
static inline bool phx_tile_own(const phx_tile *tile, uint32_t row)
{
    return row - tile->rows.first < tile->rows.end - tile->rows.first;
}

#endif
