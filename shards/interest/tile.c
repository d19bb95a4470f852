/*
 * Builds tiles and picks candidates; see tile.h. Interest phase, any worker.
 */
#include "shards/interest/tile.h"

#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/grid/blocks.h"
#include "shards/interest/view_groups.h"
#include "shards/state/list_limit.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"

enum { ARRAYS = 10 }; /* of rows_capacity words each: now, old, row, cell, movers, target, and the four of picked */

void phx_tile_free(phx_tile *tile, phx_mem *mem)
{
    phx_release(mem, (void **)&tile->words, &tile->words_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&tile->start, &tile->start_capacity, sizeof(uint32_t));
    phx_far_items_free(&tile->far, mem);
    phx_release(mem, (void **)&tile->discontinuous_words, &tile->discontinuous_words_capacity, sizeof(uint32_t));
    phx_tile_bounds_free(&tile->bounds, mem);
    phx_tile_heights_free(&tile->heights, mem);
    *tile = (phx_tile){0};
}

/* ---- extent ---- */

/*
 * From mid-step to either end of their steps the distance of two rows changes by at most the longest step, half a step
 * for each, in any shape: an axis changes less. The rest is slack for the rounding of float32.
 */
static float longest_step_of(const phx_shard *shard)
{
    return sqrtf(shard->step2_max) * 1.00001f;
}

/* An upper bound of the distance of an event's two rows at mid-step. */
static float reach_of(const phx_block *block, const phx_shard *shard)
{
    return block->reach + longest_step_of(shard) + block->reach * 1e-5f;
}

/* How far along an axis a row was from its tower at mid-step, at most: half a step if rows were just sorted. */
static float off_tower(const phx_shard *shard)
{
    const float half = shard->step_max * 0.5f, drift = shard->grid.drift_bound;
    return half > drift ? half : drift;
}

enum { REACHES_MAX = 100 }; /* units to a block: below 2^20, where a float32 still has 16 parts of one */
#define ROUNDING 2e-6f      /* of a position or a tower: a bound of the error of float32 */
#define SUM_ROUNDED 1.0001f /* times a sum of steps: it is no less though each of 1,600 additions was rounded down */
#define SLACK_PART 0.39f    /* of a block's side: the most slack; see AROUND */

/*
 * The block's corner along an axis, and the error of float32 there: of positions by their magnitude, of towers by their
 * distance from the world's origin (phx_tower_index() rounds twice).
 */
static float block_corner(const phx_shard *shard, int axis, uint32_t place, float reach, float *slack)
{
    float side = shard->rules->tower_size * PHX_BLOCK_SIDE, from = side * (float)place;
    float at = (float)((double)shard->rules->origin[axis] + (double)side * place);
    *slack = (fabsf(at) + from + side + reach) * ROUNDING;
    return at;
}

/*
 * May the block have a tile? Not if views are so wide that most rows would be other blocks', or too small for units, or
 * if the block is so far from the origin that positions are as coarse as blocks.
 */
bool phx_tile_fits(const phx_block *block, const phx_shard *shard)
{
    const float reach = reach_of(block, shard);
    float slack[2], side = shard->rules->tower_size * PHX_BLOCK_SIDE, slack_max = side * SLACK_PART;
    (void)block_corner(shard, 0, block->bx, reach, &slack[0]);
    (void)block_corner(shard, 1, block->by, reach, &slack[1]);
    return block->reach > -PHX_VIEW_LEFTOVER && reach <= side && reach * REACHES_MAX >= side && slack[0] <= slack_max &&
           slack[1] <= slack_max;
}

/*
 * The best cell size by rows in a square as wide as the reach, measured: up to SPARSE, three cells side by side fit a
 * vector; from FINE_2 and FINE_4 on, smaller cells save more than they cost.
 */
#define SPARSE 9.0f
#define FINE_2 24.0f
#define FINE_4 80.0f

static uint32_t choose_fineness(float density)
{
    return density < FINE_2 ? 1 : density < FINE_4 ? 2 : PHX_TILE_FINE_MAX;
}

/* Where own rows are and were at mid-step; wide: it is of the rows themselves, as some are far out of their towers. */
typedef struct own_place {
    phx_box box;
    float slack[2]; /* along an axis: the error of float32 there */
    bool wide;
} own_place;

/*
 * Estimates the rows around a row of the block, in a square as wide as the reach: the average of its own tower, or of
 * an even spread over the block where that is more. In a wide place towers say nothing: an even spread over it.
 */
static float estimate_density(const phx_shard *shard, const phx_block *block, const own_place *own, float reach)
{
    const uint32_t count = phx_block_rows(block);
    const float rows = (float)count;
    if (own->wide) {
        const float width = own->box.x1 - own->box.x0, height = own->box.y1 - own->box.y0;
        return rows * (reach / fmaxf(width, reach)) * (reach / fmaxf(height, reach));
    }
    const float towers = reach / shard->rules->tower_size, most = rows * towers * towers;
    if (most < SPARSE) return most; /* few rows: it decides the same, wherever they are */
    const float together = (float)(phx_block_pairs_together(block) - count);
    const float density = together / rows, spread = rows / PHX_BLOCK_TOWERS;
    return (density > spread ? density : spread) * towers * towers;
}

/* May cells at this distance hold a pair closer than `reach`? Do they hold only such pairs? In units. */
static bool may_meet(uint32_t dx, uint32_t dy, float side, float reach, bool square)
{
    float x = dx > 0 ? (float)(dx - 1) * side : 0, y = dy > 0 ? (float)(dy - 1) * side : 0;
    return square ? x <= reach && y <= reach : x * x + y * y <= reach * reach;
}

static bool must_meet(uint32_t dx, uint32_t dy, float side, float reach, bool square)
{
    float x = (float)(dx + 1) * side, y = (float)(dy + 1) * side;
    if (reach <= 0) return false;
    return square ? x < reach && y < reach : x * x + y * y < reach * reach;
}

/* The ring of the cells around a cell that can hold the other row of a pair between two distances, in units. */
static phx_tile_ring ring_between(uint32_t fine, float inner, float outer, bool square)
{
    const uint32_t side_units = PHX_TILE_REACH / fine;
    const float side = (float)side_units;
    phx_tile_ring ring;
    for (uint32_t dy = 0; dy <= fine; dy++) {
        ring.outer[dy] = ring.inner[dy] = -1;
        for (uint32_t dx = 0; dx <= fine && may_meet(dx, dy, side, outer, square); dx++) ring.outer[dy] = (int8_t)dx;
        for (uint32_t dx = 0; dx <= fine && must_meet(dx, dy, side, inner, square); dx++) ring.inner[dy] = (int8_t)dx;
    }
    return ring;
}

