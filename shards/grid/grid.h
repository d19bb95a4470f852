/*
 * The lighthouse grid of one shard: towers in blocks of 8 x 8, and a row for each live entity (ghosts too, except some
 * out of view: docs/invariants.md, 5), sorted by block and, inside a block, by tower row-major. So the towers of one
 * block row in an observer's view are one contiguous range of rows, and so is a whole block: scans stream through x[],
 * y[] without a pointer.
 *
 * A block exists only where an entity is or was lately. A two-level table over the world's block coordinates finds
 * blocks, so an empty world costs nothing, however large it is.
 *
 * In the ingest phase a step writes its row in place, and rows may drift out of their towers. A counting sort in the
 * index phase, from bodies (rebuild.h) or from columns alone (drift_sort.h), is due only if the longest steps since the
 * last one add up to drift_limit, or if so many entities entered, left or jumped in view of an observer that row edits
 * cost more (row_edit.c; for row edits there are gaps between blocks). A row query reaches farther by the drift. Marks
 * are in the towers where entities stand, not in the towers of rows. Written by the shard's owner; read by all workers
 * in the interest phase and by readers.
 */
#ifndef PHX_SHARDS_GRID_GRID_H
#define PHX_SHARDS_GRID_GRID_H

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"
#include "shards/entity/tagged_word.h"
#include "shards/grid/block_table.h"

typedef struct phx_block {
    uint64_t dirty;         /* towers that changed in tick dirty_tick */
    uint64_t discontinuous; /* of these, towers with a discontinuity; see PHX_SLOT_DISCONTINUOUS */
    uint64_t dirty_tick;
    float reach; /* longest reach of its own observers, margin included; 0 = no observer: phx_block_summary_update() */
    float reach_min;    /* shortest reach of its own observers */
    float view_min;     /* shortest view of its own observers; 0 = unknown */
    uint32_t observers; /* own observers */
    bool special;       /* the word of a row is special */
    uint16_t bx, by;
    uint32_t instance; /* all its rows are in this one */
    phx_span previous; /* the shard's previous rows of discontinuous entities that stood here; from the index phase to
                      the tick's end */
    uint32_t start[PHX_BLOCK_TOWERS + 1]; /* rows of tower i: start[i] .. start[i + 1] */
} phx_block;

/*
 * Columns. A row stands in the tower of (x, y), or at most grid.drift_bound away from it. (ox, oy) is the entity's
 * position at the last tick's end, NaN if it was not here. Ghosts that are gone keep their last position.
 */
typedef struct phx_grid_rows {
    float *x, *y;
    float *ox, *oy;
    /*
     * Of an own observer: its view, if view and position alone decide its list. Below 0, more decides: -(view +
     * margin), or PHX_VIEW_LEFTOVER if only a list is left. Of other rows 0.
     */
    float *view;
    uint32_t *slot; /* row words (entity/tagged_word.h) */
} phx_grid_rows;

/* The slot of a row. */
static inline uint32_t phx_row_slot(const phx_grid_rows *rows, uint32_t row)
{
    return phx_row_word_slot(phx_row_word_at(rows->slot, row));
}

/* Has the row no old position while lists are derived, as its entity is new or discontinuous? */
static inline bool phx_row_discontinuous(const phx_grid_rows *rows, uint32_t row)
{
    return rows->ox[row] != rows->ox[row];
}

/* In the view column: no observer any more, but its list is not empty. So small that it adds nothing to a reach. */
#define PHX_VIEW_LEFTOVER (-1e-30f)

/*
 * Blocks whose summaries are updated one by one: in most ticks fewer change. If more change, all summaries are updated.
 */
enum { PHX_BLOCK_STALE_MAX = 32 };

