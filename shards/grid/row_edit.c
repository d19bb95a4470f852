/*
 * Row edits, if few entities entered, left or jumped in a tick; see grid.h. Behind the rows of a block there may be a
 * gap. Inside of a tower the order of rows is free: so a tower moves on by one row if its first row goes behind its
 * last, however many rows it has. So do blocks, up to the first one with a gap behind it. Called by the shard's owner,
 * in the index phase; phx_grid_misplace() in ingest and exchange too.
 */
#include "shards/grid/row_edit.h"

#include "shards/grid/block_summary.h"
#include "shards/grid/blocks.h"
#include "shards/grid/grid.h"

void phx_grid_misplace(phx_grid *grid, phx_body *body, uint32_t slot)
{
    PHX_ASSERT(body->state & PHX_SLOT_ROW);
    if (grid->needs_rebuild || grid->sorting || (body->state & PHX_SLOT_ROW_MISPLACED)) return;
    if (grid->misplaced_count == grid->misplaced_capacity) {
        grid->needs_rebuild = true;
        return;
    }
    body->state |= PHX_SLOT_ROW_MISPLACED;
    grid->misplaced[grid->misplaced_count++] = slot;
}

/*
 * One edit costs up to as much as the sort of 300 rows (100,000 on a Zen 5, 250 in a block: 3 us; a row of the sort 9.5
 * ns).
 */
bool phx_grid_sort_due(const phx_grid *grid, uint32_t more)
{
    enum { PART = 256, AT_LEAST = 4, BLOCKS_TIMES = 2, BLOCKS_AT_LEAST = 64 };
    const uint32_t rows = grid->misplaced_count + more;
    if (grid->block_count > BLOCKS_TIMES * grid->blocks_sorted + BLOCKS_AT_LEAST) return true;
    return rows > grid->row_count / PART + AT_LEAST || (rows > 0 && grid->pause > 0);
}

uint32_t phx_rows_edit_limit(const phx_grid *grid)
{
    enum { PART = 8, AT_LEAST = 256 }; /* a row moved alone costs up to five times as much as a sorted one */
    return grid->row_count / PART + AT_LEAST;
}

/* ---- one row ---- */

/* All columns of one row. */
typedef struct loose_row {
    float x, y, ox, oy, view;
    phx_row_word word;
    bool is_moved, observes;
} loose_row;

static loose_row row_at(const phx_grid *grid, uint32_t row)
{
    const phx_grid_rows *of = &grid->rows;
    return (loose_row){.x = of->x[row],
                       .y = of->y[row],
                       .ox = of->ox[row],
                       .oy = of->oy[row],
                       .view = of->view[row],
                       .word = phx_row_word_at(of->slot, row),
                       .is_moved = phx_row_bit(grid->moved_bits, row),
                       .observes = phx_row_bit(grid->observer_bits, row)};
}

static void write_row(phx_grid *grid, phx_store *store, uint32_t row, const loose_row *is)
{
    const phx_grid_rows *of = &grid->rows;
    of->x[row] = is->x;
    of->y[row] = is->y;
    of->ox[row] = is->ox;
    of->oy[row] = is->oy;
    of->view[row] = is->view;
    of->slot[row] = is->word.bits;
    phx_row_set_bit(grid->moved_bits, row, is->is_moved);
    phx_row_set_bit(grid->observer_bits, row, is->observes);
    store->body[phx_row_word_slot(is->word)].row = row;
}

static void move_row(phx_grid *grid, phx_store *store, uint32_t from, uint32_t to)
{
    const loose_row row = row_at(grid, from);
    write_row(grid, store, to, &row);
}

static void make_gap(phx_grid *grid, uint32_t row)
{
    grid->rows.slot[row] = phx_row_word_gap().bits;
    grid->rows.view[row] = 0.0f;
    phx_row_set_bit(grid->moved_bits, row, false);
    phx_row_set_bit(grid->observer_bits, row, false);
}

/* ---- towers and blocks ---- */

/*
 * Moves towers of the block from `first` on by one row, the last first: behind them is a gap. Returns the rows moved.
 */
static uint32_t push_towers(phx_grid *grid, phx_store *store, phx_block *block, uint32_t first)
{
    uint32_t moved = 0;
    for (uint32_t t = PHX_BLOCK_TOWERS; t-- > first;) {
        const uint32_t begin = block->start[t], end = block->start[t + 1]++;
        if (begin == end) continue;
        move_row(grid, store, begin, end);
        moved++;
    }
    return moved;
}

