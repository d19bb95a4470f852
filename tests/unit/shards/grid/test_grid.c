/*
 * shards/grid/grid.c: rows sorted by tower after every rebuild, blocks only where entities are,
 * the marks of changed towers, and rebuilds that stop for want of memory.
 */
#include "shards/grid/block_summary.h"
#include "shards/grid/prev_rows.h"
#include "unit/shards/grid/grid_case.h"

TestSuite(grid, .init = set_up, .fini = tear_down);

/* ---- the rows ---- */

Test(grid, an_empty_one_rebuilds_to_nothing)
{
    rebuild();
    cr_assert_eq(grid.row_count, 0);
    cr_assert_eq(grid.block_count, 0);
    cr_assert_null(phx_grid_block(&grid, 0, 3, 3));
    cr_assert_not(phx_grid_dirty(&grid, 0, (phx_rect){0, 0, TOWERS - 1, TOWERS - 1}, tick));
}

Test(grid, rows_of_a_block_lie_by_tower_and_in_the_order_of_coming)
{
    static const uint16_t at[][2] = {{9, 8}, {8, 9}, {8, 8}, {9, 8}, {15, 15}, {8, 8}, {8, 9}};
    static const uint32_t order[] = {2, 5, 0, 3, 1, 6, 4};
    for (size_t i = 0; i < 7; i++) cr_assert_eq(put(at[i][0], at[i][1]), i);
    rebuild();
    check_rows();
    cr_assert_eq(grid.block_count, 1);
    for (size_t row = 0; row < 7; row++) cr_assert_eq(grid.rows.slot[row], order[row]);
}

Test(grid, rows_agree_with_the_bodies_after_random_lives)
{
    uint64_t rng = 5;
    uint32_t most_blocks = 0;
    for (int round = 0; round < 400; round++) {
        uint32_t spread = round % 100 < 50 ? TOWERS : 20; /* all over the world, then in a crowd */
        for (uint32_t slot = 0; slot < store.slots; slot++) {
            if (!(store.body[slot].state & PHX_SLOT_LIVE)) continue;
            uint32_t what = phx_rng_below(&rng, 10);
            if (what == 0) phx_store_kill(&store, slot);
            else if (what < 5) move(slot, (uint16_t)phx_rng_below(&rng, spread), (uint16_t)phx_rng_below(&rng, spread));
            else if (what == 5) store.body[slot].state ^= PHX_SLOT_SPECIAL;
        }
        for (uint32_t n = phx_rng_below(&rng, 60); n > 0; n--)
            (void)put((uint16_t)phx_rng_below(&rng, spread), (uint16_t)phx_rng_below(&rng, spread));
        /* an entity that enters and leaves in one tick never has a row */
        if (added_count > 0 && phx_rng_below(&rng, 2)) phx_store_kill(&store, added[phx_rng_below(&rng, added_count)]);
        rebuild();
        check_rows();
        if (grid.block_count > most_blocks) most_blocks = grid.block_count;
        end_tick();
    }
    cr_assert_gt(most_blocks, 100);
}

/* ---- block summaries ---- */

static float some_view(uint64_t *rng)
{
    static const float views[] = {0, 0, 0, 10, 10, 25, -10, PHX_VIEW_LEFTOVER};
    return views[phx_rng_below(rng, sizeof views / sizeof *views)];
}

/* A block's summary against its rows, one by one. */
static void check_summaries(const phx_block *block)
{
    float reach = 0, reach_min = INFINITY, least = INFINITY;
    uint32_t observers = 0;
    for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++) {
        float view = grid.rows.view[row];
        if (view == 0) continue;
        observers++;
        reach = fmaxf(reach, fabsf(view));
        reach_min = fminf(reach_min, fabsf(view));
        least = fminf(least, view);
    }
    cr_assert_eq(block->observers, observers);
    cr_assert_eq(block->reach, reach);
    cr_assert_eq(block->reach_min, reach_min);
    cr_assert_eq(block->view_min, observers > 0 && least > 0 ? least : 0);
    bool special = false;
    for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++)
        special |= grid.rows.slot[row] >> 31;
    cr_assert_eq(block->special, special);
}

