/*
 * Rows sorted by tower anew; see rebuild.h. In the index phase, by the shard's owner.
 */
#include "shards/grid/rebuild.h"

#include "shards/grid/blocks.h"

static const uint32_t KEY_GONE = UINT32_MAX;

enum { AHEAD = 16 }; /* rows ahead whose bodies, in no order of memory, are prefetched */

/* Prefetches the body of a row: each fourth one ends in a second line of memory. */
static inline void await_body(const phx_grid *grid, const phx_store *store, uint32_t row)
{
    const phx_body *body = &store->body[phx_row_slot(&grid->rows, row)];
    __builtin_prefetch(&body->x, 1);
    __builtin_prefetch(&body->changed, 1);
}

/* Appends rows for added slots without one, in no tower yet. Returns their end. */
static uint32_t append_rows(const phx_grid *grid, const phx_store *store, const uint32_t *added, uint32_t added_count)
{
    const phx_grid_rows *rows = &grid->rows;
    uint32_t row = grid->row_end;
    for (uint32_t i = 0; i < added_count; i++) {
        if (store->body[added[i]].state & PHX_SLOT_ROW) continue;
        rows->slot[row] = phx_row_word_of(added[i], false).bits;
        rows->ox[row] = rows->oy[row] = NAN;
        rows->view[row] = phx_grid_view(store, added[i]);
        row++;
    }
    return row;
}

/* The block of a body's tower, made if there is none; `last`, of the row before, is mostly this row's, too. */
static inline phx_block *block_of_body(phx_grid *grid, phx_mem *mem, const phx_body *body, uint32_t instance,
                                       phx_block *last)
{
    const uint32_t bx = body->tx >> PHX_BLOCK_BITS, by = body->ty >> PHX_BLOCK_BITS;
    if (PHX_LIKELY(last && last->bx == bx && last->by == by && last->instance == instance)) return last;
    return phx_grid_block_ensure(grid, mem, instance, bx, by);
}

/*
 * Finds the key of each row, its block (made if there is none) << 6 | tower, and counts the rows of a tower into
 * start[tower + 1], and all into *rows. false = no memory.
 */
static bool count_rows(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t total, uint32_t *key, uint32_t *rows)
{
    uint32_t *slots = grid->rows.slot, live = 0;
    phx_block *block = NULL;
    for (uint32_t b = 0; b < grid->block_count; b++) memset(grid->blocks[b].start, 0, sizeof grid->blocks[b].start);
    for (uint32_t i = 0; i < total; i++) {
        if (i + AHEAD < total) await_body(grid, store, i + AHEAD);
        const phx_row_word word = phx_row_word_at(slots, i);
        const uint32_t slot = phx_row_word_slot(word);
        phx_body *body = &store->body[slot];
        key[i] = KEY_GONE;
        if (phx_row_word_is_gap(word)) continue;
        /* written only on a change: most lines stay clean */
        if (PHX_UNLIKELY(body->state & PHX_SLOT_ROW_MISPLACED))
            body->state = (uint16_t)(body->state & ~PHX_SLOT_ROW_MISPLACED);
        if (PHX_UNLIKELY(!(body->state & PHX_SLOT_LIVE))) {
            body->state = (uint16_t)(body->state & ~PHX_SLOT_ROW);
            continue;
        }
        block = block_of_body(grid, mem, body, phx_store_instance(store, slot), block);
        if (!block) return false;
        const uint32_t tower = phx_block_tower(body->tx, body->ty);
        key[i] = (uint32_t)(block - grid->blocks) << (2 * PHX_BLOCK_BITS) | tower;
        block->start[tower + 1]++;
        live++;
        slots[i] = phx_row_word_of(slot, body->state & PHX_SLOT_SPECIAL).bits;
    }
    *rows = live;
    return true;
}

/* Row edits need a gap near: so many rows for each gap in a crowded block, and one gap for any block. */
enum { GAP_ROWS = 32 };

static uint64_t gaps_wanted(const phx_grid *grid, uint32_t rows)
{
    return (uint64_t)grid->block_count + rows / GAP_ROWS;
}

/*
 * Turns counts into starts, shifted by one: start[tower + 1] is the place of the tower's next row. Free room, as far as
 * it is of use, becomes gaps behind blocks.
 */
static void starts_from_counts(phx_grid *grid, uint32_t rows)
{
    const uint64_t wanted = gaps_wanted(grid, rows), spare = grid->rows_capacity - rows;
    const uint64_t gaps = wanted < spare ? wanted : spare, weight_all = (uint64_t)grid->block_count * GAP_ROWS + rows;
    uint64_t weight = 0, given = 0;
    uint32_t sum = 0;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        uint32_t *start = grid->blocks[b].start, first = sum;
        start[0] = sum;
        for (uint32_t t = 1; t <= PHX_BLOCK_TOWERS; t++) {
            uint32_t count = start[t];
            start[t] = sum;
            sum += count;
        }
        weight += GAP_ROWS + (sum - first);
        uint64_t due = gaps * weight / weight_all;
        sum += (uint32_t)(due - given);
        given = due;
    }
    grid->row_end = sum;
    grid->row_count = rows;
    PHX_ASSERT(sum <= grid->rows_capacity);
}