/* Finds the ring of cells around a cell that can hold the other row of an event. */
static void find_event_ring(phx_tile *tile, const phx_shard *shard, const phx_block *block)
{
    const bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    const float outer = tile->reach * tile->frame.scale + PHX_TILE_SLACK;
    /* with margins the column of views has view + margin: a bound of the shortest view, and of its rounding */
    const float bound = block->reach_min - shard->margin_max - block->reach_min * 1e-6f;
    const float view = block->view_min > 0.0f ? block->view_min : bound;
    const float least = phx_tile_heights_nearest(&tile->heights, shard->rules, view);
    float inner = (least - longest_step_of(shard)) * tile->frame.scale - PHX_TILE_SLACK;
    if (tile->bounded && !tile->parted) inner = 0.0f; /* borders of bounded targets lie inside */
    tile->events = ring_between(tile->fine, inner, outer, square);
    if (!tile->parted) return;
    const float beyond = shard->margin_max + longest_step_of(shard);
    const float farthest = tile->bounds.most * (1 + 1e-5f) + beyond * tile->frame.scale + PHX_TILE_SLACK;
    tile->bounded_events = ring_between(tile->fine, 0.0f, farthest, square);
}

/*
 * Do moved rows compare, in place of observers? Where fewer moved than observe. Measured where a tenth moves and all
 * observe, a tick takes 0.83 times as long with a margin and 3 others in view, 0.68 times without one and 60 in view;
 * of 300 observers and 800 moved rows 1.84 times. Not with a bounded target, as the two sides of a pair may have
 * different events then.
 */
static bool movers_match(const phx_tile *tile, const phx_shard *shard)
{
    return !shard->dense_tick && shard->dirty_count < shard->observing_count && !tile->bounded;
}

static void lay_frame(phx_tile *tile, const phx_shard *shard, const own_place *own)
{
    phx_tile_frame *frame = &tile->frame;
    const phx_box box = own->box;
    const bool sphere = shard->uneven && shard->rules->shape == PH_SHAPE_SPHERE;
    frame->scale = (float)(sphere ? PHX_TILE_SPHERE_REACH : PHX_TILE_REACH - 2 * PHX_TILE_SLACK) / tile->reach;
    /*
     * A reach and a bit around own rows at any time: they have a reach of cells on all sides. And a unit more, as a
     * jump hardly longer than a step counts as a step.
     */
    float around = (PHX_TILE_REACH + 1) / frame->scale;
    frame->longest_step =
        shard->step_max * frame->scale * 1.00001f + 0.5f; /* two positions are off by less than that */
    frame->moved = phx_cell_word_flag(movers_match(tile, shard));
    /* moved rows outside the block are matched too: so there is one more reach of cells, without rows */
    frame->low = frame->moved ? (float)PHX_TILE_REACH : 0.0f;
    float edge = around + frame->low / frame->scale;
    /* twice: a row just outside of the world may stand off by the slack, and is rounded here */
    const float x_edge = edge + 2 * own->slack[0], y_edge = edge + 2 * own->slack[1];
    frame->x = box.x0 - x_edge;
    frame->y = box.y0 - y_edge;
    frame->shift = PHX_TILE_BITS - (uint32_t)__builtin_ctz(tile->fine);
    uint32_t width = (uint32_t)((box.x1 - box.x0 + 2 * x_edge) * frame->scale) + 1;
    uint32_t height = (uint32_t)((box.y1 - box.y0 + 2 * y_edge) * frame->scale) + 1;
    frame->columns = (width >> frame->shift) + 1;
    frame->rows = (height >> frame->shift) + 1;
    frame->width = (float)width - frame->low;
    frame->height = (float)height - frame->low;
}

phx_rect phx_tile_towers(const phx_tile *tile)
{
    const phx_tile_frame *frame = &tile->frame;
    float off = off_tower(tile->shard) * SUM_ROUNDED;
    float low = frame->low / frame->scale - off;
    const phx_box box = {frame->x + low, frame->y + low, frame->x + frame->width / frame->scale + off,
                         frame->y + frame->height / frame->scale + off};
    return phx_box_towers(tile->shard->rules, box);
}

/* ---- content ---- */

enum { LINE_WORDS = PHX_CACHE_LINE / sizeof(uint32_t) };
_Static_assert(PHX_KERNEL_PAD % LINE_WORDS == 0, "arrays follow each other");

static bool reserve_rows(phx_tile *tile, phx_mem *mem, uint32_t count)
{
    uint32_t rows = tile->rows_capacity;
    if (count > rows) {
        rows = count + count / 2; /* density changes: room for some more, so that not every change allocates */
        rows = (rows + LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS; /* arrays begin where lines do */
        if (!phx_grow(mem, (void **)&tile->words, &tile->words_capacity, 0, (size_t)ARRAYS * (rows + PHX_KERNEL_PAD),
                      sizeof(uint32_t)))
            return false;
        tile->rows_capacity = rows;
    }
    uint32_t *array = tile->words, step = rows + PHX_KERNEL_PAD;
    tile->now = array;
    tile->old = array + step;
    tile->row = array + 2 * step;
    tile->cell = array + 3 * step;
    tile->movers = array + 4 * step;
    tile->target = array + 5 * step;
    tile->picked = (phx_tile_rows){array + 6 * step, array + 7 * step, array + 8 * step, array + 9 * step};
    /* after the sort, the picked rows are not needed any more */
    tile->candidates = (phx_tile_candidates){tile->picked.now, tile->picked.old, tile->picked.row, NULL, NULL};
    tile->own = tile->picked.cell;
    return true;
}

/* Ranges of rows. */
typedef struct ranges {
    phx_span *spans;
    uint32_t count;
} ranges;

/*
 * Notes marks in the block's towers of the rectangle, and appends the ranges of their rows, and of its previous rows.
 */
static void meet_block(phx_tile *tile, const phx_block *block, phx_rect rect, ranges *rows, ranges *previous)
{
    if (block->dirty_tick == tile->tick) {
        uint64_t mask = phx_block_mask(rect, block->bx, block->by);
        if (block->dirty & mask) tile->quiet = false;
        if (block->discontinuous & mask) tile->discontinuous = true;
    }
    rows->count += phx_block_spans(block, rect, rows->spans + rows->count);
    previous->spans[previous->count] = block->previous;
    previous->count += block->previous.first < block->previous.end;
}

/* The same of all blocks that the rectangle meets. */
static void meet_blocks(phx_tile *tile, phx_rect rect, ranges *rows, ranges *previous)
{
    const phx_grid *grid = &tile->shard->grid;
    phx_block_walk walk = phx_grid_walk(grid, grid->blocks[tile->block].instance, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) meet_block(tile, block, rect, rows, previous);
}

/* Does the rectangle, which meets the block, meet no other one? Then none is looked for. */
static inline bool covers_alone(const phx_block *block, phx_rect rect)
{
    return rect.x0 >> PHX_BLOCK_BITS == block->bx && rect.x1 >> PHX_BLOCK_BITS == block->bx &&
           rect.y0 >> PHX_BLOCK_BITS == block->by && rect.y1 >> PHX_BLOCK_BITS == block->by;
}

static uint32_t length_of(ranges of)
{
    uint32_t rows = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): phx_block_spans() wrote them */
    for (uint32_t s = 0; s < of.count; s++) rows += of.spans[s].end - of.spans[s].first;
    return rows;
}