Test(grid, observers_are_known_by_block_and_by_row)
{
    enum { ROWS = 500, SPANS = 200 };
    uint64_t rng = 6;
    for (uint32_t i = 0; i < ROWS; i++) (void)put((uint16_t)phx_rng_below(&rng, 20), (uint16_t)phx_rng_below(&rng, 20));
    rebuild();
    for (uint32_t round = 0; round < SPANS; round++) {
        uint32_t found[ROWS + 1], first = phx_rng_below(&rng, ROWS), n = 0;
        phx_span span = {first, first + phx_rng_below(&rng, ROWS + 1 - first)};
        for (uint32_t row = 0; row < ROWS; row++) grid.rows.view[row] = round % 3 == 0 ? 10 : some_view(&rng);
        grid.summaries_valid = false;
        phx_block_summary_update(&grid);
        for (uint32_t b = 0; b < grid.block_count; b++) check_summaries(&grid.blocks[b]);
        uint32_t count = phx_grid_observers_in(&grid, span, found);
        for (uint32_t row = span.first; row < span.end; row++)
            if (grid.rows.view[row] != 0) cr_assert(n < count && found[n++] == row);
        cr_assert_eq(n, count);
    }
}

/* So few, or so many, that some, or all, rows are read; with a leftover view all are in any case. */
Test(grid, rows_that_changed_are_surveyed_anew)
{
    enum { ROWS = 500, ROUNDS = 300 };
    uint64_t rng = 7;
    for (uint32_t i = 0; i < ROWS; i++) (void)put((uint16_t)phx_rng_below(&rng, 40), (uint16_t)phx_rng_below(&rng, 40));
    rebuild();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool leftovers = round % 16 == 0;
        for (uint32_t row = 0; row < ROWS; row++) { /* of the round before */
            if (grid.rows.view[row] != PHX_VIEW_LEFTOVER) continue;
            grid.rows.view[row] = 0;
            phx_grid_changed(&grid, row, PHX_VIEW_LEFTOVER, phx_row_word_at(grid.rows.slot, row));
        }
        const uint32_t count = phx_rng_below(&rng, round % 4 == 0 ? 2 * PHX_BLOCK_STALE_MAX : 4);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t row = phx_rng_below(&rng, ROWS);
            const float view = some_view(&rng), before = grid.rows.view[row];
            const phx_row_word word = phx_row_word_at(grid.rows.slot, row);
            grid.rows.view[row] = view == PHX_VIEW_LEFTOVER && !leftovers ? 0 : view;
            if (phx_rng_below(&rng, 4) == 0) grid.rows.slot[row] ^= PHX_ROW_SPECIAL;
            phx_grid_changed(&grid, row, before, word);
        }
        phx_block_summary_update(&grid);
        for (uint32_t b = 0; b < grid.block_count; b++) check_summaries(&grid.blocks[b]);
        cr_assert(phx_block_summary_valid(&grid), "round %u", round);
    }
}

/* ---- rows of renewed observers ---- */

/* Of slots with a view alone: an attribute of observers is none of a mere target's. */
Test(grid, renewed_observers_are_found_by_their_rows)
{
    enum { ROWS = 500, ROUNDS = 60 };
    phx_prev_rows previous;
    phx_rules rules = {0};
    uint64_t rng = 11;
    phx_prev_rows_init(&previous, &memory);
    for (uint32_t i = 0; i < ROWS; i++) (void)put((uint16_t)phx_rng_below(&rng, 40), (uint16_t)phx_rng_below(&rng, 40));
    rebuild();
    cr_assert(phx_prev_rows_room(&previous, &memory, store.slots));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        bool is[ROWS] = {false};
        for (uint32_t row = 0; row < ROWS; row++) grid.rows.view[row] = some_view(&rng);
        for (uint32_t n = phx_rng_below(&rng, round % 2 ? 4 : 40); n > 0; n--) {
            const uint32_t slot = phx_rng_below(&rng, ROWS), row = store.body[slot].row;
            phx_prev_rows_renew(&previous, slot);
            is[row] = grid.rows.view[row] != 0.0f;
        }
        cr_assert(phx_prev_rows_find_renewed(&previous, &memory, &store, &grid));
        for (uint32_t i = 0; i < ROUNDS; i++) {
            const uint32_t first = phx_rng_below(&rng, ROWS), end = first + phx_rng_below(&rng, ROWS + 1 - first);
            bool any = false;
            for (uint32_t row = first; row < end; row++) any |= is[row];
            cr_assert_eq(phx_prev_rows_any_renewed(&previous, (phx_span){first, end}), any, "%u, %u", first, end);
        }
        for (uint32_t row = 0; row < ROWS; row++) cr_assert_eq(phx_prev_rows_renewed(&previous, row), is[row]);
        phx_prev_rows_end(&previous, &store, &grid, &rules);
    }
    phx_prev_rows_free(&previous, &memory);
}