/* Writes the gaps behind blocks. */
static void mark_gaps(phx_grid *grid)
{
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const uint32_t end = phx_grid_block_end(grid, b);
        for (uint32_t row = grid->blocks[b].start[PHX_BLOCK_TOWERS]; row < end; row++) {
            grid->rows.slot[row] = phx_row_word_gap().bits;
            grid->rows.view[row] = 0.0f;
        }
    }
}

/* Turns keys into places; rows of dead slots get a place in the pad. */
static void place_rows(phx_grid *grid, uint32_t total, uint32_t *key)
{
    for (uint32_t i = 0; i < total; i++)
        key[i] = key[i] == KEY_GONE
                     ? grid->rows_capacity
                     : grid->blocks[key[i] >> (2 * PHX_BLOCK_BITS)].start[(key[i] & (PHX_BLOCK_TOWERS - 1)) + 1]++;
}

/* Moves a column to the places, in *spare; its old memory becomes the spare. */
static void sort_floats(float **column, float **spare, const uint32_t *place, uint32_t total)
{
    float *from = *column, *sorted = *spare;
    for (uint32_t i = 0; i < total; i++) sorted[place[i]] = from[i];
    *column = sorted;
    *spare = from;
}

static void sort_words(uint32_t **column, float **spare, const uint32_t *place, uint32_t total)
{
    uint32_t *from = *column, *sorted = (uint32_t *)(void *)*spare;
    for (uint32_t i = 0; i < total; i++) sorted[place[i]] = from[i];
    *column = sorted;
    *spare = (float *)(void *)from;
}

/*
 * Writes the bodies' values to sorted rows of a block, and the rows' numbers to bodies; notes which entities changed,
 * without a branch on each: that is not predictable.
 */
static void follow_block(phx_grid *grid, phx_store *store, phx_block *block, uint64_t tick, uint16_t stamp)
{
    const phx_grid_rows *rows = &grid->rows;
    const uint32_t total = grid->row_end, end = block->start[PHX_BLOCK_TOWERS];
    uint64_t dirty = 0, discontinuous = 0, moved = 0;
    for (uint32_t row = block->start[0]; row < end; row++) {
        if (row + AHEAD < total) await_body(grid, store, row + AHEAD);
        phx_body *body = &store->body[phx_row_slot(rows, row)];
        const uint64_t changed = body->changed == stamp, bit = changed << phx_block_tower(body->tx, body->ty);
        rows->x[row] = body->x;
        rows->y[row] = body->y;
        body->row = row;
        body->state |= PHX_SLOT_ROW;
        dirty |= bit;
        discontinuous |= body->state & PHX_SLOT_DISCONTINUOUS ? bit : 0;
        moved |= changed << row % PHX_WORD_ROWS;
        if (row % PHX_WORD_ROWS < PHX_WORD_ROWS - 1 && row + 1 < end) continue;
        grid->moved_bits[row / PHX_WORD_ROWS] |= moved;
        moved = 0;
    }
    for (; dirty; dirty &= dirty - 1) {
        const uint32_t tower = (uint32_t)__builtin_ctzll(dirty);
        phx_block_mark_dirty(block, tower, tick, discontinuous >> tower & 1);
    }
}

static void follow_bodies(phx_grid *grid, phx_store *store, uint64_t tick, uint16_t stamp)
{
    for (uint32_t b = 0; b < grid->block_count; b++) follow_block(grid, store, &grid->blocks[b], tick, stamp);
}

/* Sorts counted rows. The old x and y are not needed, so their columns hold the places and the results. */
static void sort_rows(phx_grid *grid, uint32_t total, uint32_t *place)
{
    phx_grid_rows *rows = &grid->rows;
    place_rows(grid, total, place);
    sort_floats(&rows->ox, &rows->y, place, total);
    sort_floats(&rows->oy, &rows->y, place, total);
    sort_floats(&rows->view, &rows->y, place, total);
    sort_words(&rows->slot, &rows->y, place, total);
    mark_gaps(grid);
    phx_grid_clear_bits(grid);
}

bool phx_grid_rebuild(phx_grid *grid, phx_mem *mem, phx_store *store, const uint32_t *added, uint32_t added_count,
                      uint64_t tick, uint16_t stamp)
{
    uint64_t needed = (uint64_t)grid->row_end + added_count, rows_most = (uint64_t)grid->row_count + added_count;
    grid->needs_rebuild = true; /* until the rebuild is done */
    if (!grid->sorting && !phx_grid_tidy_blocks(grid, mem, tick)) return false;
    grid->sorting = true;
    grid->summaries_valid = false;
    uint64_t with_gaps = grid->wants_gaps ? rows_most + gaps_wanted(grid, (uint32_t)rows_most) : 0;
    if (!phx_grid_rows_reserve(grid, mem, (uint32_t)(needed > with_gaps ? needed : with_gaps))) return false;
    const uint32_t total = append_rows(grid, store, added, added_count);
    uint32_t *place = (uint32_t *)(void *)grid->rows.x, rows = 0;
    if (!count_rows(grid, mem, store, total, place, &rows)) return false;
    starts_from_counts(grid, rows);
    sort_rows(grid, total, place);
    follow_bodies(grid, store, tick, stamp);
    grid->drift_bound = 0.0f;
    grid->misplaced_count = 0;
    grid->blocks_sorted = grid->block_count;
    grid->pause -= grid->pause > 0;
    grid->needs_rebuild = grid->positions_stale = grid->sorting = false;
    return true;
}