/*
 * Removes a row of a tower, and moves the towers behind it down by one: behind them is a gap. Returns the rows moved.
 */
static uint32_t pull_towers(phx_grid *grid, phx_store *store, phx_block *block, uint32_t tower, uint32_t row)
{
    uint32_t moved = 0, hole = row;
    for (uint32_t t = tower; t < PHX_BLOCK_TOWERS; t++) {
        const uint32_t last = block->start[t + 1] - 1;
        if (t > tower) block->start[t]--;
        if (t > tower && block->start[t] == last) continue; /* an empty tower */
        if (hole != last) move_row(grid, store, last, hole);
        moved += hole != last;
        hole = last;
    }
    block->start[PHX_BLOCK_TOWERS]--;
    PHX_ASSERT(hole == block->start[PHX_BLOCK_TOWERS]);
    make_gap(grid, hole);
    return moved;
}

/* The end of the room behind a block's rows. */
static uint32_t room_end(const phx_grid *grid, uint32_t number)
{
    return number + 1 < grid->block_count ? phx_grid_block_end(grid, number) : grid->rows_capacity;
}

/* The first block from `number` on with a gap behind it, if at most `work` rows have to be moved up to there. */
static uint32_t find_gap(const phx_grid *grid, uint32_t number, uint32_t work)
{
    for (; number < grid->block_count; number++) {
        const phx_block *block = &grid->blocks[number];
        const uint32_t rows = phx_block_rows(block), cost = rows < PHX_BLOCK_TOWERS ? rows : PHX_BLOCK_TOWERS;
        if (block->start[PHX_BLOCK_TOWERS] < room_end(grid, number)) return number;
        if (cost + 1 > work) break;
        work -= cost + 1; /* an empty block costs something, too */
    }
    return grid->block_count;
}

/* Makes a place for a row in a tower of a block. There is a gap behind block `gap`, and none before it. */
static uint32_t make_room(phx_grid *grid, phx_store *store, uint32_t number, uint32_t tower, uint32_t gap,
                          uint32_t *work)
{
    uint32_t moved = 0;
    for (uint32_t b = gap; b > number; b--) {
        phx_block *block = &grid->blocks[b];
        moved += push_towers(grid, store, block, 0) + 1;
        block->start[0]++;
    }
    phx_block *block = &grid->blocks[number];
    moved += push_towers(grid, store, block, tower + 1);
    const uint32_t place = block->start[tower + 1]++;
    *work = *work > moved ? *work - moved : 0;
    grid->row_end = grid->blocks[grid->block_count - 1].start[PHX_BLOCK_TOWERS];
    return place;
}

/* ---- entities that enter, leave and jump ---- */

/*
 * Row edits were in vain. If that happens again and again, as where all jump to one place, they are tried less often.
 */
static phx_rows_edited fall_back_to_sort(phx_grid *grid)
{
    enum { PAUSE_MOST = 32 }; /* ticks, this one included */
    if (grid->wants_gaps) {   /* else there were no gaps yet */
        grid->pause = grid->pause_next > 0 ? grid->pause_next : 1;
        grid->pause_next = 2 * grid->pause < PAUSE_MOST ? 2 * grid->pause : PAUSE_MOST;
    }
    grid->wants_gaps = true;
    return PHX_EDIT_SORT;
}

/* The place of a slot's row. */
typedef struct berth {
    uint32_t block, tower, gap;
} berth;

/* Finds the block of a slot's tower, made if there is none, and a gap for its row. */
static phx_rows_edited find_berth(phx_grid *grid, phx_mem *mem, const phx_store *store, uint32_t slot, uint32_t work,
                                  berth *to)
{
    const phx_body *body = &store->body[slot];
    const uint32_t instance = phx_store_instance(store, slot);
    if (!phx_grid_block_visit(grid, mem, instance, body->tx, body->ty)) return PHX_EDIT_NO_MEMORY;
    const phx_block *block = phx_grid_block(grid, instance, body->tx >> PHX_BLOCK_BITS, body->ty >> PHX_BLOCK_BITS);
    to->block = (uint32_t)(block - grid->blocks);
    to->tower = phx_block_tower(body->tx, body->ty);
    to->gap = find_gap(grid, to->block, work);
    return to->gap < grid->block_count ? PHX_EDIT_DONE : fall_back_to_sort(grid);
}