Test(grid, the_check_of_a_grid_sees_each_thing_that_can_be_wrong)
{
    for (uint16_t i = 0; i < 20; i++) (void)put(i, i);
    rebuild();
    phx_body *body = &store.body[3];
    phx_body before = *body;
    body->x += 1;
    cr_assert_not(phx_grid_valid(&grid, &store), "a row's x");
    *body = before;
    body->y += 1;
    cr_assert_not(phx_grid_valid(&grid, &store), "a row's y");
    *body = before;
    body->tx++;
    cr_assert_not(phx_grid_valid(&grid, &store), "a tower of the block");
    *body = before;
    body->tx = 900;
    cr_assert_not(phx_grid_valid(&grid, &store), "a tower without a block");
    *body = before;
    body->row = store.body[4].row;
    cr_assert_not(phx_grid_valid(&grid, &store), "another's row");
    *body = before;
    body->row = 20;
    cr_assert_not(phx_grid_valid(&grid, &store), "no row");
    *body = before;
    body->state &= (uint16_t)~PHX_SLOT_ROW;
    cr_assert_not(phx_grid_valid(&grid, &store), "not in the grid");
    *body = before;
    body->state = PHX_SLOT_DEAD;
    cr_assert_not(phx_grid_valid(&grid, &store), "a row too many");
    *body = before;
    set_attr(&store, 3, plain_attr(5, 0));
    cr_assert_not(phx_grid_valid(&grid, &store), "a view that the row does not know");
    set_attr(&store, 3, (phx_attr){0});
    cr_assert(phx_grid_valid(&grid, &store));
}

/* ---- blocks ---- */

Test(grid, blocks_are_made_where_an_entity_is)
{
    (void)put(0, 0);
    (void)put(7, 7);
    (void)put(8, 7);
    (void)put(999, 999);
    rebuild();
    cr_assert_eq(grid.block_count, 3);
    cr_assert_not_null(phx_grid_block(&grid, 0, 0, 0));
    cr_assert_not_null(phx_grid_block(&grid, 0, 1, 0));
    cr_assert_not_null(phx_grid_block(&grid, 0, 124, 124));
    cr_assert_null(phx_grid_block(&grid, 0, 0, 1));
    cr_assert_null(phx_grid_block(&grid, 0, 124, 123));
}

Test(grid, blocks_that_are_mostly_empty_are_dropped)
{
    enum { BLOCKS = 200 };
    for (uint32_t i = 0; i < BLOCKS; i++) (void)put((uint16_t)(i % 20 * 8), (uint16_t)(i / 20 * 8));
    rebuild();
    cr_assert_eq(grid.block_count, BLOCKS);
    for (uint32_t slot = 0; slot < 90; slot++) move(slot, 0, 0);
    rebuild(); /* 89 are empty from now on: not yet the half */
    end_tick();
    rebuild();
    cr_assert_eq(grid.block_count, BLOCKS);
    for (uint32_t slot = 90; slot < 120; slot++) move(slot, 0, 0);
    rebuild();
    end_tick();
    rebuild(); /* drops them */
    cr_assert_eq(grid.block_count, BLOCKS - 119);
    check_rows();
    cr_assert_null(phx_grid_block(&grid, 0, 1, 0), "moved away");
    cr_assert_not_null(phx_grid_block(&grid, 0, 0, 0));
    cr_assert_not_null(phx_grid_block(&grid, 0, 19, 9));
    move(150, 8, 0);
    rebuild();
    cr_assert_not_null(phx_grid_block(&grid, 0, 1, 0), "and made again");
    check_rows();
}

/* Of the first blocks, does each aligned square of so many have its own side by side? */
static bool side_by_side(uint32_t count, uint32_t bits)
{
    for (uint32_t b = 1; b < count; b++) {
        const phx_block *last = &grid.blocks[b - 1], *block = &grid.blocks[b];
        if (block->bx >> bits == last->bx >> bits && block->by >> bits == last->by >> bits) continue;
        for (uint32_t i = 0; i < b; i++)
            if (grid.blocks[i].bx >> bits == block->bx >> bits && grid.blocks[i].by >> bits == block->by >> bits)
                return false;
    }
    return true;
}

