/*
 * shards/interest/run_rows.c, run_slots.c: runs of observers that stop for want of memory and go on, and the commit
 * behind them (shards_fixture.h compares the lists with a plain world every tick).
 */
#include "shards/interest/run.h"
#include "shards/tick/reindex.h"
#include "unit/shards/interest/lone_observers.h"

/* The rows in the order in which a run does them: block by block, in that of the block's tile. */
static void order_rows(const phx_shard *shard, uint32_t *order)
{
    phx_tile tile = {0};
    for (uint32_t b = 0; b < shard->grid.block_count; b++) {
        const phx_block *block = &shard->grid.blocks[b];
        uint32_t first = block->start[0], count = block->start[PHX_BLOCK_TOWERS] - first;
        for (uint32_t gap = first + count; gap < phx_grid_block_end(&shard->grid, b); gap++) order[gap] = gap;
        bool tiled = shard->delta_allowed && block->reach > 0;
        if (tiled) cr_assert(phx_tile_open(&tile, shard->mem, shard, b));
        tiled = tiled && tile.usable && !tile.quiet;
        for (uint32_t i = 0; i < count; i++) order[first + i] = tiled ? tile.row[tile.own[i]] : first + i;
    }
    phx_tile_free(&tile, shard->mem);
}

/* Observers among the first `count` in that order. */
static uint32_t observers_in(const phx_shard *shard, const uint32_t *order, uint32_t count, uint32_t *slots)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (shard->grid.rows.view[order[i]] != 0) slots[found++] = shard->grid.rows.slot[order[i]] & PHX_ROW_SLOT;
    return found;
}

/* The lone observers with stored lists. */
static fleet *stored_lists(void)
{
    fleet *f = lone_observers();
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id++) {
        fleet_set(f, id, stored_attr(20), 0);
        fleet_set(f, 100 + id, stored_attr(0), 0);
    }
    fleet_end(f);
    return f;
}

Test(interest, a_run_that_stops_has_done_the_first_and_none_of_the_rest)
{
    for (uint64_t calls = 0;; calls++) {
        fleet *f = stored_lists();
        phx_shard *shard = &f->shard[0];
        phx_scratch fresh;
        uint32_t observers[LONE], through[LONE];
        phx_scratch_init(&fresh, shard->mem);
        phx_attr changed = stored_attr(20);
        changed.detect = 1;
        fleet_begin(f);
        for (uint64_t id = 1; id <= LONE; id++) fleet_set(f, id, changed, 0);
        for (uint64_t id = 1; id <= LONE; id++)
            for (uint64_t n = 0; n < 20; n++) fleet_enter(f, 300 + id * 20 + n, stored_attr(0), (float)id * 100, 105);
        cr_assert(phx_shard_index(shard, &f->directory, &f->renames));
        uint32_t rows = shard->grid.row_end, order[FLEET_IDS];
        order_rows(shard, order);
        cr_assert_eq(observers_in(shard, order, rows, observers), LONE);
        fleet_memory_for(calls);
        uint32_t done = phx_interest_run(&fresh, &f->directory, shard, 0, rows);
        fleet_memory_enough();
        cr_assert_eq(fresh.change_count, observers_in(shard, order, done, through));
        for (uint32_t i = 0; i < LONE; i++) {
            const phx_list *list = &shard->store.tail[observers[i]].list;
            cr_assert_eq(list->count, 1, "20 more do not fit in place: they wait for the commit");
            cr_assert_not(list->derived);
        }
        cr_assert_eq(phx_interest_run(&fresh, &f->directory, shard, done, rows - done), rows - done);
        cr_assert_eq(fresh.change_count, LONE);
        cr_assert_eq(fresh.counts.evaluated, LONE, "once, also without memory at first");
        for (uint32_t i = 0; i < LONE; i++) {
            cr_assert_eq(fresh.changes[i].slot, observers[i]);
            cr_assert_eq(fresh.changes[i].enter_count, 20);
        }
        phx_scratch_free(&fresh);
        fleet_close(f);
        if (done == rows) break;
        cr_assert_lt(calls, 100);
    }
}

/*
 * Alike observers, and as many mere targets, in one block; all step at once. Ready for the interest phase. cap: of the
 * observers; 0 = none.
 */
static fleet *crowd_on_the_move(uint32_t observers, float view, uint32_t cap)
{
    uint64_t rng = 20;
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    phx_attr seeing = plain_attr(view, 0);
    seeing.cap = cap;
    fleet_begin(f);
    for (uint64_t id = 1; id <= 2 * (uint64_t)observers; id++)
        fleet_enter(f, id, id <= observers ? seeing : plain_attr(0, 0), float_between(&rng, 83, 157),
                    float_between(&rng, 83, 157));
    fleet_end(f);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 2 * (uint64_t)observers; id++)
        fleet_move(f, id, f->entity[id].x + float_between(&rng, -2, 2), f->entity[id].y + float_between(&rng, -2, 2));
    cr_assert(phx_shard_index(&f->shard[0], &f->directory, &f->renames));
    return f;
}

