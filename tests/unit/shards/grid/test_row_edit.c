/*
 * shards/grid/row_edit.c: rows inserted, removed and relocated one by one equal the rows of a rebuild,
 * whether there are gaps or not, however much memory there is; and too many are left to the rebuild.
 */
#include "shards/grid/block_summary.h"
#include "shards/grid/row_edit.h"
#include "unit/shards/grid/grid_case.h"

static void set_up_edit(void)
{
    make(TOWERS, TOWERS);
}

TestSuite(row_edit, .init = set_up_edit, .fini = tear_down);

/* ---- a tick of few ---- */

static uint64_t rng;

static uint16_t some_tower(uint32_t spread)
{
    return (uint16_t)phx_rng_below(&rng, spread);
}

static uint32_t enter(uint16_t tx, uint16_t ty)
{
    static const float views[] = {0, 0, 10, 25};
    const uint32_t slot = put(tx, ty);
    set_attr(&store, slot, plain_attr(views[phx_rng_below(&rng, 4)], 0));
    if (phx_rng_below(&rng, 8) == 0) store.body[slot].state |= PHX_SLOT_SPECIAL;
    store.body[slot].state |= PHX_SLOT_DISCONTINUOUS;
    store.body[slot].changed = STAMP;
    return slot;
}

/* As a shard does: the old tower is marked, the row stays where it is. */
static void touch(phx_body *body)
{
    if (body->changed != STAMP) phx_grid_mark_dirty(&grid, 0, body->tx, body->ty, tick, true);
    if (body->changed != STAMP && !grid.needs_rebuild) phx_grid_mark_moved(&grid, body->row);
    body->changed = STAMP;
    body->state |= PHX_SLOT_DISCONTINUOUS;
}

static void jump(uint32_t slot, uint16_t tx, uint16_t ty)
{
    touch(&store.body[slot]);
    place(slot, tx, ty);
    phx_grid_misplace(&grid, &store.body[slot], slot);
}

static void leave(uint32_t slot)
{
    touch(&store.body[slot]);
    phx_grid_misplace(&grid, &store.body[slot], slot);
    phx_store_kill(&store, slot);
}

/* A step inside of its tower. */
static void step(uint32_t slot)
{
    phx_body *body = &store.body[slot];
    touch(body);
    place(slot, body->tx, body->ty);
    if (body->state & PHX_SLOT_ROW_MISPLACED) return;
    grid.rows.x[body->row] = body->x;
    grid.rows.y[body->row] = body->y;
}

/* A live slot with a row: PHX_SLOT_NONE if none was met. */
static uint32_t anybody(void)
{
    for (int tries = 0; store.slots > 0 && tries < 50; tries++) {
        const uint32_t slot = phx_rng_below(&rng, store.slots), state = store.body[slot].state;
        if ((state & PHX_SLOT_LIVE) && (state & PHX_SLOT_ROW)) return slot;
    }
    return PHX_SLOT_NONE;
}

static void random_change(uint32_t spread)
{
    const uint32_t what = phx_rng_below(&rng, 8), slot = anybody();
    if (what < 2 || slot == PHX_SLOT_NONE) (void)enter(some_tower(spread), some_tower(spread));
    else if (what < 5) jump(slot, some_tower(spread), some_tower(spread));
    else if (what < 6) leave(slot);
    else step(slot);
}

/* ---- the index phase ---- */

typedef struct outcomes {
    uint32_t edited, sorted, too_many, no_memory;
} outcomes;

static phx_rows_edited try_to_edit(void)
{
    uint32_t work = phx_rows_edit_limit(&grid);
    phx_rows_edited done = phx_rows_edit(&grid, &memory, &store, tick, &work);
    for (uint32_t i = 0; done == PHX_EDIT_DONE && i < added_count; i++) {
        const uint32_t state = store.body[added[i]].state;
        if ((state & PHX_SLOT_LIVE) && !(state & PHX_SLOT_ROW))
            done = phx_grid_put(&grid, &memory, &store, added[i], tick, &work);
    }
    return done;
}

static void index_rows(uint64_t calls, outcomes *sum)
{
    phx_rows_edited done = PHX_EDIT_SORT;
    grid.needs_rebuild |= phx_grid_sort_due(&grid, added_count);
    memory_for(calls);
    if (grid.needs_rebuild) sum->too_many++;
    else done = try_to_edit();
    memory_enough();
    if (done == PHX_EDIT_NO_MEMORY) {
        sum->no_memory++;
        done = try_to_edit();
    }
    cr_assert_neq(done, PHX_EDIT_NO_MEMORY);
    if (done == PHX_EDIT_SORT) {
        rebuild();
        sum->sorted++;
    } else {
        sum->edited++;
    }
    added_count = 0;
    unmarked = false;
    cr_assert(phx_grid_valid(&grid, &store), "tick %u", (unsigned)tick);
    phx_block_summary_update(&grid);
    cr_assert(phx_block_summary_valid(&grid), "tick %u", (unsigned)tick);
    check_rows();
}

