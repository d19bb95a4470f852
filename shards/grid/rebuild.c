/*
 * Rows sorted by tower anew; see rebuild.h. In the index phase, by the shard's owner.
 */
#include "shards/grid/rebuild.h"

#include "shards/grid/blocks.h"
#include "shards/grid/row_sort.h"

enum { AHEAD = 16 }; /* rows ahead whose bodies, in no order of memory, are prefetched */

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

/* Finds the key of each row; blocks are made where there are none. false = no memory. */
static bool find_body_keys(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t total, uint32_t *key)
{
    uint32_t *slots = grid->rows.slot;
    phx_block *block = NULL;
    for (uint32_t i = 0; i < total; i++) {
        if (i + AHEAD < total) phx_row_await_body(&grid->rows, store, i + AHEAD);
        const phx_row_word word = phx_row_word_at(slots, i);
        const uint32_t slot = phx_row_word_slot(word);
        phx_body *body = &store->body[slot];
        key[i] = PHX_ROW_GONE;
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
        key[i] = phx_row_key((uint32_t)(block - grid->blocks), tower);
        slots[i] = phx_row_word_of(slot, body->state & PHX_SLOT_SPECIAL).bits;
    }
    return true;
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
        if (row + AHEAD < total) phx_row_await_body(&grid->rows, store, row + AHEAD);
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

bool phx_grid_rebuild(phx_grid *grid, phx_mem *mem, phx_store *store, const uint32_t *added, uint32_t added_count,
                      uint64_t tick, uint16_t stamp)
{
    uint64_t needed = (uint64_t)grid->row_end + added_count, rows_most = (uint64_t)grid->row_count + added_count;
    grid->needs_rebuild = true; /* until the rebuild is done */
    if (!grid->sorting && !phx_grid_tidy_blocks(grid, mem, tick)) return false;
    grid->sorting = true;
    grid->summaries_valid = false;
    uint64_t with_gaps = grid->wants_gaps ? rows_most + phx_row_gaps_wanted(grid, (uint32_t)rows_most) : 0;
    if (!phx_grid_rows_reserve(grid, mem, (uint32_t)(needed > with_gaps ? needed : with_gaps))) return false;
    const uint32_t total = append_rows(grid, store, added, added_count);
    if (!find_body_keys(grid, mem, store, total, phx_row_keys(grid))) return false;
    phx_rows_sort(grid, total);
    follow_bodies(grid, store, tick, stamp);
    grid->drift_bound = 0.0f;
    grid->misplaced_count = 0;
    grid->blocks_sorted = grid->block_count;
    grid->needs_rebuild = grid->positions_stale = grid->sorting = false;
    return true;
}