/* Returns the number of targets in changes. */
static uint32_t delta_in_two_runs(uint32_t observers, uint64_t calls, bool sparse, bool *stopped)
{
    fleet *f = crowd_on_the_move(observers, sparse ? 8 : 20, 0);
    phx_shard *shard = &f->shard[0];
    phx_scratch fresh;
    uint32_t rows = shard->grid.row_end, order[FLEET_IDS], through[FLEET_IDS], at = 0;
    phx_scratch_init(&fresh, shard->mem);
    order_rows(shard, order);
    fleet_memory_for(calls);
    uint32_t done = phx_interest_run(&fresh, &f->directory, shard, 0, rows), changes = fresh.change_count;
    fleet_memory_enough();
    uint32_t count = observers_in(shard, order, done, through);
    cr_assert_eq(fresh.counts.by_delta, count, "%lu of %u", (unsigned long)fresh.counts.by_delta, count);
    cr_assert_eq(phx_interest_run(&fresh, &f->directory, shard, done, rows - done), rows - done);
    cr_assert_eq(fresh.tile.sparse, sparse);
    cr_assert_eq(fresh.counts.by_delta, observers);
    cr_assert_eq(fresh.counts.evaluated, 0);
    cr_assert_leq(fresh.counts.pairs_exact, fresh.counts.pairs_tested);
    cr_assert_eq(observers_in(shard, order, rows, through), observers);
    for (uint32_t i = 0; i < fresh.change_count; i++, at++) { /* in order, the first run's in its part */
        while (at < observers && through[at] != fresh.changes[i].slot) at++;
        cr_assert_eq(at < count, i < changes, "change %u, observer %u of %u", i, at, count);
        cr_assert_lt(at, observers);
    }
    uint32_t told = fresh.target_count;
    phx_scratch_free(&fresh);
    fleet_close(f);
    *stopped = done < rows;
    return told;
}

Test(interest, deltas_that_stop_go_on_where_they_stopped)
{
    static const uint32_t crowds[] = {20, 250};
    for (int c = 0; c < 2; c++) {
        bool stopped = true;
        uint32_t told = delta_in_two_runs(crowds[c], UINT64_MAX, c == 0, &stopped);
        cr_assert_not(stopped);
        cr_assert_gt(told, crowds[c] / 4, "%u", told);
        stopped = true;
        for (uint64_t calls = 0; stopped; calls++) {
            cr_assert_eq(delta_in_two_runs(crowds[c], calls, c == 0, &stopped), told);
            cr_assert_lt(calls, 100);
        }
    }
}

/* The work at a cap in two runs of one crowd, which are one worker's, or two workers'. */
static phx_interest_counts cut_in_two_runs(uint32_t first, bool one_worker)
{
    fleet *f = crowd_on_the_move(250, 20, 12);
    phx_shard *shard = &f->shard[0];
    const uint32_t rows = shard->grid.row_end;
    phx_scratch scratch[2];
    phx_interest_counts counts;
    for (int i = 0; i < 2; i++) phx_scratch_init(&scratch[i], shard->mem);
    cr_assert_eq(phx_interest_run(&scratch[0], &f->directory, shard, 0, first), first);
    phx_scratch *then = &scratch[!one_worker];
    cr_assert_eq(phx_interest_run(then, &f->directory, shard, first, rows - first), rows - first);
    counts = scratch[0].counts;
    if (!one_worker) {
        counts.by_delta += scratch[1].counts.by_delta;
        counts.evaluated += scratch[1].counts.evaluated;
        counts.ranges_visited += scratch[1].counts.ranges_visited;
        counts.pairs_tested += scratch[1].counts.pairs_tested;
    }
    for (int i = 0; i < 2; i++) phx_scratch_free(&scratch[i]);
    fleet_close(f);
    return counts;
}

/* A worker that has done a part of a cell counts for the rest as much as another one. */
Test(interest, the_work_at_a_cap_is_that_of_any_workers)
{
    enum { ROWS = 500, STEP = 23 };
    for (uint32_t first = STEP; first < ROWS; first += STEP) {
        const phx_interest_counts one = cut_in_two_runs(first, true), two = cut_in_two_runs(first, false);
        cr_assert_gt(one.by_delta, 100, "most caps still cut");
        cr_assert_eq(one.by_delta, two.by_delta);
        cr_assert_eq(one.evaluated, two.evaluated);
        cr_assert_eq(one.ranges_visited, two.ranges_visited, "from row %u: %lu, %lu", first,
                     (unsigned long)one.ranges_visited, (unsigned long)two.ranges_visited);
        cr_assert_eq(one.pairs_tested, two.pairs_tested, "from row %u: %lu, %lu", first,
                     (unsigned long)one.pairs_tested, (unsigned long)two.pairs_tested);
    }
}

Test(interest, a_commit_without_memory_is_called_again)
{
    fleet *f = lone_observers();
    f->scarce = true;
    for (uint64_t id = 300; id < 500; id++) {
        fleet_begin(f);
        fleet_enter(f, id, plain_attr(30, 0), (float)(id % LONE + 1) * 100 + 3, 105);
        fleet_memory_for(0);
        fleet_end(f);
        fleet_memory_enough();
    }
    cr_assert_gt(f->stops, 20);
    fleet_close(f);
}
