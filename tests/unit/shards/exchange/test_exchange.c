/*
 * shards/exchange/receive.c and tick/reindex.c: migration and short steps between shards wired by hand
 * (shards_fixture.h compares every tick with a plain world).
 */
#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "unit/shards/exchange/two_shards.h"

/* ---- migration ---- */

Test(exchange, a_migrant_becomes_a_copy_in_place)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(40, 0), 480, 500); /* sees all; stays in shard 0 */
    fleet_enter(f, 2, plain_attr(0, 0), 490, 500);
    fleet_enter(f, 3, plain_attr(40, 0), 510, 500); /* in shard 1 */
    fleet_end(f);
    uint32_t before = fleet_slot(f, 0, 2), copy = fleet_slot(f, 1, 2);
    cr_assert_eq(home_of(f, 2), 0);
    cr_assert(is_ghost(f, 1, 2));
    fleet_begin(f);
    fleet_move(f, 2, 501, 500);
    fleet_end(f);
    cr_assert_eq(home_of(f, 2), 1);
    cr_assert(is_ghost(f, 0, 2));
    cr_assert_eq(fleet_slot(f, 0, 2), before, "lists of shard 0 stay right");
    cr_assert_eq(fleet_slot(f, 1, 2), copy, "and the lists of shard 1");
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 2, 499, 500);
    fleet_end(f);
    cr_assert_eq(home_of(f, 2), 0);
    cr_assert_eq(fleet_slot(f, 0, 2), before);
    cr_assert_eq(fleet_slot(f, 1, 2), copy);
    cr_assert_eq(f->changes, 0);
    cr_assert_eq(f->shard[0].counts.migrations, 1);
    cr_assert_eq(f->shard[1].counts.migrations, 1);
    fleet_close(f);
}

Test(exchange, an_observer_takes_its_list_and_relations_along)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(40, 5), 495, 500);
    for (uint64_t id = 10; id < 40; id++) fleet_enter(f, id, plain_attr(0, 0), 480 + (float)(id % 4) * 10, 500);
    for (uint64_t id = 50; id < 60; id++) fleet_enter(f, id, plain_attr(0, 0), 100, 100);
    for (uint64_t id = 50; id < 60; id++) fleet_relate(f, 1, id, PHX_RELATION_LINK, 0);
    fleet_end(f);
    cr_assert_eq(f->enters, 40);
    fleet_begin(f);
    fleet_move(f, 1, 501, 500);
    fleet_end(f);
    cr_assert_eq(home_of(f, 1), 1);
    cr_assert_eq(f->changes, 0, "nothing is told of it");
    cr_assert_eq(f->rounds, 0);
    cr_assert_eq(f->shard[0].relations.used, 0);
    cr_assert_eq(phx_relations_of(&f->shard[1].relations, fleet_slot(f, 1, 1))->count, 10);
    fleet_begin(f);
    fleet_relate(f, 1, 55, 0, 0);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    fleet_close(f);
}

/* A crowd with long lists and many relations goes over at once, through one block a round. */
static uint32_t crowd_goes_over(uint64_t allocations, bool scarce)
{
    enum { CROWD = 120 };
    fleet *f = two(1);
    f->piece = 16;
    f->scarce = scarce;
    fleet_begin(f);
    for (uint64_t id = 1; id <= CROWD; id++)
        fleet_enter(f, id, plain_attr(id % 3 == 0 ? 60 : 0, 5), 470 + (float)(id % 20), 500 + (float)(id / 20));
    for (uint64_t id = 200; id < 218; id++) fleet_enter(f, id, plain_attr(0, 0), 900, 900);
    for (uint64_t id = 3; id <= CROWD; id += 3)
        for (uint64_t other = 200; other < 218; other++) fleet_relate(f, id, other, PHX_RELATION_LINK, 0);
    fleet_end(f);
    fleet_memory_for(allocations);
    fleet_begin(f);
    for (uint64_t id = 1; id <= CROWD; id++) fleet_move(f, id, f->entity[id].x + 40, f->entity[id].y);
    for (uint64_t id = 300; id < 330; id++) fleet_enter(f, id, plain_attr(30, 0), 495, 500);
    fleet_leave(f, 210);
    fleet_end(f);
    fleet_memory_enough();
    cr_assert_eq(f->shard[0].counts.migrations, CROWD);
    cr_assert_gt(f->rounds, 8);
    uint32_t stopped = f->stops;
    fleet_tick(f);
    cr_assert_eq(f->changes, 0);
    cr_assert_eq(f->blocks, 0, "nothing changed, nothing is sent");
    fleet_close(f);
    return stopped;
}