typedef struct phx_grid {
    phx_block_map map;
    phx_block *blocks;
    uint32_t block_count, blocks_capacity;
    uint32_t blocks_ordered; /* blocks in the order of blocks.c, the first ones */
    uint32_t blocks_sorted;  /* number of blocks when rows were sorted */
    phx_grid_rows rows;
    /*
     * A bit for each row whose entity changed in this tick, at least: of all other rows (x, y) is (ox, oy). Unused in a
     * dense tick. Bits beyond the last row are 0.
     */
    uint64_t *moved_bits;
    uint64_t
        *observer_bits; /* a bit for each row with a view, once summaries are made; bits beyond the last row are 0 */
    void *memory;       /* memory of all columns: one piece */
    uint32_t row_count, rows_capacity;
    uint32_t row_end;    /* the last block's end: the number of rows and gaps */
    uint32_t *misplaced; /* slots of misplaced rows (phx_grid_misplace()) */
    uint32_t misplaced_count, misplaced_capacity;
    float drift_bound;  /* upper bound of a row's distance along an axis from its place when rows were sorted */
    bool outside;       /* at the sort an entity stood outside of all towers; else none is farther out than the drift */
    bool needs_rebuild; /* rows or towers do not match the bodies: a rebuild is due */
    bool positions_stale; /* the rows' x, y are older than the moves: a rebuild or phx_rows_copy_positions() is due */
    bool summaries_valid; /* summaries match the rows' views, except for these blocks; observer_bits match for all rows
                           */
    uint32_t changes[PHX_BLOCK_STALE_MAX], change_count; /* numbers of these blocks */
    bool sorting;                                        /* a rebuild stopped for want of memory */
    bool wants_gaps;                                     /* a rebuild makes gaps: a row edit found none near */
    uint32_t pause, pause_next; /* ticks without row edits; and the number for the next time that they are in vain */
} phx_grid;

/* false = no memory. */
bool phx_grid_init(phx_grid *grid, phx_mem *mem, const uint32_t towers[2]);
void phx_grid_free(phx_grid *grid, phx_mem *mem);

/* NULL = there is no block, so no entity. */
static inline phx_block *phx_grid_block(const phx_grid *grid, uint32_t instance, uint32_t bx, uint32_t by)
{
    uint32_t n = phx_block_map_find(&grid->map, instance, bx, by);
    return n ? &grid->blocks[n - 1] : NULL;
}

static inline uint32_t phx_block_rows(const phx_block *block)
{
    return block->start[PHX_BLOCK_TOWERS] - block->start[0];
}

/* Has the block towers at the edge of a world of this size? */
static inline bool phx_block_at_edge(const phx_block *block, const uint32_t towers[2])
{
    return block->bx == 0 || block->bx == (towers[0] - 1) >> PHX_BLOCK_BITS || block->by == 0 ||
           block->by == (towers[1] - 1) >> PHX_BLOCK_BITS;
}

/* Has the block rows that are no own observers? */
static inline bool phx_block_mixed(const phx_block *block)
{
    return block->observers < phx_block_rows(block);
}

static inline uint32_t phx_block_tower(uint16_t tx, uint16_t ty)
{
    return (uint32_t)(ty & (PHX_BLOCK_SIDE - 1)) << PHX_BLOCK_BITS | (tx & (PHX_BLOCK_SIDE - 1));
}

enum { PHX_WORD_ROWS = 64 }; /* of moved_bits[] and observer_bits[] */

static inline bool phx_row_bit(const uint64_t *words, uint32_t row)
{
    return words[row / PHX_WORD_ROWS] >> (row % PHX_WORD_ROWS) & 1;
}

static inline void phx_row_set_bit(uint64_t *words, uint32_t row, bool value)
{
    const uint64_t bit = UINT64_C(1) << (row % PHX_WORD_ROWS);
    uint64_t *word = &words[row / PHX_WORD_ROWS];
    *word = value ? *word | bit : *word & ~bit;
}

/* Marks the row of an entity that changed, in a tick that is not dense. */
static inline void phx_grid_mark_moved(phx_grid *grid, uint32_t row)
{
    phx_row_set_bit(grid->moved_bits, row, true);
}

