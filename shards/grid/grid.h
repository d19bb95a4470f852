/*
 * The lighthouse grid of one shard: towers in blocks of 8 x 8, and all live entities of
 * the shard (ghosts too, but for some out of sight: docs/invariants.md, 5) as rows
 * sorted by block and, inside it, by tower row-major. The towers of one block row that
 * an observer looks at are so one contiguous range of rows, a whole block too: scans
 * stream through x[], y[] without a pointer.
 *
 * Blocks exist only where an entity is or was lately; a two-level table over the world's
 * block coordinates finds them, so an empty world costs nothing however large it is.
 *
 * Mended in place (apply: a step writes its row), and rows may drift: a rebuild, by counting sort in
 * the index phase, is due only when the longest steps since the last one add up to drift_limit, or when so many came,
 * went or jumped that somebody may see that putting their rows in one by one is more work (row_edit.c: there are gaps
 * between blocks for that). Who looks for rows near a place looks as much farther as rows may have drifted. Marks
 * are not of rows: they are in the towers where entities stand. Written by the shard's owner;
 * read by all workers in the interest phase and by readers.
 */
#ifndef PHX_SHARDS_GRID_GRID_H
#define PHX_SHARDS_GRID_GRID_H

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"
#include "shards/grid/block_table.h"

/* In rows' slot array, and only there: the target needs a look at its attributes. */
static const uint32_t PHX_ROW_SPECIAL = 1u << 31;
static const uint32_t PHX_ROW_SLOT = PHX_SLOTS_MAX - 1; /* one more bit is left for those who have such words */
/*
 * All of a slot word where no row is, between the rows of two blocks: no span has it. What its columns say is nothing,
 * but its view is 0, and slot 0, which is there if any is, may be looked at as if it were its own.
 */
static const uint32_t PHX_ROW_GAP = 1u << 30;

typedef struct phx_block {
    uint64_t dirty; /* towers in which something changed in tick dirty_tick */
    uint64_t odd;   /* those where it was more than a short step: see PHX_SLOT_DISCONTINUOUS */
    uint64_t dirty_tick;
    float reach; /* how far its own observers look, leaving included; 0 = there is none: phx_block_summary_update() */
    float reach_min;    /* how far the one looks that looks the least far */
    float view_min;     /* the least view of them; 0 = not known */
    uint32_t observers; /* how many there are */
    bool special;       /* there are rows with PHX_ROW_SPECIAL */
    bool bounded;       /* or of targets that are PHX_SLOT_BOUNDED: in the interest phase of a shard with any */
    uint16_t bx, by;
    phx_span past; /* of who is odd, and stood here, the shard's past rows: from the index phase to the end */
    uint32_t start[PHX_BLOCK_TOWERS + 1]; /* rows of tower i: start[i] .. start[i + 1] */
} phx_block;

/*
 * Columns. A row stands in the tower of (x, y), or not farther than grid.drift from it; (ox, oy) is where the
 * entity was at the end of the tick before, NaN if it was not here. Ghosts that are gone stay where they were.
 */
typedef struct phx_grid_rows {
    float *x, *y;
    float *ox, *oy;
    /*
     * Of own observers the view, if that and the position are all there is to it. Below 0:
     * the attributes are to be looked at; it is -(view + margin), or PHX_VIEW_LEFTOVER where
     * only a list is left. Of all others 0.
     */
    float *view;
    uint32_t *slot; /* with PHX_ROW_SPECIAL */
} phx_grid_rows;

/* Was who has this row not here before, or another than it was, while lists are implied? */
static inline bool phx_row_discontinuous(const phx_grid_rows *rows, uint32_t row)
{
    return rows->ox[row] != rows->ox[row];
}

/* In rows' view: no observer any more, but its list is not empty. So small that it adds nothing to a reach. */
#define PHX_VIEW_LEFTOVER (-1e-30f)