Test(exchange, a_crowd_goes_over_in_many_rounds)
{
    cr_assert_eq(crowd_goes_over(UINT64_MAX, false), 0);
}

Test(exchange, a_crowd_goes_over_wherever_memory_ends)
{
    uint32_t n = 0;
    while (crowd_goes_over(n, false) > 0) n++;
    cr_assert_gt(n, 40);
    for (n = 0; n < 60; n += 7) cr_assert_gt(crowd_goes_over(n, true), 3);
}

Test(exchange, an_observer_that_teleports_brings_leaves_of_unknown_targets)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 5), 100, 100);
    for (uint64_t id = 10; id < 20; id++) fleet_enter(f, id, plain_attr(0, 0), 110, 100);
    fleet_enter(f, 20, plain_attr(0, 0), 900, 900);
    fleet_end(f);
    cr_assert_eq(f->enters, 10);
    fleet_begin(f);
    fleet_move(f, 1, 905, 900);
    phx_attr attr = plain_attr(0, 0);
    attr.kind = 3;
    fleet_set(f, 12, attr, 7777); /* its leave names it as it is now */
    fleet_leave(f, 13);
    fleet_set(f, 14, attr, 8888); /* and this one as it was last */
    fleet_leave(f, 14);
    fleet_end(f);
    cr_assert_eq(f->changes, 1);
    cr_assert_eq(f->leaves, 10);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->shard[1].store.ghost_count, 0);
    cr_assert_eq(f->shard[1].store.free_count, 10, "their slots are free again");
    fleet_close(f);
}

Test(exchange, an_unseen_emigrant_leaves_no_ghost)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 100, 100);
    fleet_enter(f, 2, plain_attr(30, 0), 110, 100);
    fleet_end(f);
    fleet_begin(f);
    fleet_move(f, 2, 900, 900);
    fleet_end(f);
    cr_assert_eq(home_of(f, 2), 1);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    cr_assert_eq(f->shard[0].store.free_count, 1);
    fleet_close(f);
}

Test(exchange, out_and_back_in_one_tick_is_no_migration)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_end(f);
    for (int round = 0; round < 3; round++) {
        fleet_begin(f);
        fleet_move(f, 1, 510, 100);
        fleet_move(f, 1, 700, 100);
        fleet_move(f, 1, 489, 100);
        fleet_end(f);
        cr_assert_eq(f->shard[0].counts.migrations, 0);
    }
    fleet_begin(f);
    fleet_move(f, 1, 510, 100);
    fleet_leave(f, 1); /* dead before it is sent */
    fleet_end(f);
    cr_assert_eq(f->shard[0].counts.migrations, 0);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_move(f, 1, 510, 100); /* on its way before it was anywhere */
    fleet_end(f);
    cr_assert_eq(home_of(f, 1), 1);
    fleet_close(f);
}

/* ---- incarnations ---- */

Test(exchange, a_target_that_enters_anew_is_another_one)
{
    static const float where[] = {505, 520, 480, 300, 900}; /* here, near, over the border, far on either side */
    enum { PLACES = sizeof where / sizeof *where };
    for (size_t i = 0; i < PLACES * PLACES; i++) {
        fleet *f = two(64);
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
        fleet_enter(f, 2, plain_attr(30, 0), 510, 100);
        fleet_enter(f, 3, plain_attr(0, 0), 505, 100);
        fleet_end(f);
        cr_assert(is_ghost(f, 0, 3));
        fleet_begin(f);
        fleet_leave(f, 3);
        fleet_enter(f, 3, plain_attr(0, 0), where[i % PLACES], 100);
        fleet_move(f, 3, where[i / PLACES], 100); /* and perhaps on at once */
        fleet_end(f);
        bool near = where[i / PLACES] > 475 && where[i / PLACES] < 525;
        cr_assert_eq(f->leaves, 2);
        cr_assert_eq(f->enters, near ? 2 : 0, "place %zu", i);
        fleet_close(f);
    }
}

Test(exchange, an_observer_that_enters_anew_begins_afresh)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 505, 100);
    fleet_end(f);
    fleet_begin(f);
    fleet_relate(f, 1, 2, PHX_RELATION_LINK, 0);
    fleet_leave(f, 1);
    fleet_enter(f, 1, plain_attr(30, 0), 510, 100); /* in the shard that had its copy */
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->leaves, 0);
    fleet_begin(f);
    fleet_move(f, 2, 300, 300);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1, "the link ended with the first of its name");
    fleet_close(f);
}

