/*
 * The interest phase of a range of a shard's rows: each observer in the cheapest way (tile, sparse plan, or
 * evaluation); see run_rows.h. Any worker, with a scratch of its own.
 */
#include "shards/interest/run_rows.h"

#include <string.h>

#include "shards/interest/delta_cut.h"
#include "shards/interest/delta_held.h"
#include "shards/interest/delta_sparse.h"
#include "shards/interest/delta_tile.h"
#include "shards/interest/evaluate.h"
#include "shards/interest/sparse_plan.h"
#include "shards/interest/tile.h"
#include "shards/interest/tile_marks.h"
#include "shards/query/far_list.h"

/* Room for the delta of the open tile. */
static bool reserve_tile(phx_scratch *scratch)
{
    const size_t targets = (size_t)scratch->tile.count + phx_far_list_max(scratch->tile.shard);
    return phx_scratch_room(scratch, targets) && phx_scratch_reserve_pairs(scratch, scratch->tile.count);
}

/* Clears the view column of an entity that is no observer any more, once its list is gone. */
static void clear_row_view(phx_shard *shard, uint32_t row, uint32_t slot)
{
    if (!phx_attr_observes(phx_store_attr(&shard->store, slot))) shard->grid.rows.view[row] = 0.0f;
}

/* Finishes a row's observer after its delta: evaluated if that was not enough. false = no memory, it is untouched. */
static bool finish_row_observer(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t row,
                                phx_delta_result seen)
{
    if (seen == PHX_DELTA_DONE) {
        scratch->counts.by_delta++;
        return true;
    }
    uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    if (!phx_evaluate_observer(scratch, directory, shard, slot, false)) return false;
    clear_row_view(shard, row, slot);
    return true;
}

/* Observers in order, with equal radii, for which a delta is enough. */
typedef struct company {
    uint32_t *place, count;
    phx_radii radii;
} company;

/* Runs the delta of the company. false = no memory at place[0]. */
static bool run_company(phx_scratch *scratch, phx_shard *shard, company *of)
{
    if (of->count == 0) return true;
    uint32_t done = phx_delta_even(scratch, shard, of->place, of->count, &of->radii);
    scratch->counts.by_delta += done;
    of->place += done;
    of->count -= done;
    return of->count == 0;
}

/*
 * Adds the observer to the company, if a delta is enough for it, it has the same radii, and its place is behind: places
 * of the last group of views end where the ones of others, and of renewed ones, begin again.
 */
static bool join_company(const phx_scratch *scratch, const phx_shard *shard, company *of, uint32_t place)
{
    phx_radii radii;
    if (of->count > 0 && place < of->place[of->count - 1]) return false;
    if (!phx_delta_enough(scratch, shard, place, &radii)) return false;
    if (of->count > 0 && (radii.in != of->radii.in || radii.keep != of->radii.keep)) return false;
    if (of->count == 0) of->place = scratch->places;
    of->radii = radii;
    of->place[of->count++] = place;
    return true;
}

enum { EQUAL_LEAST = 16 }; /* fewer observers are not worth candidates of their own */

/* In a dense tick: the first of own rows first .. end that have the first one's view, if it decides alone; or 0. */
static uint32_t count_equal_views(const phx_tile *tile, const phx_shard *shard, phx_span range)
{
    const float *views = shard->grid.rows.view, view = views[tile->row[tile->own[range.first]]];
    const uint32_t end = tile->renewed && tile->grouped_end < range.end ? tile->grouped_end : range.end;
    uint32_t i = range.first;
    const bool each = !shard->dense_tick || tile->discontinuous || i >= end || shard->list_cuts.count > 0;
    while (!each && view > 0.0f && i < end && views[tile->row[tile->own[i]]] == view) i++;
    return i - range.first < EQUAL_LEAST ? 0 : i - range.first;
}

/* Runs so many own places from the i-th on, as count_equal_views() found them. Returns how many are done. */
static uint32_t run_equal_views(phx_scratch *scratch, phx_shard *shard, uint32_t i, uint32_t count)
{
    const uint32_t *place = scratch->tile.own + i;
    const float view = shard->grid.rows.view[scratch->tile.row[place[0]]];
    const phx_radii radii = {view, view};
    phx_delta_begin(scratch, scratch->tile.cell[place[0]]); /* each cell is due, and none has a discontinuity in view */
    const uint32_t done = phx_delta_even(scratch, shard, place, count, &radii);
    scratch->counts.by_delta += done;
    return done;
}

/*
 * Runs own rows first .. end of the tile in the order of places, observers with equal radii together. Returns how many
 * are done.
 */
