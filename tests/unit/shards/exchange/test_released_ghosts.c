/*
 * shards/exchange/receive.c and tick/reindex.c: ghosts out of sight, released or without a row, and immigrants that
 * come near them (shards_fixture.h compares every tick with a plain world).
 */
#include "unit/shards/exchange/border_case.h"

/* ---- ghosts out of sight ---- */

Test(border, ghosts_out_of_sight_wait_for_rows)
{
    fleet *f = one_looks();
    enter_at(f, 2, 520.8f);
    check_ghost(f, 2, true, false, false);
    cr_assert_eq(f->shard[0].deferred.count, 1);
    move_to(f, 2, 520.4f);
    check_ghost(f, 2, true, false, false);
    move_to(f, 2, 519.9f);
    check_ghost(f, 2, true, true, false);
    cr_assert_eq(f->shard[0].deferred.count, 0);
    cr_assert_eq(f->enters, 0);
    move_to(f, 2, 519);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

Test(border, ghosts_that_are_gone_keep_rows_out_of_sight)
{
    fleet *f = one_looks();
    enter_at(f, 2, 519.9f);
    move_to(f, 2, 524);
    check_ghost(f, 2, true, true, false);
    move_to(f, FILLER, 105);
    move_to(f, 2, 526);
    check_ghost(f, 2, true, true, true);
    fleet_tick(f);
    check_ghost(f, 2, true, true, true);
    move_to(f, 2, 524.5f); /* and back */
    check_ghost(f, 2, true, true, false);
    move_to(f, 2, 525.5f);
    check_ghost(f, 2, true, true, true);
    move_to(f, FILLER, 140); /* a teleport alone takes no ghost out */
    check_ghost(f, 2, true, true, true);
    sort_anew(f);
    move_to(f, FILLER, 105);
    check_ghost(f, 2, false, false, false);
    fleet_close(f);
}

Test(border, ghosts_without_a_row_go_at_once)
{
    fleet *f = one_looks();
    enter_at(f, 2, 522);
    check_ghost(f, 2, true, false, false);
    move_to(f, 2, 526);
    check_ghost(f, 2, false, false, false);
    cr_assert_eq(f->shard[0].deferred.count, 0);
    move_to(f, 2, 522);
    check_ghost(f, 2, true, false, false);
    fleet_begin(f);
    fleet_leave(f, 2);
    fleet_enter(f, 3, plain_attr(0, 0), 522, 105);
    fleet_end(f);
    check_ghost(f, 2, false, false, false);
    check_ghost(f, 3, true, false, false);
    fleet_close(f);
}

/* The view grows: at once held ghosts are in sight, and released ghosts are not there. */
Test(border, a_longer_view_asks_for_rows)
{
    fleet *f = one_looks();
    enter_at(f, 3, 519.9f);
    move_to(f, 3, 524);
    move_to(f, FILLER, 105);
    move_to(f, 3, 526);
    check_ghost(f, 3, true, true, true);
    enter_at(f, 2, 522);
    move_to(f, 2, 521.9f); /* its change is old by then */
    check_ghost(f, 2, true, false, false);
    fleet_begin(f);
    fleet_move(f, 3, 700, 105);
    fleet_set(f, 1, plain_attr(40, 0), 1000);
    fleet_end(f);
    check_ghost(f, 2, true, true, false);
    check_ghost(f, 3, false, false, false);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

/* A held ghost can be seen by its place only: else it gets a row. */
Test(border, a_ghost_seen_from_farther_off_gets_a_row)
{
    phx_attr reaching = plain_attr(0, 0);
    reaching.reach = 30;
    fleet *f = one_looks();
    enter_at(f, 2, 522);
    enter_at(f, 3, 523);
    check_ghost(f, 2, true, false, false);
    fleet_begin(f);
    fleet_set(f, 2, reaching, 1000);
    fleet_relate(f, 1, 3, PHX_RELATION_LINK, 0);
    fleet_end(f);
    check_ghost(f, 2, true, true, false);
    check_ghost(f, 3, true, true, false);
    cr_assert_eq(f->enters, 2);
    fleet_close(f);
}

/* Views that see the border only from near it, and an observer beyond it with a wider one. */
static fleet *short_views(void)
{
    fleet *f = two(64);
    fleet_begin(f);
    fill_first(f);
    fleet_enter(f, 1, plain_attr(0.5f, 0), 499, 300); /* a halo of 3 */
    fleet_enter(f, 2, plain_attr(5, 0), 502, 105);
    fleet_enter(f, 4, plain_attr(0, 0), 499.9f, 101);
    return f;
}

/* A released ghost that jumps to near its last seen place has not walked from there. */
Test(border, a_released_ghost_that_teleports_in_is_discontinuous)
{
    fleet *f = short_views();
    fleet_enter(f, 3, plain_attr(0, 0), 502.9f, 110.2f);
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, 2, 504.4f, 106.5f); /* from where it sees 3, and not 4 any more */
    fleet_end(f);
    check_ghost(f, 2, true, true, true);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->leaves, 1);
    move_to(f, 2, 499.6f); /* and the other way round */
    cr_assert_eq(fleet_home(f, 2)->number, 0);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->leaves, 1);
    fleet_close(f);
}