static bool ordered(uint32_t count)
{
    for (uint32_t bits = 0; bits < 13; bits++) /* a world has up to 8,192 blocks along an axis */
        if (!side_by_side(count, bits)) return false;
    return true;
}

Test(grid, blocks_near_each_other_get_numbers_near_each_other)
{
    enum { SIDE = 12, BLOCKS = SIDE * SIDE, FEW = 10, MORE = 30 }; /* more than an eighth */
    enum { STRIDE = 55, STEP = 7 }; /* no divisors of BLOCKS, of MORE: each once, all over the place */
    for (uint32_t i = 0, at = 0; i < BLOCKS; i++, at = (at + STRIDE) % BLOCKS)
        (void)put((uint16_t)(at % SIDE * 8), (uint16_t)(at / SIDE * 8 + 400));
    rebuild();
    cr_assert_not(ordered(BLOCKS), "as they were made");
    end_tick();
    rebuild();
    cr_assert(ordered(BLOCKS));
    check_rows();
    for (uint32_t i = 0; i < FEW; i++) (void)put((uint16_t)(i % 2 * 8), (uint16_t)(i * STEP % MORE * 8));
    for (uint32_t round = 0; round < 2; round++, end_tick()) rebuild();
    cr_assert_eq(grid.block_count, BLOCKS + FEW);
    cr_assert(ordered(BLOCKS), "few new ones change nothing");
    cr_assert_not(ordered(BLOCKS + FEW));
    for (uint32_t i = FEW; i < MORE; i++) (void)put((uint16_t)(i % 2 * 8), (uint16_t)(i * STEP % MORE * 8));
    for (uint32_t round = 0; round < 2; round++, end_tick()) rebuild();
    cr_assert(ordered(BLOCKS + MORE), "more do");
    check_rows();
}

Test(grid, blocks_far_from_each_other_get_numbers_in_order_too)
{
    enum { SIDE = 12, BLOCKS = SIDE * SIDE, STRIDE = 55, APART = 744 };
    tear_down();
    make(65535, 65535);
    for (uint32_t i = 0, at = 0; i < BLOCKS; i++, at = (at + STRIDE) % BLOCKS)
        (void)put((uint16_t)(at % SIDE * APART * 8), (uint16_t)(at / SIDE * APART * 8));
    for (uint32_t round = 0; round < 2; round++, end_tick()) rebuild();
    cr_assert(ordered(BLOCKS));
    cr_assert_eq(grid.blocks[BLOCKS - 1].bx, (SIDE - 1) * APART, "the farthest one is the last");
    check_rows();
}

static void check_block_of_each_row(void)
{
    for (uint32_t b = 0; b < grid.block_count; b++)
        for (uint32_t row = grid.blocks[b].start[0]; row < phx_grid_block_end(&grid, b); row++)
            cr_assert_eq(phx_grid_block_at(&grid, row), b, "row %u", row);
}

Test(grid, the_block_of_a_row_is_found_wherever_rows_are)
{
    enum { SIDE = 10, BLOCKS = SIDE * SIDE };
    for (uint32_t crowded = 0; crowded < BLOCKS; crowded += BLOCKS / 4 + BLOCKS / 8) { /* the first, two more */
        for (uint32_t b = 0; b < BLOCKS; b++)
            for (uint32_t i = 0; i < (b == crowded ? 500 : b % 3); i++)
                (void)put((uint16_t)(b % SIDE * 8), (uint16_t)(b / SIDE * 8));
        for (uint32_t round = 0; round < 2; round++, end_tick()) rebuild();
        check_block_of_each_row();
    }
    for (uint32_t slot = 0; slot < 300; slot++) move(slot, 0, 0);
    rebuild();
    check_block_of_each_row(); /* some have no row */
}

Test(grid, blocks_at_the_edge_have_towers_there)
{
    const uint32_t towers[2] = {25, 16}; /* four blocks along x, the last with one tower, and two along y */
    for (uint16_t by = 0; by < 2; by++)
        for (uint16_t bx = 0; bx < 4; bx++) cr_assert(phx_block_at_edge(&(phx_block){.bx = bx, .by = by}, towers));
    const uint32_t more[2] = {25, 17};
    for (uint16_t bx = 0; bx < 4; bx++)
        cr_assert_eq(phx_block_at_edge(&(phx_block){.bx = bx, .by = 1}, more), bx == 0 || bx == 3);
}