/* Present places of the changed: the tower is marked, and as discontinuous. */
static void check_marks(void)
{
    for (uint32_t slot = 0; slot < store.slots; slot++) {
        const phx_body *body = &store.body[slot];
        if (!(body->state & PHX_SLOT_LIVE) || body->changed != STAMP) continue;
        const phx_rect at = {body->tx, body->ty, body->tx, body->ty};
        const phx_tower_marks marks = phx_grid_marks(&grid, 0, at, tick);
        cr_assert(marks.dirty && marks.discontinuous, "slot %u in tick %u", slot, (unsigned)tick);
    }
}

/* Ticks of up to `most` changes each in a square of towers. */
static outcomes random_ticks(uint64_t seed, uint32_t ticks, uint32_t spread, uint32_t most, bool memory_ends)
{
    outcomes sum = {0};
    rng = seed;
    for (uint32_t i = 0; i < ticks; i++) {
        for (uint32_t n = phx_rng_below(&rng, most); n > 0; n--) random_change(spread);
        index_rows(memory_ends ? phx_rng_below(&rng, 2) : UINT64_MAX, &sum);
        check_marks();
        end_tick();
    }
    return sum;
}

static void fill(uint32_t count, uint32_t spread)
{
    outcomes sum = {0};
    rng = 1;
    for (uint32_t i = 0; i < count; i++) (void)enter(some_tower(spread), some_tower(spread));
    grid.needs_rebuild = true;
    index_rows(UINT64_MAX, &sum);
    end_tick();
}

Test(row_edit, random_lives_one_by_one)
{
    fill(3000, 40);
    const outcomes sum = random_ticks(7, 300, 40, 8, false);
    cr_assert_gt(sum.edited, 280, "%u", sum.edited);
    cr_assert_gt(sum.sorted, 0, "there was no gap at first");
}

Test(row_edit, crowds_in_few_towers)
{
    fill(1500, 3);
    const outcomes sum = random_ticks(8, 300, 3, 8, false);
    cr_assert_gt(sum.edited, 280, "%u", sum.edited);
}

Test(row_edit, all_over_the_world)
{
    fill(600, TOWERS);
    const outcomes sum = random_ticks(9, 300, TOWERS, 6, false);
    cr_assert_gt(sum.edited, 250, "%u", sum.edited);
}

Test(row_edit, many_are_left_to_the_sort)
{
    fill(400, 40);
    const outcomes sum = random_ticks(10, 200, 40, 100, false);
    cr_assert_gt(sum.too_many, 50, "%u", sum.too_many);
    cr_assert_gt(sum.edited, 20, "%u", sum.edited);
}

Test(row_edit, memory_that_ends_loses_no_row)
{
    enum { WIDE = 8000 }; /* jumps often lead to where the table of blocks has no leaf */
    tear_down();
    make(WIDE, WIDE);
    fill(20, WIDE);
    const outcomes sum = random_ticks(11, 400, WIDE, 5, true);
    cr_assert_gt(sum.no_memory, 50, "%u", sum.no_memory);
    cr_assert_gt(sum.edited, 300, "%u", sum.edited);
}

/* From nothing, and to nothing again. */
Test(row_edit, a_world_may_be_empty)
{
    outcomes sum = {0};
    for (int round = 0; round < 40; round++) {
        for (uint16_t i = 0; i < 4; i++) (void)enter((uint16_t)(i * 3), 5);
        index_rows(UINT64_MAX, &sum);
        end_tick();
        for (uint32_t slot = 0; slot < store.slots; slot++)
            if (store.body[slot].state & PHX_SLOT_LIVE) leave(slot);
        index_rows(UINT64_MAX, &sum);
        cr_assert_eq(grid.row_count, 0);
        end_tick();
    }
    cr_assert_geq(sum.edited, 2 * 40 - 1, "only the first rows of all need memory");
}

/* ---- gaps ---- */

static uint32_t gaps(void)
{
    return grid.row_end - grid.row_count;
}