static inline bool phx_grid_moved(const phx_grid *grid, uint32_t row)
{
    return phx_row_bit(grid->moved_bits, row);
}

/* Writes the moved rows of a span, in order; there is room for all, and for one more. Returns how many. */
uint32_t phx_grid_moved_in(const phx_grid *grid, phx_span span, uint32_t *out);
/* The same for rows with a view. */
uint32_t phx_grid_observers_in(const phx_grid *grid, phx_span span, uint32_t *out);

/* Marks a tower of the block as changed in this tick; discontinuous: by a discontinuity. */
static inline void phx_block_mark_dirty(phx_block *block, uint32_t tower, uint64_t tick, bool discontinuous)
{
    if (block->dirty_tick != tick) {
        block->dirty_tick = tick;
        block->dirty = block->discontinuous = 0;
    }
    uint64_t bit = 1ull << (tower & (PHX_BLOCK_TOWERS - 1));
    block->dirty |= bit;
    if (discontinuous) block->discontinuous |= bit;
}

/* The same for a tower of the world; nothing if there is no block. */
static inline void phx_grid_mark_dirty(phx_grid *grid, uint32_t instance, uint16_t tx, uint16_t ty, uint64_t tick,
                                       bool discontinuous)
{
    phx_block *block = phx_grid_block(grid, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    if (block) phx_block_mark_dirty(block, phx_block_tower(tx, ty), tick, discontinuous);
}

/* The towers of block (bx, by) in the rectangle, which meets it, as a set. */
static inline uint64_t phx_block_mask(phx_rect rect, uint32_t bx, uint32_t by)
{
    uint32_t x = bx << PHX_BLOCK_BITS, y = by << PHX_BLOCK_BITS;
    uint32_t cx0 = rect.x0 > x ? rect.x0 - x : 0, cy0 = rect.y0 > y ? rect.y0 - y : 0;
    uint32_t cx1 = rect.x1 - x < PHX_BLOCK_SIDE ? rect.x1 - x : PHX_BLOCK_SIDE - 1;
    uint32_t cy1 = rect.y1 - y < PHX_BLOCK_SIDE ? rect.y1 - y : PHX_BLOCK_SIDE - 1;
    uint64_t line = (0xffull >> (PHX_BLOCK_SIDE - 1 - cx1)) & (0xffull << cx0);
    uint64_t lines = (~0ull >> (PHX_BLOCK_SIDE * (PHX_BLOCK_SIDE - 1 - cy1))) & (~0ull << (PHX_BLOCK_SIDE * cy0));
    return (line * 0x0101010101010101ull) & lines;
}

/*
 * Writes the rows of the block's towers in the rectangle, which meets it, as ranges that are not empty. Returns how
 * many.
 */
static inline uint32_t phx_block_spans(const phx_block *block, phx_rect rect, phx_span spans[PHX_BLOCK_SIDE])
{
    const uint32_t last = PHX_BLOCK_SIDE - 1;
    uint32_t x = (uint32_t)block->bx << PHX_BLOCK_BITS, y = (uint32_t)block->by << PHX_BLOCK_BITS, n = 0;
    uint32_t x0 = rect.x0 > x ? rect.x0 - x : 0, y0 = rect.y0 > y ? rect.y0 - y : 0;
    uint32_t x1 = rect.x1 - x < last ? rect.x1 - x : last, y1 = rect.y1 - y < last ? rect.y1 - y : last;
    const uint32_t *start = block->start + (y0 << PHX_BLOCK_BITS), *end = block->start + (y1 << PHX_BLOCK_BITS);
    if (x1 - x0 == last) { /* then the tower rows are one range too */
        spans[0] = (phx_span){start[0], end[PHX_BLOCK_SIDE]};
        return spans[0].first < spans[0].end;
    }
    for (; start <= end; start += PHX_BLOCK_SIDE) {
        spans[n] = (phx_span){start[x0], start[x1 + 1]};
        n += spans[n].first < spans[n].end;
    }
    return n;
}

/* Does the rectangle span more blocks than exist? Then a walk over all blocks is shorter. */
static inline bool phx_grid_wide(const phx_grid *grid, phx_rect rect)
{
    uint64_t width = (uint64_t)(rect.x1 >> PHX_BLOCK_BITS) - (rect.x0 >> PHX_BLOCK_BITS) + 1;
    uint64_t height = (uint64_t)(rect.y1 >> PHX_BLOCK_BITS) - (rect.y0 >> PHX_BLOCK_BITS) + 1;
    return width * height > grid->block_count;
}

/* Does the rectangle meet the block? */
static inline bool phx_block_meets(const phx_block *block, phx_rect rect)
{
    return block->bx >= rect.x0 >> PHX_BLOCK_BITS && block->bx <= rect.x1 >> PHX_BLOCK_BITS &&
           block->by >= rect.y0 >> PHX_BLOCK_BITS && block->by <= rect.y1 >> PHX_BLOCK_BITS;
}

/* Walks the blocks that a rectangle meets; if the rectangle is wider than there are blocks, all that exist. */
typedef struct phx_block_walk {
    const phx_grid *grid;
    phx_rect rect;
    uint32_t instance;
    uint32_t bx, by, next;
    bool wide, any; /* goes through all blocks; blocks of any instance are met */
} phx_block_walk;

phx_block_walk phx_grid_walk(const phx_grid *grid, uint32_t instance, phx_rect rect);
/* In all instances: where there are others than 0 all blocks are gone through. */
phx_block_walk phx_grid_walk_all(const phx_grid *grid, phx_rect rect);
/* NULL = the end. */
const phx_block *phx_grid_next(phx_block_walk *walk);

/* An upper bound of the rows in the rectangle's towers: the rows of the blocks that it meets. */
uint32_t phx_grid_most(const phx_grid *grid, uint32_t instance, phx_rect rect);

/* Is a tower of the rectangle dirty in this tick? */
bool phx_grid_dirty(const phx_grid *grid, uint32_t instance, phx_rect rect, uint64_t tick);

/* The same, with discontinuities. All towers are visited; phx_grid_dirty() ends at the first dirty one. */
typedef struct phx_tower_marks {
    bool dirty, discontinuous;
} phx_tower_marks;
phx_tower_marks phx_grid_marks(const phx_grid *grid, uint32_t instance, phx_rect rect, uint64_t tick);

/* ---- in block_summary.c ---- */

/* Do view, margin and position alone decide the list of a slot, an own observer? */
bool phx_grid_plain(const phx_store *store, uint32_t slot);
/* The value of a slot's row in the view column. */
float phx_grid_view(const phx_store *store, uint32_t slot);

/* ---- rows ---- */

/* Ends the tick: new positions become old ones. few: only moved rows have new ones. */
void phx_grid_end_tick(phx_grid *grid, bool moved_only);

/* Whole-structure check: every live slot that needs one has its row in the right tower or near it. For PHX_VALIDATE. */
bool phx_grid_valid(const phx_grid *grid, const phx_store *store);

/* Are all new positions old ones? At the tick's end. */
bool phx_grid_in_order(const phx_grid *grid);

/* The block of a row, or of a gap behind the block's rows; there is one. */
uint32_t phx_grid_block_at(const phx_grid *grid, uint32_t row);

/* Room for so many rows and gaps; the columns may move. false = no memory, nothing changed. */
bool phx_grid_rows_reserve(phx_grid *grid, phx_mem *mem, uint32_t needed);

/* In a rebuild: no row is marked as moved, and none has a view. */
void phx_grid_clear_bits(phx_grid *grid);

/* The end of the gap behind a block's rows, where the next block begins. */
static inline uint32_t phx_grid_block_end(const phx_grid *grid, uint32_t number)
{
    return number + 1 < grid->block_count ? grid->blocks[number + 1].start[0] : grid->row_end;
}

#endif
