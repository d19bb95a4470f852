/*
 * shards/exchange/halo.c: ghosts of the halo and of pins, between shards wired by hand (shards_fixture.h
 * compares every tick with a plain world).
 */
#include "unit/shards/exchange/two_shards.h"

/* ---- the halo ---- */

Test(exchange, a_refresh_keeps_the_repeated_copies_alone)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 505, 100);
    fleet_enter(f, 3, plain_attr(0, 0), 506, 100);
    fleet_enter(f, 4, plain_attr(0, 0), 507, 100);
    fleet_end(f);
    uint32_t kept = fleet_slot(f, 0, 2);
    cr_assert_eq(f->shard[0].store.ghost_count, 3);
    cr_assert_eq(f->shard[1].store.ghost_count, 0, "no observer there");
    fleet_begin(f);
    fleet_move(f, 3, 800, 100);
    fleet_leave(f, 4);
    fleet_end(f);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->shard[0].store.ghost_count, 1);
    cr_assert_eq(fleet_slot(f, 0, 2), kept);
    fleet_begin(f);
    fleet_move(f, 1, 491, 100); /* nothing changes in shard 1: it sends nothing, and its copies stay */
    fleet_end(f);
    cr_assert_eq(f->blocks, 0);
    cr_assert(is_ghost(f, 0, 2));
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 2, 900, 100); /* the last copy goes: an empty refresh says so */
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    fleet_begin(f);
    fleet_move(f, 2, 901, 100);
    fleet_end(f);
    cr_assert_eq(f->blocks, 0, "and then nothing more");
    fleet_close(f);
}

Test(exchange, copies_follow_every_change)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 505, 100);
    fleet_end(f);
    phx_attr attr = plain_attr(0, 0);
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711); /* the user data alone */
    fleet_end(f);
    attr.layers = 2;
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711);
    fleet_end(f);
    attr.stealth = 9;
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    attr = plain_attr(0, 0);
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711);
    fleet_fly(f, 2, 505, 100, 50);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

Test(exchange, a_longer_view_gets_more_copies)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    for (uint64_t id = 10; id < 40; id++) fleet_enter(f, id, plain_attr(0, 0), 505 + (float)(id - 10) * 10, 100);
    fleet_end(f);
    uint32_t few = f->shard[0].store.ghost_count;
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(150, 20), 1000);
    fleet_end(f);
    cr_assert_eq(f->enters, 12);
    cr_assert_gt(f->shard[0].store.ghost_count, few + 10);
    cr_assert_lt(f->shard[0].store.ghost_count, 22, "not the whole shard");
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(30, 0), 1000);
    fleet_end(f);
    cr_assert_eq(f->shard[0].store.ghost_count, few);
    fleet_begin(f);
    fleet_leave(f, 1);
    fleet_end(f);
    cr_assert_eq(f->shard[0].store.ghost_count, 0, "no observer any more");
    cr_assert_eq(f->zones[0].observed, 0);
    fleet_begin(f);
    fleet_move(f, 10, 506, 100);
    fleet_end(f);
    cr_assert_eq(f->blocks, 0);
    fleet_close(f);
}

Test(exchange, by_towers_the_span_decides_about_copies)
{
    phx_rules rules = plain_rules(10, 100);
    rules.range = PH_RANGE_TOWERS;
    rules.span = 3;
    fleet *f = fleet_open(rules, 2, 1, 64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(1, 0), 495, 100);
    for (uint64_t id = 10; id < 20; id++) fleet_enter(f, id, plain_attr(0, 0), 505 + (float)(id - 10) * 10, 100);
    fleet_end(f);
    cr_assert_eq(f->enters, 3);
    cr_assert_eq(f->shard[0].store.ghost_count, 3);
    fleet_close(f);
}

Test(exchange, the_far_reaching_and_the_global_are_copied_where_they_are_seen)
{
    fleet *f = two(64);
    phx_attr dragon = plain_attr(0, 0), beacon = plain_attr(0, 0);
    dragon.reach = 400;
    beacon.global = true;
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 50), 490, 100);
    fleet_enter(f, 2, dragon, 880, 100);
    fleet_enter(f, 3, beacon, 990, 990);
    fleet_end(f);
    cr_assert_eq(f->enters, 2);
    fleet_begin(f);
    fleet_move(f, 2, 935, 100); /* 445 off: held by the margin */
    fleet_end(f);
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 2, 945, 100);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    fleet_begin(f);
    beacon.global = false;
    fleet_set(f, 3, beacon, 3000);
    fleet_move(f, 2, 990, 990);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    fleet_close(f);
}

/* ---- pins ---- */

Test(exchange, a_pinned_target_is_copied_at_any_distance)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 10, 10);
    fleet_enter(f, 2, plain_attr(0, 0), 990, 990);
    fleet_enter(f, 3, plain_attr(0, 0), 980, 990);
    fleet_end(f);
    fleet_begin(f);
    fleet_relate(f, 1, 2, PHX_RELATION_LINK, 0);
    fleet_relate(f, 1, 3, PHX_RELATION_PAIR, 100);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    cr_assert(is_ghost(f, 0, 2));
    cr_assert(is_ghost(f, 0, 3), "a pair of any radius has to be looked at");
    fleet_begin(f);
    fleet_move(f, 3, 600, 10);
    fleet_relate(f, 1, 3, PHX_RELATION_PAIR, 600);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    fleet_begin(f);
    fleet_relate(f, 1, 2, 0, 0);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_not(is_ghost(f, 0, 2), "the next refresh is without it");
    cr_assert(is_ghost(f, 0, 3));
    fleet_begin(f);
    fleet_leave(f, 3);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    fleet_close(f);
}

Test(exchange, pins_go_where_both_ends_go)
{
    fleet *f = fleet_open(plain_rules(10, 100), 3, 1, 4);
    static const float x[] = {100, 500, 900};
    fleet_begin(f);
    for (uint64_t id = 1; id <= 6; id++) fleet_enter(f, id, plain_attr(20, 0), 100, (float)id * 50);
    for (uint64_t id = 1; id <= 6; id++)
        for (uint64_t other = 1; other <= 6; other++)
            if (id != other) fleet_relate(f, id, other, PHX_RELATION_LINK, 0);
    fleet_end(f);
    uint64_t rng = 16;
    for (int round = 0; round < 60; round++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= 6; id++)
            if (phx_rng_below(&rng, 2)) fleet_move(f, id, x[phx_rng_below(&rng, 3)], (float)phx_rng_below(&rng, 1000));
        fleet_end(f);
        cr_assert_eq(f->changes, 0, "party members see each other wherever they are");
    }
    fleet_close(f);
}

Test(exchange, many_pins_take_many_rounds)
{
    fleet *f = two(4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 30; id++) fleet_enter(f, id, plain_attr(20, 0), 100, 100);
    for (uint64_t id = 100; id < 130; id++) fleet_enter(f, id, plain_attr(0, 0), 900, 900);
    for (uint64_t id = 1; id <= 30; id++)
        for (uint64_t other = 100; other < 130; other++) fleet_relate(f, id, other, PHX_RELATION_LINK, 0);
    fleet_end(f);
    cr_assert_gt(f->rounds, 5);
    cr_assert_eq(f->shard[0].store.ghost_count, 30);
    cr_assert_eq(f->enters, 30 * 30 + 30 * 29);
    fleet_close(f);
}