/* ---- short steps ---- */

/* An old target that the halo of the new shard does not reach any more makes a leave, also after a short step. */
Test(exchange, a_short_step_over_the_border_leaves_targets_behind)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(19.9f, 0), 499, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 479.2f, 105);
    fleet_enter(f, 3, plain_attr(5, 0), 510, 105); /* a short halo, which 1 is in */
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, 1, 500.4f, 105);
    fleet_move(f, 2, 477, 105);
    fleet_end(f);
    cr_assert_eq(home_of(f, 1), 1);
    cr_assert_not(is_ghost(f, 1, 2));
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->changes, 1);
    fleet_close(f);
}

Test(exchange, an_emigrant_that_is_not_ready_begins_afresh)
{
    fleet *f = two(64);
    phx_attr attr = plain_attr(30, 0);
    fleet_begin(f);
    fleet_enter(f, 1, attr, 495, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 490, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_leave(f, 2);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1, "its list is empty, and was told so");
    attr.ready = false;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_move(f, 1, 505, 105);
    fleet_end(f);
    attr.ready = true;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_enter(f, 2, plain_attr(0, 0), 510, 105);
    fleet_end(f);
    cr_assert_eq(f->enters, 1); /* compared with the plain world: the change is fresh */
    fleet_close(f);
}

Test(exchange, the_halo_covers_margins)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 3, plain_attr(50, 0), 300, 900); /* sees farther, and yet has the smaller halo */
    fleet_enter(f, 1, plain_attr(150, 20), 495, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 520, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(30, 60), 1000); /* less far: measured anew */
    fleet_end(f);
    for (float x = 525; x < 600; x += 5) {
        fleet_begin(f);
        fleet_move(f, 2, x, 105);
        fleet_end(f);
        cr_assert_eq(f->leaves, x > 585 && x - 5 <= 585);
    }
    fleet_close(f);
}

/* A halo of one tower: it touches the neighbour's first or last row of towers only. */
Test(exchange, a_halo_of_one_tower_on_every_side)
{
    static const float side[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        fleet *f = fleet_open(plain_rules(10, 90), 3, 3, 64);         /* shards of 300 */
        float x = 450 + side[i][0] * 149, y = 450 + side[i][1] * 149; /* just inside the one in the middle */
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(5, 0), x, y);
        fleet_enter(f, 2, plain_attr(0, 0), x + side[i][0] * 3, y + side[i][1] * 3);
        fleet_end(f);
        cr_assert_eq(home_of(f, 1), 4);
        cr_assert_neq(home_of(f, 2), 4);
        cr_assert_eq(f->enters, 1, "side %d", i);
        fleet_close(f);
    }
}

/* ---- nothing piles up ---- */

Test(exchange, coming_and_going_takes_no_more_and_more_memory)
{
    fleet *f = two(64);
    uint64_t warm = 0;
    for (int round = 0; round < 60; round++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= 60; id++) fleet_enter(f, id, plain_attr(40, 0), 480 + (float)(id % 9), 105);
        fleet_end(f);
        fleet_begin(f);
        for (uint64_t id = 1; id <= 60; id += 2) fleet_move(f, id, 510, 105);
        for (uint64_t id = 1; id <= 60; id += 3) fleet_relate(f, id, 1 + id % 60, PHX_RELATION_LINK, 0);
        fleet_end(f);
        fleet_begin(f);
        for (uint64_t id = 1; id <= 60; id++) fleet_leave(f, id);
        fleet_end(f);
        if (round == 30) warm = fleet_bytes();
        for (uint32_t i = 0; i < 2; i++)
            cr_assert_eq(f->shard[i].lists.free_entries, f->shard[i].lists.used, "all lists have gone back");
    }
    cr_assert_eq(fleet_bytes(), warm);
    fleet_close(f);
}

Test(exchange, many_moves_of_one_emigrant_need_one_place)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 495, 105);
    fleet_end(f);
    fleet_begin(f);
    cr_assert(phx_shard_ready(&f->shard[0], 100));
    for (int i = 0; i < 100; i++) phx_shard_move(&f->shard[0], fleet_slot(f, 0, 1), 505 + (float)i, 105, 0);
    cr_assert_eq(f->shard[0].emigrant_candidates.count, 1);
    fleet_move(f, 1, 510, 105);
    fleet_end(f);
    cr_assert_eq(f->shard[0].counts.migrations, 1);
    fleet_close(f);
}
