/*
 * shards/grid/drift_sort.c: rows sorted by the places of the last tick's end, against rows taken one by one.
 */
#include "shards/grid/row_sort.h" /* before the names of the case */

#include "unit/shards/grid/grid_case.h"

#include "shards/grid/drift_sort.h"
#include "shards/grid/row_edit.h"

#define SIDE 10.0f

enum { ACROSS = 20, COUNT = 601 }; /* towers; entities: three blocks along an axis, the last ones cut by the border */
enum { ELSEWHERE = 3 };            /* an instance */

static phx_rules rules;

/* Also somewhat outside of all towers. */
static float somewhere(uint64_t *rng)
{
    return float_between(rng, -15.0f, SIDE * ACROSS + 15.0f) + rules.origin[0];
}

static void put_at(phx_body *body, float x, float y)
{
    body->x = x;
    body->y = y;
    body->tx = phx_tower_index(&rules, 0, x);
    body->ty = phx_tower_index(&rules, 1, y);
}

static void open_drift(void)
{
    make(ACROSS, ACROSS);
    rules = plain_rules(SIDE, ACROSS);
    rules.origin[0] = rules.origin[1] = -37.5f;
}

TestSuite(drift_sort, .init = open_drift, .fini = tear_down);

static uint32_t row_before[COUNT]; /* by slot */

/* A dense tick: all step, by less than a tower; rows are left alone. */
static void step_all(uint64_t *rng, float most)
{
    for (uint32_t slot = 0; slot < store.slots; slot++) {
        phx_body *body = &store.body[slot];
        row_before[slot] = body->row;
        put_at(body, body->x + float_between(rng, -most, most), body->y + float_between(rng, -most, most));
        body->changed = STAMP;
        cr_assert(phx_grid_block_visit(&grid, &memory, phx_store_instance(&store, slot), body->tx, body->ty));
    }
    grid.positions_stale = true;
}

/* The tower of a row's range, in its entity's instance. */
static void check_tower(uint32_t row, uint16_t tx, uint16_t ty)
{
    const uint32_t instance = phx_store_instance(&store, phx_row_slot(&grid.rows, row));
    const phx_block *block = phx_grid_block(&grid, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    const uint32_t tower = phx_block_tower(tx, ty);
    cr_assert(block && row >= block->start[tower] && row < block->start[tower + 1], "row %u, tower %u, %u", row, tx,
              ty);
}

/* Every row by hand. Of slots with `lost` the old position is not known. */
static void check_drifted(uint32_t lost)
{
    uint32_t rows = 0, place = 0;
    for (uint32_t slot = 0; slot < store.slots; slot++) {
        const phx_body *body = &store.body[slot];
        const uint32_t row = body->row;
        cr_assert_eq(phx_row_slot(&grid.rows, row), slot);
        cr_assert(grid.rows.x[row] == body->x && grid.rows.y[row] == body->y);
        cr_assert_eq(grid.rows.view[row], phx_grid_view(&store, slot));
        if (lost > 0 && slot % lost == 0) {
            cr_assert(isnan(grid.rows.ox[row]));
            check_tower(row, body->tx, body->ty);
            continue;
        }
        check_old(row, slot);
        check_tower(row, phx_tower_index(&rules, 0, old[slot].x), phx_tower_index(&rules, 1, old[slot].y));
    }
    for (uint32_t b = 0; b < grid.block_count; b++) {
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++)
            for (uint32_t row = grid.blocks[b].start[t]; row + 1 < grid.blocks[b].start[t + 1]; row++)
                cr_assert_lt(row_before[phx_row_slot(&grid.rows, row)], row_before[phx_row_slot(&grid.rows, row + 1)]);
        cr_assert_eq(grid.blocks[b].start[0], place);
        for (; place < grid.blocks[b].start[PHX_BLOCK_TOWERS]; place++) rows++;
        for (; place < phx_grid_block_end(&grid, b); place++)
            cr_assert(grid.rows.slot[place] == phx_row_word_gap().bits && grid.rows.view[place] == 0.0f);
    }
    cr_assert(place == grid.row_end && rows == grid.row_count && rows == store.slots);
}