/*
 * Blocks along an axis: its own, and two on each side. A reach is at most one block wide, with the units of a sphere
 * 1.08; twice the slack 0.78 of one (phx_tile_fits()), off_tower(), and spread in the frame, 1/16 (drift_limit; no half
 * step is longer): less than two. Each block has a span for each of its rows of towers.
 */
enum { ACROSS = 5, AROUND = ACROSS * ACROSS };

/*
 * Picks previous rows behind the rows. For the kernels a row without old position was not here before. With now and old
 * exchanged, it was here and is not any more.
 */
static void pick_prev_rows(phx_tile *tile, ranges of)
{
    const phx_prev_rows *previous = &tile->shard->previous;
    const phx_grid_rows rows = {.x = previous->x, .y = previous->y, .ox = previous->nowhere, .oy = previous->nowhere};
    const phx_tile_rows *all = &tile->picked;
    const uint32_t n = tile->count;
    const phx_tile_rows to = {all->old + n, all->now + n, all->row + n, all->cell + n};
    if (of.count == 0) return;
    tile->previous_count = tile->shard->kernels->cull_rows(&rows, of.spans, of.count, &tile->frame, &to);
    for (uint32_t i = 0; i < tile->previous_count; i++) to.row[i] = phx_tile_row_word_of_previous(to.row[i]).bits;
    tile->count += tile->previous_count;
}

/* Picks all rows in the frame, unless none of it changed. */
static bool collect_rows(phx_tile *tile, phx_mem *mem)
{
    const phx_shard *shard = tile->shard;
    const phx_rect rect = phx_tile_towers(tile);
    phx_span row_spans[AROUND * PHX_BLOCK_SIDE], previous_spans[AROUND + 1];
    ranges rows = {row_spans, 0}, previous = {previous_spans, 0};
    tile->quiet = !shard->dense_tick;
    tile->discontinuous = false;
    PHX_ASSERT((rect.x1 >> PHX_BLOCK_BITS) - (rect.x0 >> PHX_BLOCK_BITS) < ACROSS);
    PHX_ASSERT((rect.y1 >> PHX_BLOCK_BITS) - (rect.y0 >> PHX_BLOCK_BITS) < ACROSS);
    const phx_block *own = &shard->grid.blocks[tile->block];
    if (covers_alone(own, rect)) meet_block(tile, own, rect, &rows, &previous);
    else meet_blocks(tile, rect, &rows, &previous);
    if (tile->far.moved) tile->quiet = false;
    if (tile->quiet) return true;
    const uint32_t most = length_of(rows) + length_of(previous);
    if (!reserve_rows(tile, mem, most)) return false;
    tile->count = shard->kernels->cull_rows(&shard->grid.rows, rows.spans, rows.count, &tile->frame, &tile->picked);
    pick_prev_rows(tile, previous);
    PHX_ASSERT(tile->count <= most && (tile->previous_count == 0 || tile->discontinuous));
    return true;
}

/* Room for the arrays by cell. false = no memory. */
static bool reserve_cells(phx_tile *tile, phx_mem *mem, uint32_t cells)
{
    size_t step = (size_t)cells + 2 + PHX_KERNEL_PAD, words = 2 * step + cells / sizeof(uint32_t) + 1;
    if (!phx_grow(mem, (void **)&tile->start, &tile->start_capacity, 0, words, sizeof(uint32_t))) return false;
    tile->stencil = tile->start + step;
    tile->marks = (uint8_t *)(tile->stencil + step);
    tile->marked = false;
    memset(tile->start, 0, step * sizeof *tile->start);
    return true;
}

/* Counting sort of the picked rows by cell. */
static bool sort_by_cell(phx_tile *tile, phx_mem *mem)
{
    uint32_t cells = tile->frame.columns * tile->frame.rows;
    if (!reserve_cells(tile, mem, cells)) return false;
    const phx_tile_rows from = tile->picked;
    const uint32_t count = tile->count;
    uint32_t *now = tile->now, *old = tile->old, *row = tile->row, *cell = tile->cell;
    uint32_t *start =
        tile->start + 1; /* during the sort, the next place of a cell; at the end, where the next cell begins */
    for (uint32_t i = 0; i < count; i++) start[phx_cell_word_cell(phx_cell_word_at(from.cell, i)) + 1]++;
    tile->shard->kernels->cell_offsets(start, cells, tile->stencil);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = start[phx_cell_word_cell(phx_cell_word_at(from.cell, i))]++;
        now[at] = from.now[i];
        old[at] = from.old[i];
        row[at] = from.row[i];
        cell[at] = from.cell[i];
    }
    /* vectors of match_stencil reach into the pad; no result depends on it, but checkers of memory can not know that */
    memset(now + count, 0, PHX_KERNEL_PAD * sizeof *now);
    memset(old + count, 0, PHX_KERNEL_PAD * sizeof *old);
    return true;
}

/* Reads the height of the row at a place, now and before. A previous row has that of before alone. */
static inline void read_height(const phx_tile *tile, uint32_t place, float *now, float *old)
{
    const phx_shard *shard = tile->shard;
    const phx_tile_row_word word = phx_tile_row_word_at(tile->row, place);
    const uint32_t number = phx_tile_row_word_number(word);
    const bool previous = phx_tile_row_word_is_previous(word);
    const uint32_t slot = previous ? shard->previous.rows[number].slot : phx_row_slot(&shard->grid.rows, number);
    *now = previous ? shard->old_heights.at[slot] : shard->store.body[slot].z;
    *old = !previous && phx_row_discontinuous(&shard->grid.rows, number) ? *now : shard->old_heights.at[slot];
}