/* Blocks that are surveyed by themselves, more than have walkers over a border in most ticks; of more, all are. */
enum { PHX_BLOCK_STALE_MAX = 32 };

typedef struct phx_grid {
    phx_block_map map;
    phx_block *blocks;
    uint32_t block_count, blocks_capacity;
    uint32_t blocks_ordered; /* so many of them, the first ones, are in the order of blocks.c */
    uint32_t blocks_sorted;  /* how many there were when rows were sorted */
    phx_grid_rows rows;
    /*
     * A bit for each row whose entity was touched in this tick, at least: of all others (x, y) is (ox, oy). Kept
     * where few are, else nobody asks; bits of rows that there are not are 0.
     */
    uint64_t *moved_bits;
    uint64_t *observer_bits; /* a bit for each row with a view, once surveyed; those of rows that there are not are 0 */
    void *memory;            /* all columns: one piece */
    uint32_t row_count, rows_capacity;
    uint32_t row_end; /* the last block's end: so many rows and gaps there are */
    uint32_t *astray; /* slots of whom phx_grid_misplace() took */
    uint32_t astray_count, astray_capacity;
    float drift_bound;    /* how far along an axis a row may be by now from where it stood when they were sorted */
    bool outside;         /* then somebody stood outside of all towers; else nobody is farther out than drift */
    bool needs_rebuild;   /* rows or towers do not match the bodies: a rebuild is due */
    bool positions_stale; /* rows' x, y are those of before the moves: a rebuild or phx_rows_copy_positions() is due */
    bool surveyed;        /* blocks say of observers what rows' views do, but for these blocks; watching[] of all */
    uint32_t changes[PHX_BLOCK_STALE_MAX], change_count; /* their numbers */
    bool sorting;                                        /* a rebuild stopped half way for want of memory */
    bool wants_gaps;            /* a rebuild makes gaps: rows were to be put in, and there was none near */
    uint32_t pause, pause_next; /* ticks in which no row is put in alone; and once it was in vain the next time */
} phx_grid;

/* false = no memory. */
bool phx_grid_init(phx_grid *grid, phx_mem *mem, const uint32_t towers[2]);
void phx_grid_free(phx_grid *grid, phx_mem *mem);

/* NULL = no block there, so no entity. */
static inline phx_block *phx_grid_block(const phx_grid *grid, uint32_t bx, uint32_t by)
{
    uint32_t n = phx_block_map_find(&grid->map, bx, by);
    return n ? &grid->blocks[n - 1] : NULL;
}

static inline uint32_t phx_block_rows(const phx_block *block)
{
    return block->start[PHX_BLOCK_TOWERS] - block->start[0];
}

/* Has it towers at the edge of a world of so many? */
static inline bool phx_block_at_edge(const phx_block *block, const uint32_t towers[2])
{
    return block->bx == 0 || block->bx == (towers[0] - 1) >> PHX_BLOCK_BITS || block->by == 0 ||
           block->by == (towers[1] - 1) >> PHX_BLOCK_BITS;
}

/* Are there rows of others than own observers, too? */
static inline bool phx_block_mixed(const phx_block *block)
{
    return block->observers < phx_block_rows(block);
}

static inline uint32_t phx_block_tower(uint16_t tx, uint16_t ty)
{
    return (uint32_t)(ty & (PHX_BLOCK_SIDE - 1)) << PHX_BLOCK_BITS | (tx & (PHX_BLOCK_SIDE - 1));
}

enum { PHX_WORD_ROWS = 64 }; /* of stirred[] and watching[] */

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

/* The entity of a row was touched, in a tick in which few are. */
static inline void phx_grid_mark_moved(phx_grid *grid, uint32_t row)
{
    phx_row_set_bit(grid->moved_bits, row, true);
}

static inline bool phx_grid_moved(const phx_grid *grid, uint32_t row)
{
    return phx_row_bit(grid->moved_bits, row);
}

