/*
 * Shared by the tests of the grid: a grid with a store, a shard's work on bodies, and checks of all rows one
 * by one. One thread; every file has its own copy.
 */
#ifndef UNIT_GRID_CASE_H
#define UNIT_GRID_CASE_H

#include "unit/shards/shard_case.h"

#include "shards/grid/blocks.h"
#include "shards/grid/grid.h"
#include "shards/grid/rebuild.h"

enum { TOWERS = 1000, STAMP = 5 };

static phx_store store;
static phx_grid grid;
static uint64_t tick;
static uint32_t added[4096];
static uint32_t added_count;
static bool unmarked; /* a row put in this tick is not marked as changed, as an entity would be */
static struct {
    bool here; /* at the last tick's end */
    float x, y;
} old[8192]; /* by slot */

static inline void make(uint32_t width, uint32_t height)
{
    uint32_t towers[2] = {width, height};
    memory_set_up();
    phx_store_init(&store, &memory);
    cr_assert(phx_grid_init(&grid, &memory, towers));
    tick = 100;
}

static inline void set_up(void)
{
    make(TOWERS, TOWERS);
}

static inline void tear_down(void)
{
    memset(old, 0, sizeof old);
    phx_grid_free(&grid, &memory);
    phx_store_free(&store, &memory);
    memory_tear_down();
}

/* ---- a shard's work on bodies ---- */

static inline void place(uint32_t slot, uint16_t tx, uint16_t ty)
{
    static float x = 0; /* every place is another position */
    phx_body *body = &store.body[slot];
    body->tx = tx;
    body->ty = ty;
    body->x = x += 0.25f;
    body->y = -x;
}

static inline uint32_t put(uint16_t tx, uint16_t ty)
{
    static uint64_t id = 0;
    cr_assert(phx_store_reserve(&store, &memory, 1));
    uint32_t slot = phx_store_add(&store, ++id, PHX_SLOT_OWN);
    place(slot, tx, ty);
    added[added_count++] = slot;
    unmarked = true;
    return slot;
}

static inline void move(uint32_t slot, uint16_t tx, uint16_t ty)
{
    phx_body *body = &store.body[slot];
    if (body->changed != STAMP) phx_grid_mark_dirty(&grid, 0, body->tx, body->ty, tick, false);
    body->changed = STAMP;
    place(slot, tx, ty);
    grid.needs_rebuild = true;
}

static inline bool rebuilt(void)
{
    return phx_grid_rebuild(&grid, &memory, &store, added, added_count, tick, STAMP);
}

static inline void rebuild(void)
{
    cr_assert(rebuilt());
    added_count = 0;
    cr_assert_not(grid.needs_rebuild);
    cr_assert(phx_grid_valid(&grid, &store));
}

/* The tick ends: nothing is changed any more, new places are old ones, the dead go. */
static inline void end_tick(void)
{
    phx_grid_end_tick(&grid, tick % 2 == 0 && !unmarked);
    unmarked = false;
    cr_assert(phx_grid_in_order(&grid));
    for (uint32_t slot = 0; slot < store.slots; slot++) {
        old[slot].here = store.body[slot].state & PHX_SLOT_LIVE;
        old[slot].x = store.body[slot].x;
        old[slot].y = store.body[slot].y;
    }
    for (uint32_t slot = 0; slot < store.slots; slot++) store.body[slot].changed = 0;
    phx_store_bury(&store);
    tick++;
}

/* A row remembers where its entity was at the last tick's end, or that it was not here. */
static inline void check_old(uint32_t row, uint32_t slot)
{
    float ox = grid.rows.ox[row], oy = grid.rows.oy[row];
    if (old[slot].here) cr_assert(ox == old[slot].x && oy == old[slot].y);
    else cr_assert(isnan(ox) && isnan(oy));
}

/* Every row by hand: its slot, position, tower, mark; every tower's range. */
static inline void check_rows(void)
{
    uint32_t next = 0, live = 0;
    for (uint32_t b = 0; b < grid.block_count; b++) {
        const phx_block *block = &grid.blocks[b];
        cr_assert_eq(phx_grid_block(&grid, 0, block->bx, block->by), block, "the table finds it");
        cr_assert_eq(block->start[0], next, "blocks follow one another");
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
            cr_assert_leq(block->start[t], block->start[t + 1]);
            for (uint32_t row = block->start[t]; row < block->start[t + 1]; row++) {
                uint32_t slot = grid.rows.slot[row] & PHX_ROW_SLOT;
                const phx_body *body = &store.body[slot];
                cr_assert(body->state & PHX_SLOT_LIVE);
                cr_assert_eq(body->row, row);
                cr_assert_eq(body->tx, block->bx * PHX_BLOCK_SIDE + t % PHX_BLOCK_SIDE);
                cr_assert_eq(body->ty, block->by * PHX_BLOCK_SIDE + t / PHX_BLOCK_SIDE);
                cr_assert_eq(grid.rows.x[row], body->x);
                cr_assert_eq(grid.rows.y[row], body->y);
                cr_assert_eq(phx_grid_moved(&grid, row), body->changed == STAMP);
                cr_assert_eq(!!(grid.rows.slot[row] & PHX_ROW_SPECIAL), !!(body->state & PHX_SLOT_SPECIAL));
                cr_assert_eq(grid.rows.view[row], phx_grid_view(&store, slot));
                check_old(row, slot);
            }
        }
        for (next = block->start[PHX_BLOCK_TOWERS]; next < phx_grid_block_end(&grid, b); next++) {
            cr_assert_eq(grid.rows.slot[next], phx_row_word_gap().bits);
            cr_assert_eq(grid.rows.view[next], 0);
            cr_assert_not(phx_grid_moved(&grid, next));
        }
    }
    for (uint32_t slot = 0; slot < store.slots; slot++) {
        bool lives = store.body[slot].state & PHX_SLOT_LIVE;
        cr_assert_eq(!!(store.body[slot].state & PHX_SLOT_ROW), lives);
        live += lives;
    }
    cr_assert_eq(next, grid.row_end);
    cr_assert_eq(live, grid.row_count);
}

#endif