/* In two instances. */
static void enter_all(uint64_t *rng, bool gaps)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t slot = put(0, 0);
        put_at(&store.body[slot], somewhere(rng), somewhere(rng));
        phx_attr attr = plain_attr(i % 3 ? 10 : 0, 0);
        attr.instance = i % 2 ? ELSEWHERE : 0;
        store.body[slot].state |= i % 2 ? PHX_SLOT_APART : 0;
        set_attr(&store, slot, attr);
    }
    grid.wants_gaps = gaps;
    rebuild();
    end_tick();
    cr_assert_eq(grid.block_count, 2 * 9);
    cr_assert_eq(grid.row_end > grid.row_count, gaps);
}

/* As where there is no memory; the key of the last block's last tower is no gap's. */
Test(drift_sort, blocks_have_keys)
{
    const phx_block first = {0};
    phx_block *blocks = grid.blocks;
    cr_assert(phx_row_key(PHX_GRID_BLOCKS_MAX - 1, PHX_BLOCK_TOWERS - 1) < PHX_ROW_GONE);
    cr_assert((uint64_t)(PHX_GRID_BLOCKS_MAX + 1) * sizeof first > UINT32_MAX * sizeof(uint32_t));
    grid.block_count = PHX_GRID_BLOCKS_MAX;
    const uint64_t calls = watched.calls;
    cr_assert_not(phx_grid_block_visit(&grid, &memory, 0, 5, 5));
    cr_assert(watched.calls == calls && grid.blocks == blocks && grid.block_count == PHX_GRID_BLOCKS_MAX);
    grid.block_count = 0;
    cr_assert(phx_grid_block_visit(&grid, &memory, 0, 5, 5));
}

/* Rows go to other towers and blocks, and to none outside; with gaps and without. */
Test(drift_sort, rows_stand_where_the_last_tick_ended)
{
    for (int gaps = 0; gaps <= 1; gaps++) {
        uint64_t rng = 41;
        enter_all(&rng, gaps);
        for (int t = 0; t < 40; t++) {
            step_all(&rng, 4.0f);
            grid.drift_bound = 1.0f;
            phx_grid_sort_drifted(&grid, &rules, &store);
            cr_assert(grid.drift_bound == 0.0f && !grid.positions_stale && !grid.summaries_valid);
            check_drifted(0);
            phx_grid_end_tick(&grid, false);
            for (uint32_t slot = 0; slot < store.slots; slot++) {
                old[slot].x = store.body[slot].x;
                old[slot].y = store.body[slot].y;
            }
        }
        tear_down();
        open_drift();
    }
}

/* A second call, after there was no memory, finds rows that were inserted in the first one. */
Test(drift_sort, rows_without_an_old_position_follow_their_body)
{
    enum { LOST = 5 };
    uint64_t rng = 43;
    enter_all(&rng, false);
    step_all(&rng, 4.0f);
    for (uint32_t slot = 0; slot < store.slots; slot += LOST) {
        const uint32_t row = store.body[slot].row;
        grid.rows.ox[row] = grid.rows.oy[row] = NAN;
    }
    phx_grid_sort_drifted(&grid, &rules, &store);
    check_drifted(LOST);
}

/* Misplaced rows stay so, where they were, until they are edited. */
Test(drift_sort, a_row_of_a_body_that_jumped_stands_where_it_was)
{
    uint64_t rng = 47;
    enter_all(&rng, false);
    step_all(&rng, 4.0f);
    put_at(&store.body[7], somewhere(&rng), somewhere(&rng));
    phx_grid_misplace(&grid, &store.body[7], 7);
    phx_grid_sort_drifted(&grid, &rules, &store);
    cr_assert(grid.misplaced_count == 1 && (store.body[7].state & PHX_SLOT_ROW_MISPLACED));
    check_drifted(0);
}
