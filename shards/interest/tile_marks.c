/*
 * Marks of a tile's cells: dirty towers that decide about their observers, and discontinuous entities that are or were
 * in view; see tile.h. Interest phase, any worker.
 */
#include "shards/interest/tile_marks.h"

#include <string.h>

#include "shards/entity/bounds.h"
#include "shards/interest/tile.h"

/* ---- extent ---- */

/* The range within reach of a column or a row of cells, with the error of float32: from low to high. */
static void cells_around(const phx_tile *tile, int axis, uint32_t number, float *low, float *high)
{
    const phx_tile_frame *frame = &tile->frame;
    float side = (float)(1u << frame->shift) / frame->scale, reach = tile->reach;
    float at = (axis == 0 ? frame->x : frame->y) + (float)number * side, slack = (fabsf(at) + side + reach) * 2e-6f;
    reach += 2 / frame->scale; /* a position may be a unit off */
    *low = at - reach - slack;
    *high = at + side + reach + slack;
}

/* The towers of the frame, and one around it, for the error of float32. */
static phx_rect frame_towers_around(const phx_tile *tile)
{
    const uint32_t *towers = tile->shard->rules->towers;
    const phx_rect in = phx_tile_towers(tile);
    return (phx_rect){(uint16_t)(in.x0 - (in.x0 > 0)), (uint16_t)(in.y0 - (in.y0 > 0)),
                      (uint16_t)(in.x1 + (in.x1 + 1u < towers[0])), (uint16_t)(in.y1 + (in.y1 + 1u < towers[1]))};
}

/* ---- dirty towers around a cell ---- */

/*
 * Marks of the towers in a window: a bit each, from x on, in a word for each row from y on. A tile has rows of five
 * blocks along an axis at most (tile.c), so there may be towers of seven, which fit.
 */
enum { WINDOW = 64 };

typedef struct window {
    uint32_t x, y;
    uint64_t dirty[WINDOW];
} window;

/* Moves a row of 8 towers from x on to its place in a row of the window. */
static uint64_t line_of(uint64_t towers, uint32_t row, uint32_t off)
{
    return (towers >> row * PHX_BLOCK_SIDE & ((1u << PHX_BLOCK_SIDE) - 1)) << off;
}

static void open_window(window *at, const phx_tile *tile)
{
    const phx_shard *shard = tile->shard;
    const phx_rect rect = frame_towers_around(tile);
    *at = (window){.x = rect.x0 & ~(PHX_BLOCK_SIDE - 1u), .y = rect.y0 & ~(PHX_BLOCK_SIDE - 1u)};
    PHX_ASSERT(rect.x1 - at->x < WINDOW && rect.y1 - at->y < WINDOW);
    phx_block_walk walk = phx_grid_walk(&shard->grid, shard->grid.blocks[tile->block].instance, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        const uint32_t x = ((uint32_t)block->bx << PHX_BLOCK_BITS) - at->x;
        const uint32_t y = ((uint32_t)block->by << PHX_BLOCK_BITS) - at->y;
        if (block->dirty_tick != tile->tick) continue;
        for (uint32_t row = 0; row < PHX_BLOCK_SIDE; row++) {
            at->dirty[y + row] |= line_of(block->dirty, row, x);
        }
    }
}

/* The window's towers that decide about a column or a row of cells: first .. last. */
static phx_span deciding_towers(const phx_tile *tile, int axis, uint32_t number, uint32_t window_first)
{
    const phx_rules *rules = tile->shard->rules;
    float low, high;
    cells_around(tile, axis, number, &low, &high);
    uint32_t first = phx_tower_index(rules, axis, low), last = phx_tower_index(rules, axis, high);
    first = first > window_first ? first - window_first : 0;
    last = last > window_first ? last - window_first : 0;
    return (phx_span){first < WINDOW ? first : WINDOW - 1, last < WINDOW ? last : WINDOW - 1};
}

/* Bits first .. last. */
static uint64_t bits_between(phx_span bits)
{
    PHX_ASSERT(bits.first <= bits.end && bits.end < WINDOW);
    return (~UINT64_C(0) >> (WINDOW - 1 - (bits.end - bits.first))) << bits.first;
}

