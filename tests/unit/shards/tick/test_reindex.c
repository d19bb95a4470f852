/*
 * shards/tick/reindex.c: which sort of rows a tick has. Rows that drifted in a dense tick are sorted by old positions,
 * so they drifted from there by that tick's steps; after a sort from bodies none has drifted.
 */
#include "unit/shards/shards_fixture.h"

#define SIDE 10.0f /* of a tower: rows may drift by a fourth of it */

enum { IDS = 400, LATER = 500, JUMPER = 7 };

static fleet *open_walkers(void)
{
    uint64_t rng = 29;
    fleet *f = fleet_open(plain_rules(SIDE, 40), 1, 1, 64);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++)
        fleet_enter(f, id, plain_attr(id % 2 ? 20 : 0, 0), float_between(&rng, 5, 300), float_between(&rng, 5, 300));
    fleet_end(f);
    return f;
}

/* All step by so much; dense: as in a tick whose moves leave rows alone, of which the sort writes all anew. */
static void begin_step(fleet *f, float step, bool dense)
{
    f->shard[0].dense_tick = true;
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++)
        if (f->entity[id].in) fleet_move(f, id, f->entity[id].x + step, f->entity[id].y + (id % 3 ? step : -step));
    f->shard[0].grid.positions_stale = dense;
}

/* Blocks that are new are put in order by a sort from bodies, which makes gaps, too. */
static fleet *open_walkers_in_order(void)
{
    fleet *f = open_walkers();
    f->shard[0].grid.needs_rebuild = f->shard[0].grid.wants_gaps = true;
    fleet_tick(f);
    cr_assert_eq(f->shard[0].grid.blocks_ordered, f->shard[0].grid.block_count);
    return f;
}

/* As many ticks of steps as rows may drift. */
static void drift_far(fleet *f, float step)
{
    const phx_shard *shard = &f->shard[0];
    while (shard->grid.drift_bound + step <= shard->drift_limit) {
        begin_step(f, step, false);
        fleet_end(f);
    }
    cr_assert_gt(shard->grid.drift_bound, step);
}

Test(reindex, drifted_rows_of_a_dense_tick_are_sorted_by_old_positions)
{
    const float step = 0.5f;
    fleet *f = open_walkers_in_order();
    const phx_grid *grid = &f->shard[0].grid;
    for (int sort = 0; sort < 3; sort++) {
        drift_far(f, step);
        begin_step(f, step, true);
        if (sort == 1) { /* rows of the few that jump, enter and leave are edited then */
            fleet_move(f, JUMPER, 350, 350);
            fleet_enter(f, LATER, plain_attr(20, 0), 40, 40);
            fleet_leave(f, 11);
        }
        fleet_end(f);
        cr_assert(grid->drift_bound >= step && grid->drift_bound < step * 1.001f, "sort %d: %f", sort,
                  (double)grid->drift_bound);
        cr_assert_not(grid->positions_stale);
    }
    fleet_close(f);
}

/* A sort that one more tick's steps make half as long as it is worth reads bodies. */
Test(reindex, all_other_sorts_are_from_bodies)
{
    fleet *f = open_walkers();
    const phx_grid *grid = &f->shard[0].grid;
    drift_far(f, 0.5f);
    begin_step(f, 0.5f, true); /* blocks are not in order yet */
    fleet_end(f);
    cr_assert_eq(grid->drift_bound, 0.0f);
    cr_assert_eq(grid->blocks_ordered, grid->block_count);
    drift_far(f, 0.5f);
    begin_step(f, 0.9f, true); /* long steps */
    fleet_end(f);
    cr_assert_eq(grid->drift_bound, 0.0f);
    drift_far(f, 0.5f);
    begin_step(f, 0.5f, false); /* no dense tick: rows have this tick's positions */
    fleet_end(f);
    cr_assert_eq(grid->drift_bound, 0.0f);
    drift_far(f, 0.5f);
    begin_step(f, 0.5f, true);
    for (uint64_t id = 1; id <= 40; id++) fleet_move(f, id, 390, 390); /* many jump */
    fleet_end(f);
    cr_assert_eq(grid->drift_bound, 0.0f);
    fleet_close(f);
}

/* A ghost that no observer sees waits for a row until all rows are sorted: that sort is from bodies. */
Test(reindex, unseen_ghosts_do_not_wait_longer)
{
    enum { FILLER = 100, FILLERS = 40, UNSEEN = 2 };
    const float step = 1.5f;
    fleet *f = fleet_open(plain_rules(20, 50), 2, 1, 64);
    phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    for (uint64_t i = 0; i < FILLERS; i++) fleet_enter(f, FILLER + i, plain_attr(0, 0), 100 + (float)i, 700);
    fleet_enter(f, 1, plain_attr(20, 0), 499.5f, 105); /* it sees up to 20 beyond the border, of copies up to 25 */
    fleet_end(f);
    shard->grid.needs_rebuild = true;
    for (uint64_t t = 0; t < 5; t++) {
        shard->dense_tick = true;
        fleet_begin(f);
        if (t == 3) fleet_enter(f, UNSEEN, plain_attr(0, 0), 522, 105);
        for (uint64_t i = 0; i < FILLERS; i++) fleet_move(f, FILLER + i, 100 + (float)i, 700 + (float)(t % 2) * step);
        shard->grid.positions_stale = t == 4;
        if (t == 4) cr_assert_gt(shard->grid.drift_bound + step, shard->drift_limit);
        fleet_end(f);
    }
    const uint32_t slot = phx_store_ghost(&shard->store, UNSEEN);
    cr_assert_neq(slot, PHX_SLOT_NONE);
    cr_assert(shard->store.body[slot].state & PHX_SLOT_ROW);
    cr_assert_eq(shard->grid.drift_bound, 0.0f);
    fleet_close(f);
}