/* Prefetches the heights of the row at a place, which are in no order of memory. A previous row is a rare one. */
PHX_PREFETCH_INLINE void await_height(const phx_tile *tile, uint32_t place)
{
    const phx_shard *shard = tile->shard;
    const phx_tile_row_word word = phx_tile_row_word_at(tile->row, place);
    if (phx_tile_row_word_is_previous(word)) return;
    const uint32_t slot = phx_row_slot(&shard->grid.rows, phx_tile_row_word_number(word));
    __builtin_prefetch(&shard->store.body[slot].z);
    __builtin_prefetch(&shard->old_heights.at[slot]);
}

/* Finds the heights of sorted rows, and marks rows with another old height as moved. false = no memory. */
static bool find_heights(phx_tile *tile, phx_mem *mem)
{
    enum { AHEAD = 16 }; /* places */
    const phx_shard *shard = tile->shard;
    phx_tile_heights *heights = &tile->heights;
    phx_height_span spans[2] = {phx_height_span_none(), phx_height_span_none()}; /* of all rows, of own ones */
    if (!shard->uneven) return true;
    if (!phx_tile_heights_reserve(heights, mem, tile->rows_capacity)) return false;
    for (uint32_t i = 0; i < tile->count; i++) {
        float *now = &heights->now[i], *old = &heights->old[i];
        if (i + AHEAD < tile->count) await_height(tile, i + AHEAD);
        read_height(tile, i, now, old);
        for (uint32_t own = 0; own <= phx_tile_own(tile, tile->row[i]); own++)
            spans[own] = phx_height_span_with(phx_height_span_with(spans[own], *now), *old);
        if (*now != *old) tile->cell[i] |= tile->frame.moved;
    }
    tile->usable = phx_tile_heights_make(heights, shard->rules, tile->count, spans[1], spans[0], tile->reach,
                                         tile->frame.scale, tile->frame.moved != 0);
    tile->candidates.height = heights->count ? heights->picked : NULL;
    return true;
}

/* Is the row at a place without old position, or without new position? Steps are shorter than
 * PHX_TILE_NO_HISTORY_OFFSET. */
static uint32_t has_no_history(const phx_tile *tile, uint32_t place)
{
    return (uint16_t)(tile->old[place] - tile->now[place]) == PHX_TILE_NO_HISTORY_OFFSET;
}

static uint32_t is_goer(const phx_tile *tile, uint32_t place)
{
    return (uint16_t)(tile->now[place] - tile->old[place]) == PHX_TILE_NO_HISTORY_OFFSET;
}

typedef uint16_t halves __attribute__((vector_size(16))); /* of the words of four places: x and y of each */

/* May one of so many places be discontinuous? By the x of the words, or, which costs little, by a y. */
static bool may_have_discontinuous(const uint32_t *now, const uint32_t *old, uint32_t places)
{
    enum { AT_ONCE = sizeof(halves) / sizeof(uint32_t), OFF = PHX_TILE_NO_HISTORY_OFFSET };
    halves any = {0};
    for (uint32_t i = 0; i < places; i += AT_ONCE) {
        halves is, was;
        memcpy(&is, now + i, sizeof is);
        memcpy(&was, old + i, sizeof was);
        any |= (halves)(was - is == (uint16_t)OFF) | (halves)(is - was == (uint16_t)OFF);
    }
    uint64_t bits[2];
    memcpy(bits, &any, sizeof bits);
    return (bits[0] | bits[1]) != 0;
}

/* Writes the discontinuous places, ascending. Returns how many. */
static uint32_t collect_discontinuous_places(const phx_tile *tile, uint32_t *places)
{
    enum { AT_ONCE = 16 }; /* places: few are discontinuous */
    const uint32_t count = tile->count;
    uint32_t n = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        end = count - first < AT_ONCE ? count : first + AT_ONCE;
        if (end - first == AT_ONCE && !may_have_discontinuous(tile->now + first, tile->old + first, AT_ONCE)) continue;
        for (uint32_t i = first; i < end; i++) {
            places[n] = i;
            n += has_no_history(tile, i) | is_goer(tile, i);
        }
    }
    return n;
}

/* Room for all rows to be discontinuous. false = no memory. */
static bool reserve_discontinuous(phx_tile *tile, phx_mem *mem)
{
    enum { COLUMNS = 6 };
    const size_t column = (size_t)tile->rows_capacity + PHX_KERNEL_PAD, lines = (size_t)tile->frame.rows + 1;
    if (!phx_grow(mem, (void **)&tile->discontinuous_words, &tile->discontinuous_words_capacity, 0,
                  COLUMNS * column + lines, sizeof(uint32_t)))
        return false;
    uint32_t *words = tile->discontinuous_words;
    tile->discontinuous_places = words;
    tile->rows_without_history =
        (phx_grid_rows){.x = (float *)(words + column), .y = (float *)(words + 2 * column), .slot = words + 3 * column};
    tile->discontinuous_cells = words + 4 * column;
    tile->discontinuous_own = words + 5 * column;
    tile->without_history_start = words + 6 * column;
    return true;
}

/* Finds the discontinuous rows. false = no memory. */
static bool find_discontinuous(phx_tile *tile, phx_mem *mem)
{
    const phx_grid_rows *rows = &tile->shard->grid.rows;
    const uint32_t columns = tile->frame.columns;
    uint32_t without_history = 0, own = 0, line = 0;
    if (!reserve_discontinuous(tile, mem)) return false;
    const uint32_t n = collect_discontinuous_places(tile, tile->discontinuous_places);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t place = tile->discontinuous_places[i], row = tile->row[place];
        tile->discontinuous_cells[i] = tile->cell[place] / columns << 16 | tile->cell[place] % columns;
        if (is_goer(tile, place)) continue;
        tile->discontinuous_own[own] = place;
        own += phx_tile_own(tile, row);
        for (; line * columns <= tile->cell[place]; line++) tile->without_history_start[line] = without_history;
        tile->rows_without_history.x[without_history] = rows->x[row];
        tile->rows_without_history.y[without_history] = rows->y[row];
        tile->rows_without_history.slot[without_history++] = rows->slot[row];
    }
    for (; line <= tile->frame.rows; line++) tile->without_history_start[line] = without_history;
    tile->discontinuous_count = n;
    tile->discontinuous_own_count = own;
    return true;
}