/* Marks these cells discontinuous, where they exist. May there be own rows in one of them? */
static bool mark_box(phx_tile *tile, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
    const int64_t columns = tile->frame.columns, rows = tile->frame.rows, fine = tile->fine;
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    if (x1 >= columns) x1 = columns - 1;
    if (y1 >= rows) y1 = rows - 1;
    for (int64_t y = y0; y <= y1; y++)
        for (int64_t x = x0; x <= x1; x++) tile->marks[y * columns + x] |= PHX_TILE_DISCONTINUOUS;
    return x1 >= fine && y1 >= fine && x0 < columns - fine && y0 < rows - fine;
}

/* Cells first .. last along an axis that are within reach of an entity in a cell, at that unit. */
static void in_reach(const phx_tile *tile, uint32_t cell, uint32_t unit, int64_t *first, int64_t *last)
{
    const uint32_t shift = tile->frame.shift;
    const int64_t at = (int64_t)cell << shift | (unit & ((1u << shift) - 1));
    *first = (at - PHX_TILE_REACH) >> shift; /* this is a reach, and twice the slack */
    *last = (at + PHX_TILE_REACH) >> shift;
}

/*
 * Few cells have a discontinuous entity in view: cells around its new or old place. May one of them have own rows?
 */
static bool mark_discontinuous_cells(phx_tile *tile)
{
    bool own = false;
    for (uint32_t i = 0; i < tile->discontinuous_count; i++) {
        const uint32_t place = tile->discontinuous_places[i], cell = tile->discontinuous_cells[i];
        const bool previous = phx_tile_row_word_is_previous(phx_tile_row_word_at(tile->row, place));
        const uint32_t at = previous ? tile->old[place] : tile->now[place];
        int64_t x0, x1, y0, y1;
        in_reach(tile, cell & UINT16_MAX, at, &x0, &x1);
        in_reach(tile, cell >> 16, at >> 16, &y0, &y1);
        own |= mark_box(tile, x0, y0, x1, y1);
    }
    return own;
}

/* Which of some columns of cells that have these towers in view are dirty. */
static void mark_columns(phx_tile *tile, const window *at, phx_span columns, const uint64_t *towers)
{
    for (uint32_t y = tile->fine; y + tile->fine < tile->frame.rows; y++) {
        uint64_t dirty = 0;
        phx_span rows = deciding_towers(tile, 1, y, at->y);
        for (uint32_t row = rows.first; row <= rows.end; row++) dirty |= at->dirty[row];
        uint8_t *marks = tile->marks + y * tile->frame.columns;
        for (uint32_t x = columns.first; x < columns.end; x++)
            marks[x] = dirty & towers[x - columns.first] ? PHX_TILE_DIRTY : 0;
    }
}

/* Marks cells by the towers in view of each. */
static void mark_towers(phx_tile *tile)
{
    enum { AT_ONCE = 64 }; /* columns: more than most tiles have */
    const uint32_t end = tile->frame.columns - tile->fine;
    uint64_t towers[AT_ONCE];
    window at;
    open_window(&at, tile);
    for (uint32_t first = tile->fine, n; first < end; first += n) {
        n = end - first < AT_ONCE ? end - first : AT_ONCE;
        for (uint32_t x = 0; x < n; x++) towers[x] = bits_between(deciding_towers(tile, 0, first + x, at.x));
        mark_columns(tile, &at, (phx_span){first, first + n}, towers);
    }
}

void phx_tile_mark(phx_tile *tile)
{
    const bool all_due = tile->shard->dense_tick; /* regardless of changes around them */
    if (tile->marked) return;
    tile->marked = true;
    if (all_due) memset(tile->marks, PHX_TILE_DIRTY, (size_t)tile->frame.columns * tile->frame.rows);
    else mark_towers(tile);
    if (!tile->discontinuous) return;
    const bool own = mark_discontinuous_cells(tile);
    if (all_due) tile->discontinuous = own;
}