static void insert_row(phx_grid *grid, phx_store *store, const berth *to, loose_row *row, uint64_t tick, uint32_t *work)
{
    phx_body *body = &store->body[phx_row_word_slot(row->word)];
    row->x = body->x;
    row->y = body->y;
    row->is_moved = true;
    row->observes = row->view != 0.0f;
    write_row(grid, store, make_room(grid, store, to->block, to->tower, to->gap, work), row);
    grid->row_count++;
    body->state |= PHX_SLOT_ROW;
    phx_block_mark_dirty(&grid->blocks[to->block], to->tower, tick, body->state & PHX_SLOT_DISCONTINUOUS);
    phx_block_summary_add(grid, to->block, row->view, row->word);
}

phx_rows_edited phx_grid_put(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t slot, uint64_t tick,
                             uint32_t *work)
{
    phx_body *body = &store->body[slot];
    PHX_ASSERT((body->state & PHX_SLOT_LIVE) && !(body->state & PHX_SLOT_ROW));
    if (*work == 0) return fall_back_to_sort(grid);
    berth to;
    const phx_rows_edited found = find_berth(grid, mem, store, slot, *work, &to);
    if (found != PHX_EDIT_DONE) return found;
    const phx_row_word word = phx_row_word_of(slot, body->state & PHX_SLOT_SPECIAL);
    loose_row row = {.ox = NAN, .oy = NAN, .view = phx_grid_view(store, slot), .word = word};
    insert_row(grid, store, &to, &row, tick, work);
    return PHX_EDIT_DONE;
}

/* The tower of a row of the block. */
static uint32_t row_tower(const phx_block *block, uint32_t row)
{
    uint32_t low = 0, high = PHX_BLOCK_TOWERS;
    PHX_ASSERT(row >= block->start[0] && row < block->start[PHX_BLOCK_TOWERS]);
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (block->start[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

static void remove_row(phx_grid *grid, phx_store *store, uint32_t row, uint32_t *work)
{
    const uint32_t number = phx_grid_block_at(grid, row);
    phx_block *block = &grid->blocks[number];
    const float view = grid->rows.view[row];
    const phx_row_word word = phx_row_word_at(grid->rows.slot, row);
    const uint32_t moved = pull_towers(grid, store, block, row_tower(block, row), row);
    *work = *work > moved ? *work - moved : 0;
    grid->row_end = grid->blocks[grid->block_count - 1].start[PHX_BLOCK_TOWERS];
    grid->row_count--;
    phx_block_summary_remove(grid, number, view, word);
}

/* Edits the misplaced row of a slot. */
static phx_rows_edited edit_misplaced_row(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t slot, uint64_t tick,
                                          uint32_t *work)
{
    phx_body *body = &store->body[slot];
    const bool live = body->state & PHX_SLOT_LIVE;
    PHX_ASSERT((body->state & PHX_SLOT_ROW_MISPLACED) && (body->state & PHX_SLOT_ROW));
    if (*work == 0) return fall_back_to_sort(grid);
    berth to = {0};
    const phx_rows_edited found = live ? find_berth(grid, mem, store, slot, *work, &to) : PHX_EDIT_DONE;
    if (found != PHX_EDIT_DONE) return found;
    loose_row row = row_at(grid, body->row);
    remove_row(grid, store, body->row, work);
    body->state = (uint16_t)(body->state & ~(PHX_SLOT_ROW_MISPLACED | PHX_SLOT_ROW));
    if (live) to.gap = find_gap(grid, to.block, UINT32_MAX); /* there may be a nearer one now */
    if (live) insert_row(grid, store, &to, &row, tick, work);
    return PHX_EDIT_DONE;
}

phx_rows_edited phx_rows_edit(phx_grid *grid, phx_mem *mem, phx_store *store, uint64_t tick, uint32_t *work)
{
    PHX_ASSERT(!grid->needs_rebuild && !grid->sorting);
    for (; grid->misplaced_count > 0; grid->misplaced_count--) {
        const phx_rows_edited done =
            edit_misplaced_row(grid, mem, store, grid->misplaced[grid->misplaced_count - 1], tick, work);
        if (done != PHX_EDIT_DONE) return done;
    }
    return PHX_EDIT_DONE;
}