static uint32_t run_places(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, phx_span range)
{
    const phx_tile *tile = &scratch->tile;
    const uint32_t end = range.end < tile->watching_end ? range.end : tile->watching_end;
    company of = {0};
    uint32_t cell = UINT32_MAX, i = range.first;
    bool due = false;
    for (; i < end; i++) {
        uint32_t place = tile->own[i], row = tile->row[place];
        const uint32_t equal = count_equal_views(tile, shard, (phx_span){i, end});
        if (equal > 0 && !run_company(scratch, shard, &of)) break;
        if (equal > 0) { /* side by side: each needs no look of its own */
            const uint32_t done = run_equal_views(scratch, shard, i, equal);
            i += done < equal ? done : equal - 1;
            if (done == equal) continue;
            break;
        }
        if (shard->list_cuts.count > 0) phx_delta_cut_await(scratch, shard, i, end);
        if (shard->grid.rows.view[row] == 0.0f) continue;
        if (cell != tile->cell[place]) due = phx_delta_begin(scratch, cell = tile->cell[place]);
        if (due && join_company(scratch, shard, &of, place)) continue;
        const bool waited = of.count > 0;
        if (!run_company(scratch, shard, &of)) break;
        if (due && waited && join_company(scratch, shard, &of, place)) continue; /* the first one of another company */
        const phx_delta_result seen = due ? phx_delta_cut(scratch, shard, place) : phx_delta_quiet(shard, row);
        if (seen == PHX_DELTA_NO_MEMORY) break;
        if (!finish_row_observer(scratch, directory, shard, row, seen)) break;
    }
    if (i >= end && run_company(scratch, shard, &of)) return range.end - range.first;
    for (uint32_t n = 0; of.count > 0 && range.first + n < i; n++) /* memory ended at an earlier one */
        if (tile->own[range.first + n] == of.place[0]) return n;
    return i - range.first;
}

/* Observers among own rows first .. end of a tile. */
static uint32_t count_range_observers(const phx_tile *tile, phx_span range)
{
    const float *view = tile->shard->grid.rows.view;
    uint32_t count = 0;
    if (!phx_block_mixed(&tile->shard->grid.blocks[tile->block])) return range.end - range.first;
    for (uint32_t i = range.first; i < range.end; i++) count += view[tile->row[tile->own[i]]] != 0.0f;
    return count;
}

/*
 * The first of own rows first .. end of a tile that is run alone, for others would pay for its way: renewed, or
 * discontinuous. In a sparse tile a discontinuous one is not: there groups of observers are short, and a start for each
 * costs more. `end`: none. Own rows are in order, as their views are equal.
 */
static uint32_t find_single(const phx_tile *tile, const phx_shard *shard, phx_span range)
{
    const uint32_t *own = tile->own;
    const uint32_t next = tile->sparse ? UINT32_MAX : phx_tile_next_discontinuous(tile, own[range.first]);
    if (!shard->dense_tick || (next == UINT32_MAX && !tile->renewed)) return range.end;
    uint32_t i = range.first, end = i + phx_tile_places_below(own + i, range.end - i, next);
    for (i = tile->renewed ? i : end; i < end && !phx_delta_renewed_alone(tile, shard, own[i]);) i++;
    return i;
}

/*
 * Runs own rows first .. end of a tile where one pass of deltas is enough, but for rows that are run alone. Returns
 * how many are done.
 */
static uint32_t run_alike(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, phx_span range)
{
    const phx_tile *tile = &scratch->tile;
    uint32_t i = range.first;
    while (i < range.end) {
        const uint32_t single = find_single(tile, shard, (phx_span){i, range.end}), end = single > i ? single : i + 1;
        const uint32_t row = tile->row[tile->own[i]];
        if (single == i && phx_delta_renewed_alone(tile, shard, tile->own[i])) {
            if (!finish_row_observer(scratch, directory, shard, row, PHX_DELTA_EVALUATE)) break;
        } else {
            const uint32_t done = phx_delta_all(scratch, shard, (phx_span){i, end});
            scratch->counts.by_delta += count_range_observers(tile, (phx_span){i, i + done});
            if (done < end - i) return i + done - range.first;
        }
        i = end;
    }
    return i - range.first;
}

static uint32_t run_tile(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, phx_span range)
{
    phx_tile *tile = &scratch->tile;
    phx_tile_find_alike(tile, range);
    if (!phx_delta_simple(scratch, shard) || (tile->discontinuous && !tile->sparse)) phx_tile_mark(tile);
    if (!phx_delta_simple(scratch, shard)) return run_places(scratch, directory, shard, range);
    return run_alike(scratch, directory, shard, range);
}

/* Runs row by row: nothing changed around, or the block does not fit a tile. */
static uint32_t run_rows(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, phx_span range,
                         bool quiet)
{
    for (uint32_t row = range.first; row < range.end; row++) {
        if (shard->grid.rows.view[row] == 0.0f) continue;
        phx_delta_result seen = quiet ? phx_delta_quiet(shard, row) : PHX_DELTA_EVALUATE;
        if (!finish_row_observer(scratch, directory, shard, row, seen)) return row - range.first;
    }
    return range.end - range.first;
}