/* An immigrant that saw no ghost, but might have seen the former place of one. */
Test(border, an_immigrant_has_no_released_ghost_in_its_list)
{
    fleet *f = short_views();
    fleet_enter(f, 3, plain_attr(0, 0), 502.9f, 110.2f);
    fleet_end(f);
    move_to(f, 4, 100);
    fleet_begin(f);
    fleet_move(f, 3, 504.9f, 110.9f); /* released */
    fleet_move(f, 2, 501.5f, 106);    /* 4.4 off from where that was, 6 off from where it is */
    fleet_end(f);
    check_ghost(f, 3, true, true, true);
    move_to(f, 2, 499.9f);
    cr_assert_eq(fleet_home(f, 2)->number, 0);
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 3, 503, 108.5f);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

/* ---- immigrants near released ghosts ---- */

/* 1 walks over, with so many leaves. */
static void walk_in(fleet *f, uint32_t leaves)
{
    cr_assert(gone_in_second(f, 2));
    move_to(f, 1, 500.4f);
    cr_assert_eq(fleet_home(f, 1)->number, 1);
    cr_assert_eq(f->leaves, leaves);
    fleet_tick(f);
    fleet_close(f);
}

Test(border, past_one_that_walked_out_of_the_halo)
{
    fleet *f = side_by_side(10, 0, 493, 105);
    fleet_end(f);
    move_to(f, 2, 491);
    move_to(f, 2, 489.5f);
    move_to(f, 2, 488.5f);
    cr_assert_eq(f->leaves, 1);
    walk_in(f, 0);
}

Test(border, past_one_that_jumped_away)
{
    fleet *f = side_by_side(19.9f, 0, 494, 105);
    fleet_end(f);
    fleet_tick(f);
    move_to(f, 2, 300);
    fleet_tick(f);
    walk_in(f, 0);
}

Test(border, past_one_that_left_the_world)
{
    fleet *f = side_by_side(19.9f, 0, 494, 105);
    fleet_enter(f, 4, plain_attr(0, 0), 502, 105); /* so its list is not empty */
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_leave(f, 2);
    fleet_end(f);
    walk_in(f, 0);
}

/*
 * 4, which the second shard never knew, is in the list of 1 and goes out of its sight as it walks in; 2 is released.
 * The derived list has as many targets as the list, or one less, but not the same ones.
 */
static void previous_row_of_one_and_from_another(float y)
{
    fleet *f = side_by_side(10, 0, 493, y);
    fleet_enter(f, 4, plain_attr(0, 0), 490.2f, 105);
    fleet_end(f);
    for (float x = 491; x > 487; x -= 1.5f) move_to(f, 2, x);
    cr_assert_eq(fleet_slot(f, 1, 4), PHX_SLOT_NONE);
    cr_assert(fleet_sees(f, 1, 4) && !fleet_sees(f, 1, 2));
    walk_in(f, 1);
}

Test(border, previous_row_of_one_and_from_another)
{
    previous_row_of_one_and_from_another(105);
}

Test(border, past_one_out_of_sight_and_from_another)
{
    previous_row_of_one_and_from_another(115);
}

/* With 1 the second shard's halo is wider, and it has a copy again, with a row that says that 1 saw it just before. */
Test(border, past_one_that_comes_back_with_it)
{
    fleet *f = side_by_side(10, 0, 493, 112);
    fleet_end(f);
    fleet_begin(f);
    fleet_move(f, 2, 491, 113);
    fleet_end(f);
    walk_in(f, 0);
}

/* It is in the list of 1, from where the second shard knows nothing of; then it leaves the world, renamed. */
static void leaves_the_world(float margin)
{
    fleet *f = side_by_side(30, margin, 440, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_set(f, 3, plain_attr(100, 0), 3000);
    fleet_end(f);
    fleet_begin(f);
    fleet_set(f, 3, plain_attr(5, 0), 3000);
    fleet_end(f);
    fleet_begin(f);
    fleet_move(f, 2, 480, 105);
    fleet_set(f, 2, plain_attr(0, 0), 777);
    fleet_end(f);
    fleet_tick(f);
    cr_assert(gone_in_second(f, 2));
    fleet_begin(f);
    fleet_leave(f, 2);
    fleet_move(f, 1, 500.4f, 105);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    fleet_close(f);
}

Test(border, past_one_that_it_saw_elsewhere)
{
    leaves_the_world(0);
    leaves_the_world(1);
}

/* A ghost that it saw comes back with it, but its row says that it did not; the row of a released one says it did. */
Test(border, past_one_that_stands_for_another)
{
    fleet *f = side_by_side(10, 0, 493, 116);
    fleet_enter(f, 4, plain_attr(0, 0), 494, 105);
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, 2, 491.5f, 110);
    fleet_move(f, 4, 300, 105);
    fleet_end(f);
    cr_assert(f->enters == 1 && f->leaves == 1 && gone_in_second(f, 4));
    fleet_tick(f);
    walk_in(f, 1);
}