/*
 * Sets target[]: slot words, or places if words are ambiguous or places are needed. The discontinuous places are known.
 */
static void name_targets(phx_tile *tile)
{
    const uint32_t *slots = tile->shard->grid.rows.slot, *row = tile->row, count = tile->count;
    uint32_t *target = tile->target, i = 0;
    tile->named = !tile->sparse && !tile->frame.moved;
    for (; !tile->named && i < count; i++) target[i] = i;
    for (uint32_t d = 0; tile->named && tile->previous_count > 0 && d < tile->discontinuous_count; d++) {
        const uint32_t place = tile->discontinuous_places[d];
        if (!is_goer(tile, place)) continue;
        for (; i < place; i++) target[i] = slots[row[i]];
        target[i++] = phx_tile_word(tile, place).bits;
    }
    for (; i < count; i++) target[i] = slots[row[i]];
}

/*
 * Finds the bounds of places that have no previous row. Common targets, too, are looked up: there is no branch, as
 * bounded ones are in no order, and look-ups of many places overlap.
 */
static void find_row_bounds(const phx_tile *tile, phx_span places)
{
    const phx_grid_rows *rows = &tile->shard->grid.rows;
    const phx_store *store = &tile->shard->store;
    const float scale = tile->frame.scale;
    const uint32_t *row = tile->row;
    float *bound = tile->bounds.by_place;
    for (uint32_t i = places.first; i < places.end; i++)
        bound[i] = phx_bound_of(phx_store_attr(store, phx_row_slot(rows, row[i]))) * scale;
}

/* Finds the bounds of all places. */
static void find_place_bounds(const phx_tile *tile)
{
    const phx_prev_rows *previous = &tile->shard->previous;
    uint32_t first = 0;
    for (uint32_t d = 0; tile->previous_count > 0 && d < tile->discontinuous_count; d++) {
        const uint32_t place = tile->discontinuous_places[d];
        if (!is_goer(tile, place)) continue;
        const phx_prev_rows_row *was =
            &previous->rows[phx_tile_row_word_number(phx_tile_row_word_at(tile->row, place))];
        find_row_bounds(tile, (phx_span){first, place});
        tile->bounds.by_place[place] =
            phx_bound_of(phx_prev_rows_row_attr(previous, &tile->shard->store, was)) * tile->frame.scale;
        first = place + 1;
    }
    find_row_bounds(tile, (phx_span){first, tile->count});
}

/* Finds the bounds of named targets; parts rows by them; sets `bounded` anew, as none may be. false = no memory. */
static bool find_bounds(phx_tile *tile, phx_mem *mem)
{
    enum { OBSERVERS_PART = 4 }; /* of all rows: fewer observers gain less by it than it costs, as in mmo */
    const uint32_t count = tile->count, cells = tile->frame.columns * tile->frame.rows;
    const uint32_t observers = tile->shard->grid.blocks[tile->block].observers;
    phx_tile_bounds *bounds = &tile->bounds;
    if (!phx_tile_bounds_reserve(bounds, mem, tile->rows_capacity, cells)) return false;
    find_place_bounds(tile);
    phx_tile_bounds_count(bounds, count);
    tile->bounded = bounds->count > 0;
    tile->parted = tile->bounded && tile->fine > 1 && observers >= count / OBSERVERS_PART;
    tile->candidates.bound = tile->bounded ? bounds->picked : NULL;
    const phx_tile_candidates all = {tile->now, tile->old, tile->target, bounds->by_place,
                                     tile->heights.count ? tile->heights.by_place : NULL};
    if (tile->parted) phx_tile_bounds_part(bounds, &all, tile->start, cells);
    return true;
}