/*
 * Runs the observers first .. end of a block, counted from its first row: in the order of its rows with a sparse plan,
 * else of its tile if it is usable, else of its rows. The order is the same in every range of one tick. Returns how
 * many are done.
 */
static uint32_t run_block(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t number,
                          phx_span range)
{
    const phx_block *block = &shard->grid.blocks[number];
    const phx_tile *tile = &scratch->tile;
    const phx_span rows = {block->start[0] + range.first, block->start[0] + range.end};
    if (block->reach == 0.0f) return range.end - range.first;
    if (!phx_sparse_plan_open(&scratch->plan, scratch->mem, shard, number)) return 0;
    if (scratch->plan.way != PHX_SPARSE_NONE) return phx_delta_sparse(scratch, shard, rows);
    if (shard->delta_allowed && !phx_tile_open(&scratch->tile, scratch->mem, shard, number)) return 0;
    bool usable = shard->delta_allowed && tile->usable;
    if (usable && !tile->quiet) return reserve_tile(scratch) ? run_tile(scratch, directory, shard, range) : 0;
    return run_rows(scratch, directory, shard, rows, usable);
}

/* The order of run_block() in a block. */
typedef enum block_order { ORDER_ROWS, ORDER_TILE, ORDER_NONE } block_order;

static block_order order_of(phx_scratch *scratch, phx_shard *shard, uint32_t number)
{
    if (!phx_sparse_plan_open(&scratch->plan, scratch->mem, shard, number)) return ORDER_NONE;
    if (scratch->plan.way != PHX_SPARSE_NONE) return ORDER_ROWS;
    if (shard->delta_allowed && !phx_tile_open(&scratch->tile, scratch->mem, shard, number)) return ORDER_NONE;
    return shard->delta_allowed && scratch->tile.usable && !scratch->tile.quiet ? ORDER_TILE : ORDER_ROWS;
}

/* Reports the undone slots of a part of a block, counted from its first row. */
static void undone_in_block(phx_scratch *scratch, phx_shard *shard, uint32_t number, phx_span range,
                            phx_undone_fn visit, void *user)
{
    const phx_block *block = &shard->grid.blocks[number];
    const block_order order = order_of(scratch, shard, number);
    if (order == ORDER_NONE) range = (phx_span){0, phx_block_rows(block)};
    for (uint32_t i = range.first; i < range.end; i++) {
        const uint32_t row = order == ORDER_TILE ? scratch->tile.row[scratch->tile.own[i]] : block->start[0] + i;
        if (shard->grid.rows.view[row] != 0.0f) visit(user, phx_row_slot(&shard->grid.rows, row), order == ORDER_NONE);
    }
}

void phx_rows_visit_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                           void *user)
{
    const phx_grid *grid = &shard->grid;
    const uint32_t end = first + count;
    for (uint32_t b = count > 0 ? phx_grid_block_at(grid, first) : 0; first < end; b++) {
        const uint32_t begin = grid->blocks[b].start[0], next = phx_grid_block_end(grid, b);
        const uint32_t rows = begin + phx_block_rows(&grid->blocks[b]), to = end < rows ? end : rows;
        if (first < to) undone_in_block(scratch, shard, b, (phx_span){first - begin, to - begin}, visit, user);
        first = next;
    }
}

uint32_t phx_rows_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                      uint32_t count)
{
    const phx_grid *grid = &shard->grid;
    uint32_t done = 0;
    scratch->directory = directory;
    scratch->square_each = scratch->square_joined = 0; /* so that the work does not depend on earlier ranges */
    for (uint32_t b = count > 0 ? phx_grid_block_at(grid, first) : 0; done < count; b++) {
        const uint32_t begin = grid->blocks[b].start[0], rows = phx_block_rows(&grid->blocks[b]);
        const uint32_t all = phx_grid_block_end(grid, b) - begin, left = first + count - begin;
        const uint32_t from = first + done - begin, end = left < all ? left : all;
        const uint32_t to = end < rows ? end : rows; /* a gap needs no work */
        uint32_t through = from < to ? run_block(scratch, directory, shard, b, (phx_span){from, to}) : 0;
        if (from < to && through < to - from) return done + through;
        done += end - from;
    }
    return done;
}

uint32_t phx_rows_chunk_items(const phx_shard *shard, uint32_t first, uint32_t left, uint32_t wanted)
{
    const phx_grid *grid = &shard->grid;
    enum { FEW_MORE = 4 }; /* few rows moved: each piece finds them again; few observe: most rows are no work */
    uint32_t count = 0;
    if (phx_sparse_plan_movers(shard) || shard->observing_count < grid->row_count / FEW_MORE) wanted *= FEW_MORE;
    for (uint32_t b = phx_grid_block_at(grid, first); count < wanted && count < left; b++) {
        uint32_t rest = phx_grid_block_end(grid, b) - (first + count);
        if (rest > 2 * wanted) return count > 0 ? count : wanted;
        count += rest;
    }
    return count;
}