/* The rows of a span that were touched, in order; room for all, and for one more. How many. */
uint32_t phx_grid_moved_in(const phx_grid *grid, phx_span span, uint32_t *out);
/* The same of those with a view. */
uint32_t phx_grid_observers_in(const phx_grid *grid, phx_span span, uint32_t *out);

/* Marks a tower of the block as changed in this tick, oddly or not. */
static inline void phx_block_mark_dirty(phx_block *block, uint32_t tower, uint64_t tick, bool odd)
{
    if (block->dirty_tick != tick) {
        block->dirty_tick = tick;
        block->dirty = block->odd = 0;
    }
    uint64_t bit = 1ull << (tower & (PHX_BLOCK_TOWERS - 1));
    block->dirty |= bit;
    if (odd) block->odd |= bit;
}

/* The same of a tower of the world; nothing if no block is there. */
static inline void phx_grid_mark_dirty(phx_grid *grid, uint16_t tx, uint16_t ty, uint64_t tick, bool odd)
{
    phx_block *block = phx_grid_block(grid, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    if (block) phx_block_mark_dirty(block, phx_block_tower(tx, ty), tick, odd);
}

/* The towers of block (bx, by) that lie in the rectangle, which meets it, as a set. */
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
 * The rows of the block's towers that lie in the rectangle, which meets it, as ranges that are
 * not empty; how many.
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

/* Does the rectangle span more blocks than there are? Then going over those there are is less. */
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

/* The blocks that a rectangle meets, one after the other; where it is wider than there are blocks, those there are. */
typedef struct phx_block_walk {
    const phx_grid *grid;
    phx_rect rect;
    uint32_t bx, by, next;
    bool wide;
} phx_block_walk;

phx_block_walk phx_grid_walk(const phx_grid *grid, phx_rect rect);
/* NULL = through. */
const phx_block *phx_grid_next(phx_block_walk *walk);

/* No fewer than stand in the rectangle's towers: the rows of the blocks that it meets. */
uint32_t phx_grid_most(const phx_grid *grid, phx_rect rect);

/* Did anything change in this tick in the rectangle's towers? */
bool phx_grid_dirty(const phx_grid *grid, phx_rect rect, uint64_t tick);

/* The same, and did anything odd? All of them are looked at, where the one above ends at the first. */
typedef struct phx_tower_marks {
    bool dirty, odd;
} phx_tower_marks;
phx_tower_marks phx_grid_marks(const phx_grid *grid, phx_rect rect, uint64_t tick);

/* ---- in block_summary.c ---- */

/* What a slot's row has in the view column. */
float phx_grid_view(const phx_store *store, uint32_t slot);

/* ---- of rows ---- */

/* The tick is over: what is new becomes old. few: no rows but those stirred are new. */
void phx_grid_end_tick(phx_grid *grid, bool few);

/* Whole-structure check: every live slot, if it has to, has its row in the right tower or near it. For PHX_VALIDATE. */
bool phx_grid_valid(const phx_grid *grid, const phx_store *store);

/* Nothing is new any more: at the tick's end. */
bool phx_grid_in_order(const phx_grid *grid);

/* The block that a place is in, of a row or of a gap behind its rows; there is one. */
uint32_t phx_grid_block_at(const phx_grid *grid, uint32_t row);

/* Room for so many rows, and gaps; the columns may move. false = no memory, nothing changed. */
bool phx_grid_rows_reserve(phx_grid *grid, phx_mem *mem, uint32_t needed);

/* No row has moved and none has a view: of a rebuild. */
void phx_grid_clear_bits(phx_grid *grid);

/* Where the gap behind a block's rows ends: the next block begins there. */
static inline uint32_t phx_grid_block_end(const phx_grid *grid, uint32_t number)
{
    return number + 1 < grid->block_count ? grid->blocks[number + 1].start[0] : grid->row_end;
}

#endif