uint32_t phx_tile_places_below(const uint32_t *places, uint32_t count, uint32_t place)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (places[middle] < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

uint32_t phx_tile_next_discontinuous(const phx_tile *tile, uint32_t place)
{
    const uint32_t count = tile->discontinuous_own_count;
    const uint32_t next = phx_tile_places_below(tile->discontinuous_own, count, place);
    return next < count ? tile->discontinuous_own[next] : UINT32_MAX;
}

phx_span phx_tile_without_history(const phx_tile *tile, uint32_t cell)
{
    const uint32_t line = cell / tile->frame.columns, fine = tile->fine;
    PHX_ASSERT(line >= fine && line + fine < tile->frame.rows);
    return (phx_span){tile->without_history_start[line - fine], tile->without_history_start[line + fine + 1]};
}

/* Takes the flags of moved rows out of the cells. */
static void collect_cell_movers(phx_tile *tile)
{
    const uint32_t count = tile->count;
    uint32_t *cell = tile->cell, *movers = tile->movers, n = 0;
    for (uint32_t i = 0; i < count; i++) {
        movers[n] = i;
        const phx_cell_word word = phx_cell_word_at(cell, i);
        n += phx_cell_word_moved(word);
        cell[i] = phx_cell_word_cell(word);
    }
    tile->mover_count = n;
}

/* A box as the place of own rows, if it is not too large for units, or too far from the origin. */
static bool set_wide_place(own_place *own, phx_box box, float side, float reach)
{
    const float most = fmaxf(side, reach * REACHES_MAX), slack_most = side * SLACK_PART;
    own->box = box;
    own->wide = true;
    own->slack[0] += fmaxf(fabsf(box.x0), fabsf(box.x1)) * ROUNDING;
    own->slack[1] += fmaxf(fabsf(box.y0), fabsf(box.y1)) * ROUNDING;
    return box.x1 - box.x0 <= most && box.y1 - box.y0 <= most && own->slack[0] <= slack_most &&
           own->slack[1] <= slack_most;
}

/*
 * Finds where the block's rows are, and were at mid-step, but for slack: in the block, give or take the drift of all
 * rows. At the world's edge entities outside of the world have rows too, as far out as may be; the other way rows have
 * drifted there as well (entities that jumped or entered are checked, tick/reindex.c). Then the rows are looked at. So
 * they are where they are few, as most cells of a whole block would have none; but not where cells tell which
 * observers are due, as those of blocks tell best. false: they are too far apart for a tile.
 */
static bool find_own_place(const phx_shard *shard, const phx_block *block, float reach, own_place *own)
{
    const float side = shard->rules->tower_size * PHX_BLOCK_SIDE, off = off_tower(shard);
    const float x = block_corner(shard, 0, block->bx, reach, &own->slack[0]);
    const float y = block_corner(shard, 1, block->by, reach, &own->slack[1]);
    const phx_span rows = {block->start[0], block->start[PHX_BLOCK_TOWERS]};
    const bool few = shard->dense_tick && rows.end - rows.first < PHX_BLOCK_TOWERS;
    const bool far = shard->grid.outside && phx_block_at_edge(block, shard->rules->towers);
    own->box = (phx_box){x - off, y - off, x + side + off, y + side + off};
    own->wide = false;
    if (!far && !few) return true;
    const float longest_step = (shard->step_max + reach / PHX_TILE_REACH) * SUM_ROUNDED;
    const phx_box box = shard->kernels->box_rows(&shard->grid.rows, rows, longest_step);
    const bool inside =
        box.x0 >= own->box.x0 && box.y0 >= own->box.y0 && box.x1 <= own->box.x1 && box.y1 <= own->box.y1;
    if (!inside) return !far || set_wide_place(own, box, side, reach);
    if (few) own->box = box;
    return true;
}

bool phx_tile_plain(const phx_shard *shard, uint32_t slot, float view, float *in, float *keep)
{
    *in = *keep = view;
    if (view > 0.0f) return true;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const phx_list *list = &shard->store.tail[slot].list;
    if (!phx_attr_observes(attr)) return false;
    *in = *keep = attr->view;
    if (list->derived) return phx_store_attr_decides(&shard->store, slot); /* delta_annulus.h looks at the margin */
    if (!phx_limit_stored_below(attr, list)) return false;
    if ((shard->store.body[slot].state & PHX_SLOT_RELATED) &&
        (phx_related_forgot(shard, slot) || shard->storage->derives_uncut(shard, slot)))
        return false;
    *keep = attr->view + attr->margin;
    return *keep == *in || !shard->uneven; /* where heights count kernels know one border */
}

/* Prefetches what is read of an observer with a margin: it is in no order of memory. */
PHX_PREFETCH_INLINE void await_plain(const phx_shard *shard, uint32_t row)
{
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    if (shard->grid.rows.view[row] > 0.0f) return;
    __builtin_prefetch(&shard->store.set[slot]);
    __builtin_prefetch(&shard->store.tail[slot]);
    if (slot < shard->annuli_capacity) __builtin_prefetch(&shard->annuli[slot]);
}

/* Has the observer the attributes of the last one, that was plain, and a derived list? Then it is as plain. */
static inline bool plain_as_last(const phx_shard *shard, uint32_t slot, uint32_t last)
{
    return (shard->store.set[slot] == last) & shard->store.tail[slot].list.derived;
}

bool phx_tile_stored_renewed(const phx_block *block, const phx_shard *shard)
{
    const uint64_t *renewed = shard->previous.renewed_rows;
    uint32_t row = block->start[0], end = block->start[PHX_BLOCK_TOWERS];
    if (shard->previous.renewed_count == 0 || shard->rules->adds_least == UINT32_MAX) return false;
    while (row < end && (shard->grid.rows.view[row] >= 0.0f || phx_row_bit(renewed, row))) row++;
    return row == end && block->reach_min > -PHX_VIEW_LEFTOVER;
}

void phx_tile_find_alike(phx_tile *tile, phx_span range)
{
    const phx_shard *shard = tile->shard;
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_block *block = &shard->grid.blocks[tile->block];
    enum { AHEAD = 12 }; /* places */
    float in = 0.0f, keep = 0.0f, own_in, own_keep;
    uint32_t last = UINT32_MAX; /* a set of attributes */
    if (block->view_min > 0.0f) return;
    tile->alike = block->reach == block->reach_min; /* else attributes need not be read */
    const bool known = tile->alike && tile->renewed && shard->dense_tick && phx_tile_stored_renewed(block, shard);
    if (known) in = keep = block->reach; /* renewed ones with held targets have no margin */
    for (uint32_t i = range.first; tile->alike && !known && i < range.end; i++) {
        const uint32_t row = tile->row[tile->own[i]];
        if (i + AHEAD < range.end) await_plain(shard, tile->row[tile->own[i + AHEAD]]);
        if (rows->view[row] == 0.0f) continue;
        const uint32_t slot = phx_row_slot(rows, row);
        if (PHX_LIKELY(plain_as_last(shard, slot, last))) {
            PHX_ASSERT(phx_tile_plain(shard, slot, rows->view[row], &own_in, &own_keep) && in == own_in);
            continue;
        }
        tile->alike = phx_tile_plain(shard, slot, rows->view[row], &own_in, &own_keep) &&
                      (in == 0.0f || (in == own_in && keep == own_keep));
        in = own_in;
        keep = own_keep;
        /* else its list is stored, and of the same set one that is derived still was plain before the tick */
        const bool derived = rows->view[row] > 0.0f || shard->store.tail[slot].list.derived;
        last = derived ? shard->store.set[slot] : UINT32_MAX;
    }
    tile->alike_in = in;
    tile->alike_keep = keep;
}

/* May a bounded target be, or have been, among its rows? They are in the blocks around: see ACROSS. */
static bool has_bounded_around(const phx_shard *shard, const phx_block *block)
{
    const int32_t off = ACROSS / 2, x_last = (int32_t)((shard->rules->towers[0] - 1) >> PHX_BLOCK_BITS),
                  y_last = (int32_t)((shard->rules->towers[1] - 1) >> PHX_BLOCK_BITS);
    for (int32_t y = block->by - off; shard->bounded && y <= block->by + off; y++) {
        for (int32_t x = block->bx - off; x <= block->bx + off; x++) {
            if (x < 0 || y < 0 || x > x_last || y > y_last) continue;
            const phx_block *other = phx_grid_block(&shard->grid, block->instance, (uint32_t)x, (uint32_t)y);
            if (other && phx_tile_block_bounded(other)) return true;
        }
    }
    return false;
}

/* Prefetches the relations of the observers of a tile in which most have events: they are in no order of memory. */
static void await_own_relations(const phx_tile *tile, const phx_shard *shard)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t places = shard->relations.places;
    for (uint32_t row = tile->rows.first; row < tile->rows.end; row++) {
        const uint32_t slot = phx_row_slot(rows, row);
        if (rows->view[row] != 0.0f && slot < places) __builtin_prefetch(&shard->relations.place[slot]);
    }
    for (uint32_t row = tile->rows.first; row < tile->rows.end; row++) {
        const uint32_t slot = phx_row_slot(rows, row);
        if (rows->view[row] != 0.0f && slot < places) __builtin_prefetch(phx_related_of(shard, slot));
    }
}