Test(grid, few_blocks_are_kept)
{
    for (uint16_t i = 0; i < 60; i++) (void)put((uint16_t)(i * 8), 0);
    rebuild();
    for (uint32_t slot = 0; slot < 60; slot++) move(slot, 0, 0);
    rebuild();
    end_tick();
    rebuild();
    cr_assert_eq(grid.block_count, 60);
}

Test(grid, dropping_blocks_keeps_the_marks_of_the_others)
{
    for (uint16_t i = 0; i < 100; i++) (void)put((uint16_t)(i * 8), 0);
    rebuild();
    for (uint32_t slot = 0; slot < 90; slot++) move(slot, 0, 0);
    rebuild();
    end_tick();
    move(95, 95 * 8 + 1, 0); /* marks the tower it leaves in the block, that moves up */
    rebuild();
    cr_assert_lt(grid.block_count, 20);
    cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){95 * 8, 0, 95 * 8, 0}, tick));
    cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){95 * 8 + 1, 0, 95 * 8 + 1, 0}, tick));
    cr_assert_not(phx_grid_dirty(&grid, 0, (phx_rect){95 * 8 + 2, 0, 999, 999}, tick));
    cr_assert_not(phx_grid_dirty(&grid, 0, (phx_rect){0, 0, 95 * 8 - 1, 999}, tick));
}

Test(grid, the_corners_of_the_largest_world_have_blocks)
{
    tear_down();
    make(65535, 65535);
    static const uint16_t axis[] = {0, 7, 8, 511, 512, 32767, 65527, 65528, 65534};
    enum { N = sizeof axis / sizeof *axis };
    for (size_t i = 0; i < N * N; i++) (void)put(axis[i % N], axis[i / N]);
    rebuild();
    check_rows();
    for (size_t i = 0; i < N * N; i++) {
        phx_rect one = {axis[i % N], axis[i / N], axis[i % N], axis[i / N]};
        cr_assert_not(phx_grid_dirty(&grid, 0, one, tick));
        phx_grid_mark_dirty(&grid, 0, one.x0, one.y0, tick, false);
        cr_assert(phx_grid_dirty(&grid, 0, one, tick));
    }
}

Test(grid, an_empty_world_costs_nothing_however_large)
{
    tear_down();
    make(2000, 2000); /* 100 km by 100 km, towers of 50 m */
    rebuild();
    cr_assert_lt(atomic_load(&watched.bytes), 20000, "%zu bytes", (size_t)atomic_load(&watched.bytes));
    uint64_t before = atomic_load(&watched.bytes);
    (void)put(1000, 1000);
    rebuild();
    uint64_t leaf = 4 * PHX_LEAF_SIDE * PHX_LEAF_SIDE;
    uint64_t slots = store.capacity * 200u, rows = grid.rows_capacity * 40u;
    cr_assert_lt(atomic_load(&watched.bytes) - before, leaf + slots + rows + 8000);
}

/* ---- marks ---- */

static bool marked[TOWERS][TOWERS];

static bool any_marked(phx_rect rect)
{
    for (uint32_t y = rect.y0; y <= rect.y1; y++)
        for (uint32_t x = rect.x0; x <= rect.x1; x++)
            if (marked[y][x]) return true;
    return false;
}

static phx_rect random_rect(uint64_t *rng, uint32_t side)
{
    uint32_t x = phx_rng_below(rng, TOWERS), y = phx_rng_below(rng, TOWERS);
    uint32_t w = phx_rng_below(rng, side), h = phx_rng_below(rng, side);
    uint32_t x1 = x + w < TOWERS ? x + w : TOWERS - 1, y1 = y + h < TOWERS ? y + h : TOWERS - 1;
    return (phx_rect){(uint16_t)x, (uint16_t)y, (uint16_t)x1, (uint16_t)y1};
}