Test(row_edit, rows_have_no_gaps_until_one_is_wanted)
{
    outcomes sum = {0};
    fill(900, 40);
    cr_assert_eq(gaps(), 0);
    cr_assert_eq(grid.rows_capacity, 900);
    (void)enter(5, 5);
    index_rows(UINT64_MAX, &sum);
    cr_assert_eq(sum.sorted, 1, "there is none");
    cr_assert_geq(gaps(), grid.block_count, "now behind every block there is one");
    cr_assert_leq(gaps(), grid.block_count + grid.row_count / 32);
    end_tick();
    const uint32_t capacity = grid.rows_capacity;
    for (int i = 0; i < 100; i++) {
        grid.needs_rebuild = true;
        index_rows(UINT64_MAX, &sum);
        end_tick();
    }
    cr_assert_eq(grid.rows_capacity, capacity, "sorts take no more and more room");
}

/* A row goes to the end of the last block, which nothing is behind of, as long as there is room. */
Test(row_edit, the_last_block_grows_into_the_free_rows)
{
    outcomes sum = {0};
    fill(1700, 8);
    for (uint32_t i = 0; i < 100; i++) {
        (void)enter(900, 900);
        index_rows(UINT64_MAX, &sum);
        end_tick();
    }
    cr_assert_eq(sum.sorted, 1, "the first one needs more rows than there are: then an eighth is there");
    cr_assert_eq(sum.edited, 99);
    cr_assert_eq(phx_block_rows(phx_grid_block(&grid, 0, 900 / 8, 900 / 8)), 100);
}

/* Where no work may be done, nothing is: the rebuild has all. */
Test(row_edit, too_much_work_changes_nothing)
{
    fill(900, 40);
    uint32_t work = 0;
    const uint32_t slot = enter(5, 5), other = 3, end = grid.row_end;
    jump(other, 30, 30);
    cr_assert_eq(phx_grid_put(&grid, &memory, &store, slot, tick, &work), PHX_EDIT_SORT);
    cr_assert_eq(phx_rows_edit(&grid, &memory, &store, tick, &work), PHX_EDIT_SORT);
    cr_assert_eq(grid.row_end, end);
    cr_assert_eq(grid.misplaced_count, 1);
    cr_assert_not(store.body[slot].state & PHX_SLOT_ROW);
    cr_assert(grid.wants_gaps);
    rebuild();
    check_rows();
    cr_assert_not(store.body[other].state & PHX_SLOT_ROW_MISPLACED);
}

/* Where gaps near by end again and again it is tried less and less often, at last once in 32 ticks. */
Test(row_edit, edits_in_vain_are_tried_less_often)
{
    outcomes sum = {0};
    uint32_t tried = 0, ticks = 400;
    fill(900, 40);
    grid.wants_gaps = true;
    for (uint32_t i = 0; i < ticks; i++) {
        (void)enter(5, 5);
        if (phx_grid_sort_due(&grid, 1)) {
            rebuild();
        } else {
            uint32_t work = 0; /* as if the nearest gap were too far off */
            cr_assert_eq(phx_grid_put(&grid, &memory, &store, added[0], tick, &work), PHX_EDIT_SORT);
            tried++;
            rebuild();
        }
        end_tick();
    }
    cr_assert_gt(tried, ticks / 32);
    cr_assert_lt(tried, ticks / 32 + 8, "%u", tried);
    (void)enter(7, 7);
    while (phx_grid_sort_due(&grid, 1)) rebuild();
    index_rows(UINT64_MAX, &sum);
    cr_assert_eq(sum.edited, 1, "and then, for once, it is not");
}

/* A few that jump all over a wide world leave blocks behind, which only a rebuild drops. */
Test(row_edit, blocks_left_behind_do_not_pile_up)
{
    enum { WIDE = 8000 };
    uint32_t most_blocks = 0, most_rows = 0;
    tear_down();
    make(WIDE, WIDE);
    fill(100, WIDE);
    for (uint32_t i = 0; i < 2000; i++) {
        outcomes sum = {0};
        for (int n = 0; n < 5; n++) jump(anybody(), some_tower(WIDE), some_tower(WIDE));
        if (phx_grid_sort_due(&grid, 0)) grid.needs_rebuild = true;
        index_rows(UINT64_MAX, &sum);
        end_tick();
        if (grid.block_count > most_blocks) most_blocks = grid.block_count;
        if (grid.rows_capacity > most_rows) most_rows = grid.rows_capacity;
    }
    cr_assert_lt(most_blocks, 600, "%u", most_blocks);
    cr_assert_lt(most_rows, 600, "%u", most_rows);
}