/* Groups own observers by view. */
static void group_own_by_view(phx_tile *tile)
{
    const phx_shard *shard = tile->shard;
    const phx_grouped_places of = {.row = tile->row,
                                   .own = tile->own,
                                   .spare = {tile->candidates.now, tile->candidates.old}, /* not used yet */
                                   .count = tile->rows.end - tile->rows.first};
    phx_view_groups_make(shard, &of, phx_block_mixed(&shard->grid.blocks[tile->block]), tile->renewed,
                         &tile->grouped_end, &tile->watching_end);
}

bool phx_tile_open(phx_tile *tile, phx_mem *mem, const phx_shard *shard, uint32_t number)
{
    const phx_block *block = &shard->grid.blocks[number];
    tile->between.cell = UINT32_MAX; /* so that the work in a range does not depend on earlier ones */
    if (tile->shard == shard && tile->tick == shard->tick && tile->block == number) return true;
    float reach = reach_of(block, shard);
    PHX_ASSERT(shard->delta_allowed && shard->derives_lists);
    tile->shard = shard;
    tile->tick = shard->tick;
    tile->block = number;
    tile->rows = (phx_span){block->start[0], block->start[PHX_BLOCK_TOWERS]};
    tile->count = tile->previous_count = tile->discontinuous_count = tile->discontinuous_own_count = 0;
    tile->all_by_delta = false;
    tile->renewed = phx_prev_rows_any_renewed(&shard->previous, tile->rows);
    tile->related_due = phx_related_due_rows(shard, tile->rows);
    tile->annular = shard->margin_max > 0.0f && !(block->view_min > 0.0f);
    tile->usable = phx_tile_fits(block, shard);
    if (!tile->usable) return true;
    own_place place;
    tile->usable = find_own_place(shard, block, reach, &place);
    if (!tile->usable) return true;
    tile->reach = reach;
    tile->bounded = has_bounded_around(shard, block);
    tile->parted = tile->heights.count = false;
    float density = estimate_density(shard, block, &place, reach);
    tile->fine = choose_fineness(density);
    tile->sparse = density < SPARSE;
    lay_frame(tile, shard, &place);
    if (!phx_far_items_collect(&tile->far, mem, shard, block)) {
        tile->shard = NULL;
        return false;
    }
    if (!collect_rows(tile, mem) || (!tile->quiet && !(sort_by_cell(tile, mem) && find_heights(tile, mem)))) {
        tile->shard = NULL;
        return false;
    }
    if (tile->quiet) return true;
    if (!tile->usable) return true;
    tile->sparse &= !tile->heights.count;
    if (tile->frame.moved) collect_cell_movers(tile);
    if (tile->discontinuous && !find_discontinuous(tile, mem)) {
        tile->shard = NULL;
        return false;
    }
    name_targets(tile);
    if (tile->bounded && !find_bounds(tile, mem)) {
        tile->shard = NULL;
        return false;
    }
    if (!tile->sparse) find_event_ring(tile, shard, block); /* else nine cells are compared, whatever ring is in them */
    uint32_t own = shard->kernels->indices_in_range(tile->row, tile->count, tile->rows, tile->own);
    PHX_ASSERT(own == tile->rows.end - tile->rows.first);
    tile->grouped_end = 0;
    tile->watching_end = own;
    if (block->reach > block->reach_min) group_own_by_view(tile);
    if (shard->dense_tick && shard->relations.used > 0) await_own_relations(tile, shard);
    tile->limits_in = tile->limits_keep = -1;
    tile->alike = block->view_min > 0.0f && block->reach == block->reach_min; /* else phx_tile_find_alike() */
    tile->alike_in = tile->alike_keep = block->view_min;
    tile->all_by_delta = tile->discontinuous && shard->dense_tick && tile->alike && !shard->previous.kept;
    return true;
}

/* ---- candidates ---- */

/* Units that a distance may be off, sqrt(2) * 1.25 (tile.h), and the rounding of float32 in its square, rounded up. */
#define LIMIT_SLACK 1.775f

/* Appends the places of cells first .. last; start: by cell. */
static uint32_t add_span(const uint32_t *start, uint32_t first, uint32_t last, phx_span *spans, uint32_t n)
{
    spans[n] = (phx_span){start[first], start[last + 1]};
    return n + (spans[n].first < spans[n].end);
}

/* Appends a ring around a cell, whose places begin at start[]; whole: all cells within it, too. Returns the new n. */
static uint32_t add_ring(const phx_tile *tile, const uint32_t *start, const phx_tile_ring *ring, uint32_t cell,
                         bool whole, phx_span *spans, uint32_t n)
{
    uint32_t columns = tile->frame.columns, fine = tile->fine, middle = cell - fine * columns;
    PHX_ASSERT(cell >= fine * columns + fine && cell + fine * columns + fine < columns * tile->frame.rows);
    for (uint32_t row = 0; row <= 2 * fine; row++, middle += columns) {
        uint32_t off = row < fine ? fine - row : row - fine;
        const int32_t outer = ring->outer[off], inner = whole ? -1 : ring->inner[off];
        if (outer < 0) continue;
        if (inner < 0) {
            n = add_span(start, middle - (uint32_t)outer, middle + (uint32_t)outer, spans, n);
        } else if (outer > inner) {
            n = add_span(start, middle - (uint32_t)outer, middle - (uint32_t)inner - 1, spans, n);
            n = add_span(start, middle + (uint32_t)inner + 1, middle + (uint32_t)outer, spans, n);
        }
    }
    return n;
}

/* Appends the discontinuous rows inside the ring. Returns the new n; above PHX_TILE_SPANS_MAX: too many. */
static uint32_t add_discontinuous_spans(const phx_tile *tile, uint32_t cell, phx_span *spans, uint32_t n)
{
    const int32_t x = (int32_t)(cell % tile->frame.columns), y = (int32_t)(cell / tile->frame.columns);
    const uint32_t most = n + PHX_TILE_DISCONTINUOUS_MAX;
    if (tile->events.inner[0] < 0) return n; /* no cell is inside the ring */
    for (uint32_t i = 0; i < tile->discontinuous_count; i++) {
        const int32_t dx = abs((int32_t)(tile->discontinuous_cells[i] & UINT16_MAX) - x);
        const int32_t dy = abs((int32_t)(tile->discontinuous_cells[i] >> 16) - y);
        if (dy > (int32_t)tile->fine || dx > tile->events.inner[dy]) continue;
        if (n == most) return PHX_TILE_SPANS_MAX + 1;
        spans[n++] = (phx_span){tile->discontinuous_places[i], tile->discontinuous_places[i] + 1};
    }
    return n;
}