/* Marks at random, many or few blocks about them: rectangles of fewer blocks than there are, and of more. */
static void check_touched(uint32_t entities, uint64_t seed)
{
    uint64_t rng = seed;
    uint32_t yes = 0, no = 0;
    for (uint32_t i = 0; i < entities; i++)
        (void)put((uint16_t)phx_rng_below(&rng, TOWERS), (uint16_t)phx_rng_below(&rng, TOWERS));
    rebuild();
    for (int round = 0; round < 30; round++) {
        end_tick();
        memset(marked, 0, sizeof marked);
        for (uint32_t i = phx_rng_below(&rng, 400); i > 0; i--) {
            const phx_body *body = &store.body[phx_rng_below(&rng, entities)];
            uint16_t x = (uint16_t)phx_rng_below(&rng, TOWERS), y = (uint16_t)phx_rng_below(&rng, TOWERS);
            if (i % 2) x = (uint16_t)(body->tx / 8 * 8 + x % 8u), y = (uint16_t)(body->ty / 8 * 8 + y % 8u);
            phx_grid_mark_dirty(&grid, 0, x, y, tick, phx_rng_below(&rng, 2));
            if (phx_grid_block(&grid, 0, x / 8u, y / 8u)) marked[y][x] = true;
        }
        for (int i = 0; i < 2000; i++) {
            phx_rect rect = random_rect(&rng, i % 2 ? 12 : i % 4 ? 120 : TOWERS);
            bool touched = any_marked(rect);
            cr_assert_eq(phx_grid_dirty(&grid, 0, rect, tick), touched);
            if (touched) yes++;
            else no++;
        }
        phx_rect all = {0, 0, TOWERS - 1, TOWERS - 1};
        cr_assert_not(phx_grid_dirty(&grid, 0, all, tick + 1), "of this tick only");
    }
    cr_assert_gt(yes, 1000);
    cr_assert_gt(no, 1000);
}

Test(grid, dirty_agrees_with_a_check_of_every_tower)
{
    check_touched(2000, 6);
}

Test(grid, dirty_towers_are_found_among_few_blocks)
{
    check_touched(12, 7);
}

/* A mark of one tower, seen by every rectangle of a block with one corner in it. */
Test(grid, every_tower_of_a_block_has_its_own_mark)
{
    (void)put(16, 24);
    rebuild();
    for (uint16_t y = 0; y < 8; y++) {
        for (uint16_t x = 0; x < 8; x++) {
            tick++;
            phx_grid_mark_dirty(&grid, 0, (uint16_t)(16 + x), (uint16_t)(24 + y), tick, false);
            for (uint16_t cy = 0; cy < 8; cy++)
                for (uint16_t cx = 0; cx < 8; cx++) {
                    phx_rect low = {10, 20, (uint16_t)(16 + cx), (uint16_t)(24 + cy)};
                    phx_rect high = {(uint16_t)(16 + cx), (uint16_t)(24 + cy), 40, 40};
                    cr_assert_eq(phx_grid_dirty(&grid, 0, low, tick), x <= cx && y <= cy);
                    cr_assert_eq(phx_grid_dirty(&grid, 0, high, tick), x >= cx && y >= cy);
                }
        }
    }
}

static bool is_discontinuous(uint16_t tx, uint16_t ty)
{
    const phx_block *block = phx_grid_block(&grid, 0, tx / 8u, ty / 8u);
    return block->dirty_tick == tick && (block->discontinuous >> phx_block_tower(tx, ty) & 1);
}

Test(grid, a_discontinuous_tower_is_marked_dirty_too)
{
    uint32_t slot = put(5, 5), other = put(6, 5);
    store.body[slot].changed = STAMP;
    store.body[slot].state |= PHX_SLOT_DISCONTINUOUS;
    rebuild();
    cr_assert(is_discontinuous(5, 5));
    cr_assert_not(is_discontinuous(6, 5));
    end_tick();
    cr_assert_not(is_discontinuous(5, 5));
    phx_grid_mark_dirty(&grid, 0, 5, 5, tick, false);
    cr_assert_not(is_discontinuous(5, 5), "nothing is left of the tick before");
    phx_grid_mark_dirty(&grid, 0, 6, 5, tick, true);
    phx_grid_mark_dirty(&grid, 0, 6, 5, tick, false);
    cr_assert(is_discontinuous(6, 5));
    cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){6, 5, 6, 5}, tick));
    move(other, 7, 7);
    rebuild();
    cr_assert_not(is_discontinuous(5, 5), "odd lately, not now");
    cr_assert_not(is_discontinuous(7, 7));
    cr_assert(is_discontinuous(6, 5), "a rebuild keeps marks");
}