/* Gathers heights of some ranges of places. */
static void pick_heights(uint32_t *to, const uint32_t *from, const phx_span *spans, uint32_t count)
{
    for (uint32_t s = 0; s < count; s++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): add_ring() wrote count of them */
        const uint32_t length = spans[s].end - spans[s].first;
        memcpy(to, from + spans[s].first, length * sizeof *to);
        to += length;
    }
}

/* Appends the ranges of parted rows; whole: unbounded rows inside of the ring, too. Returns how many there are. */
static uint32_t add_parted(const phx_tile *tile, uint32_t cell, bool whole, phx_span *spans)
{
    const uint32_t *start = tile->bounds.start, *bounded = start + (size_t)tile->frame.columns * tile->frame.rows;
    const uint32_t n = add_ring(tile, start, &tile->events, cell, whole, spans, 0);
    return add_ring(tile, bounded, &tile->bounded_events, cell, true, spans, n);
}

uint32_t phx_tile_pick(phx_tile *tile, uint32_t cell, bool whole, uint32_t *span_count)
{
    PHX_ASSERT(!tile->sparse);
    phx_span spans[PHX_TILE_SPANS_MAX + 1];
    const bool discontinuous = tile->discontinuous && (!tile->marked || (tile->marks[cell] & PHX_TILE_DISCONTINUOUS));
    phx_tile_candidates from = {tile->now, tile->old, tile->target, tile->bounded ? tile->bounds.by_place : NULL,
                                tile->heights.by_place};
    uint32_t n;
    if (tile->parted) {
        from = tile->bounds.rows;
        n = add_parted(tile, cell, whole || discontinuous, spans);
    } else {
        n = add_ring(tile, tile->start, &tile->events, cell, whole, spans, 0);
        if (discontinuous && !whole) n = add_discontinuous_spans(tile, cell, spans, n);
        if (n > PHX_TILE_SPANS_MAX) n = add_ring(tile, tile->start, &tile->events, cell, true, spans, 0);
    }
    *span_count = n;
    tile->between.cell = UINT32_MAX;
    if (tile->heights.count) pick_heights(tile->candidates.height, from.height, spans, n);
    return tile->shard->kernels->gather(&from, spans, n, &tile->candidates);
}

uint32_t phx_tile_spans_between(const phx_tile *tile, uint32_t cell, float near, float far, phx_span *spans)
{
    const float scale = tile->frame.scale, step = longest_step_of(tile->shard);
    const phx_tile_ring ring =
        ring_between(tile->fine, (near - step) * scale - PHX_TILE_SLACK, (far + step) * scale + PHX_TILE_SLACK, false);
    return add_ring(tile, tile->start, &ring, cell, false, spans, 0);
}

uint32_t phx_tile_pick_between(phx_tile *tile, uint32_t cell, float near, float far, uint32_t *span_count)
{
    enum { ALIKE = 16 }; /* observers of a cell differ by so much of their distance, mostly */
    phx_tile_between *between = &tile->between;
    phx_span spans[PHX_TILE_SPANS_MAX + 1];
    *span_count = 0;
    if (between->cell == cell && between->near <= near && between->far >= far) return tile->candidate_count;
    const bool again = between->cell == cell;
    between->near = again && between->near < near ? between->near : near - near / ALIKE;
    between->far = again && between->far > far ? between->far : far + far / ALIKE;
    between->cell = cell;
    *span_count = phx_tile_spans_between(tile, cell, between->near, between->far, spans);
    if (tile->heights.count) pick_heights(tile->candidates.height, tile->heights.by_place, spans, *span_count);
    const phx_tile_candidates all = {tile->now, tile->old, tile->row, NULL, NULL};
    return tile->candidate_count = tile->shard->kernels->gather(&all, spans, *span_count, &tile->candidates);
}

/*
 * How far from a border units can not decide, up to this distance, where targets have bounds: at a border r it is less
 * than 2 r slack + slack^2, and 9 for the rounding of squares, which are below 2^26, and of borders to whole numbers.
 */
static int32_t unsure_around(float far, float slack, bool square)
{
    const float off = square ? slack : 2 * far * slack + slack * slack + 9;
    PHX_ASSERT(off + 1 < INT16_MAX);
    return (int32_t)off + 1;
}

/*
 * The range of distances about which units can not decide, at a border, as kernels compare it. Some vector kernels need
 * a middle of the range, within 16 bits of its ends.
 */
static void set_unsure_limits(float border, float slack, bool square, int32_t *low, int32_t *high)
{
    float less = border - slack, more = border + slack;
    *low = less < 0 ? -1 : (int32_t)(square ? less : less * less);
    *high = (int32_t)(square ? more : more * more) + 1;
    *high += (*high - *low + 1) & 1;
    PHX_ASSERT(*low < *high && *high - *low < 2 * INT16_MAX);
}

void phx_tile_limit(phx_tile *tile, float in, float keep)
{
    bool square = tile->shard->rules->shape == PH_SHAPE_SQUARE;
    float r = in * tile->frame.scale, far = keep * tile->frame.scale;
    PHX_ASSERT(far <= PHX_TILE_REACH);
    tile->limits.square = square;
    const bool sphere = tile->heights.count && tile->heights.levels.sphere;
    const float slack = sphere ? PHX_TILE_SPHERE_SLACK : LIMIT_SLACK;
    set_unsure_limits(r, slack, square, &tile->limits.in_low, &tile->limits.in_high);
    set_unsure_limits(far, slack, square, &tile->limits.keep_low, &tile->limits.keep_high);
    tile->limits.levels = tile->heights.count ? &tile->heights.levels : NULL;
    tile->limits.r = r;
    tile->limits.margin = far - r;
    tile->limits.unsure = unsure_around(far, slack, square);
    const int32_t unsure = tile->bounded ? tile->limits.unsure : (tile->limits.in_high - tile->limits.in_low) / 2;
    if (tile->heights.count) phx_tile_heights_limit(&tile->heights, unsure);
    tile->limits_in = in;
    tile->limits_keep = keep;
}