Test(grid, the_view_column_has_all_that_a_delta_needs)
{
    uint32_t slot = put(5, 5);
    static const struct {
        const char *what;
        phx_attr attr;
        uint32_t listed, state;
        float view;
    } rows[] = {
        {"a plain observer", {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .view = 7, .ready = true}, 0, 0, 7},
        {"a target", {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .ready = true}, 0, 0, 0},
        {"one with a list left over",
         {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .ready = true},
         2,
         0,
         PHX_VIEW_LEFTOVER},
        {"not ready", {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .view = 7}, 0, 0, 0},
        {"a margin",
         {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .view = 7, .margin = 1, .ready = true},
         0,
         0,
         -8},
        {"a cap", {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .view = 7, .cap = 1, .ready = true}, 0, 0, -7},
        {"other layers", {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 6, .view = 7, .ready = true}, 0, 0, 7},
        {"other layers and bands",
         {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 6, .view = 7, .ready = true, .banded = true},
         0,
         0,
         -7},
        {"relations",
         {.layers = 1, .visible = PH_LENGTH_MAX, .sees = 1, .view = 7, .ready = true},
         0,
         PHX_SLOT_RELATED,
         -7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_attr(&store, slot, rows[i].attr);
        store.tail[slot].list.count = rows[i].listed & PHX_LIST_COUNT_MAX;
        store.body[slot].state = (uint16_t)(PHX_SLOT_OWN | rows[i].state);
        cr_assert_eq(phx_grid_view(&store, slot), rows[i].view, "%s", rows[i].what);
        store.body[slot].state = (uint16_t)(PHX_SLOT_GHOST | rows[i].state);
        cr_assert_eq(phx_grid_view(&store, slot), 0, "a ghost's list is elsewhere");
    }
    store.body[slot].state = PHX_SLOT_OWN;
    store.tail[slot].list.count = 0;
    set_attr(&store, slot, plain_attr(7, 0));
    rebuild();
    cr_assert_eq(grid.rows.view[0], 7, "a new row has it");
}

Test(grid, a_rebuild_marks_where_the_changed_stand)
{
    uint32_t slot = put(5, 5), other = put(6, 5);
    store.body[slot].changed = STAMP;
    store.body[other].changed = STAMP - 1; /* in the tick before */
    rebuild();
    cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){5, 5, 5, 5}, tick));
    cr_assert_not(phx_grid_dirty(&grid, 0, (phx_rect){6, 5, 6, 5}, tick));
    end_tick();
    cr_assert_not(phx_grid_dirty(&grid, 0, (phx_rect){0, 0, 20, 20}, tick));
    move(slot, 700, 700);
    rebuild();
    cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){5, 5, 5, 5}, tick), "left");
    cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){700, 700, 700, 700}, tick), "came");
}

/* ---- no memory ---- */

/* A rebuild that needs rows, leaves and blocks. */
static void fill_for_rebuild(void)
{
    for (uint16_t i = 0; i < 90; i++) (void)put((uint16_t)(i * 8), 0);
    rebuild();
    for (uint32_t slot = 0; slot < 80; slot++) move(slot, 0, 0);
    rebuild();
    end_tick(); /* most blocks are empty: the next rebuild drops them */
    for (uint32_t slot = 0; slot < 10; slot++) phx_store_kill(&store, slot);
    move(85, 900, 900);
    move(20, 300, 700);
    for (uint16_t i = 0; i < 1000; i++) (void)put((uint16_t)(i % 40 * 8), (uint16_t)(i / 40 * 24));
}

Test(grid, a_rebuild_stopped_anywhere_goes_on)
{
    uint32_t stops = 0;
    for (uint64_t calls = 0;; calls++) {
        fill_for_rebuild();
        memory_for(calls);
        bool done = rebuilt();
        memory_enough();
        stops += !done;
        if (done) added_count = 0;
        rebuild();
        check_rows();
        cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){900, 900, 900, 900}, tick));
        cr_assert(phx_grid_dirty(&grid, 0, (phx_rect){85 * 8, 0, 85 * 8, 0}, tick));
        cr_assert_eq(grid.row_count, 1080);
        if (done) break;
        added_count = 0;
        tear_down();
        set_up();
    }
    cr_assert_gt(stops, 8);
}

Test(grid, a_rebuild_stopped_again_and_again_ends)
{
    fill_for_rebuild();
    for (uint64_t calls = 0;; calls++) {
        memory_for(calls % 8);
        bool done = rebuilt();
        memory_enough();
        if (done) break;
        cr_assert_lt(calls, 500);
    }
    added_count = 0;
    cr_assert(phx_grid_valid(&grid, &store));
    check_rows();
}
