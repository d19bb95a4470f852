/*
 * shards/exchange/receive.c, exchange/halo.c and tick/reindex.c: the cost of walking along and over borders, which
 * is small where no observer can see the difference (shards_fixture.h compares every tick with a plain world).
 */
#include "unit/shards/shards_fixture.h"

enum { FILLERS = 48, FILLER = 200 }; /* rows in the first shard, so that one released ghost is few; ids from there on */

/* Two shards side by side: towers of 10, the border at x = 500, steps up to 2.5. */
static fleet *two(uint32_t pool_blocks)
{
    return fleet_open(plain_rules(10, 100), 2, 1, pool_blocks);
}

static void fill_first(fleet *f)
{
    for (uint64_t i = 0; i < FILLERS; i++) fleet_enter(f, FILLER + i, plain_attr(0, 0), 100 + (float)i, 700);
}

/* A ghost in the first shard, or NULL. */
static const phx_ghost_source *ghost_of(const fleet *f, uint64_t id, bool *row)
{
    const phx_store *store = &f->shard[0].store;
    uint32_t slot = phx_store_ghost(store, id);
    if (slot == PHX_SLOT_NONE) return NULL;
    *row = store->body[slot].state & PHX_SLOT_ROW;
    return &store->tail[slot].origin;
}

static void check_ghost(const fleet *f, uint64_t id, bool there, bool row, bool gone)
{
    bool has_row = false;
    const phx_ghost_source *origin = ghost_of(f, id, &has_row);
    cr_assert_eq(origin != NULL, there, "tick %lu", (unsigned long)f->tick);
    if (!origin) return;
    cr_assert_eq(has_row, row, "tick %lu", (unsigned long)f->tick);
    cr_assert_eq(origin->gone, gone, "tick %lu", (unsigned long)f->tick);
}

/* In the next tick that changes anything. */
static void sort_anew(fleet *f)
{
    f->shard[0].grid.needs_rebuild = true;
}

static void move_to(fleet *f, uint64_t id, float x)
{
    fleet_begin(f);
    fleet_move(f, id, x, 105);
    fleet_end(f);
}

/* ---- shards that get copies ---- */

static uint64_t copies_of(const fleet *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->shard_count; i++) sum += f->shard[i].counts.copies;
    return sum;
}

/* Eight shards around one see all of it, then only the last one does: the others get no copies any more. */
Test(border, who_has_no_observers_any_more_gets_no_copies)
{
    enum { SHARDS = 9, LAST = 8, MIDDLE = 20 };
    fleet *f = fleet_open(plain_rules(10, 100), 3, 3, 4);
    fleet_begin(f);
    for (uint64_t s = 0; s < SHARDS; s++)
        fleet_enter(f, 1 + s, plain_attr(300, 0), 170 + (float)(s % 3) * 330, 170 + (float)(s / 3) * 330);
    fleet_enter(f, MIDDLE, plain_attr(0, 0), 500, 500);
    fleet_end(f);
    fleet_begin(f);
    fleet_move(f, MIDDLE, 501, 500);
    uint64_t before = copies_of(f);
    fleet_end(f);
    cr_assert_geq(copies_of(f) - before, SHARDS - 1, "to each around");
    fleet_begin(f);
    for (uint64_t s = 0; s < LAST; s++) fleet_set(f, 1 + s, plain_attr(0, 0), 0);
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, MIDDLE, 502, 500);
    before = f->shard[LAST].counts.copies;
    uint64_t all = copies_of(f);
    fleet_end(f);
    cr_assert_gt(f->shard[LAST].counts.copies, before);
    cr_assert_eq(copies_of(f) - all, f->shard[LAST].counts.copies - before, "to no other shard");
    fleet_close(f);
}

/* Zeros of unused fields are no halo around the origin. */
Test(border, who_stands_at_the_origin_is_told_to_who_sees_it)
{
    fleet *f = fleet_open(plain_rules(10, 100), 2, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(5, 0), 1, 0);
    fleet_enter(f, 2, plain_attr(600, 0), 590, 0);
    fleet_end(f);
    for (int round = 0; round < 2; round++) {
        uint64_t before = copies_of(f), own = f->shard[0].counts.copies;
        fleet_begin(f);
        fleet_move(f, 1, round == 0 ? 0 : 1, 0);
        fleet_end(f);
        cr_assert_eq(copies_of(f) - before, 1, "to the other shard");
        cr_assert_eq(f->shard[0].counts.copies, own);
    }
    fleet_close(f);
}

/* Each ghost keeps the source of the copy behind it, whatever ghosts came or left between: so the next one is found. */
Test(border, ghosts_know_who_came_behind_them)
{
    enum { GHOSTS = 20, LATER = 30 };
    fleet *f = two(4);
    fleet_begin(f);
    fleet_enter(f, 100, plain_attr(50, 0), 495, 105);
    for (uint64_t id = 1; id <= GHOSTS; id++) fleet_enter(f, id, plain_attr(0, 0), 505, 100 + (float)id);
    fleet_end(f);
    for (int round = 0; round < 3; round++) {
        fleet_begin(f);
        if (round == 1) fleet_leave(f, 7);
        if (round == 1) fleet_enter(f, LATER, plain_attr(0, 0), 505, 130);
        fleet_move(f, 1, 505, 101.5f + (float)round);
        fleet_end(f);
        const phx_store *from = &f->shard[1].store, *to = &f->shard[0].store;
        uint32_t last = PHX_SLOT_NONE, found = 0;
        for (uint32_t slot = 0; slot < from->slots; slot++) {
            if (!(from->body[slot].state & PHX_SLOT_OWN)) continue;
            uint32_t ghost = phx_store_ghost(to, from->name[slot].id);
            cr_assert_neq(ghost, PHX_SLOT_NONE);
            if (last != PHX_SLOT_NONE) cr_assert_eq(to->tail[last].origin.next, ghost, "round %d", round);
            last = ghost;
            found++;
        }
        cr_assert_eq(found, GHOSTS);
        cr_assert_eq(f->shard[0].copied, last);
    }
    fleet_close(f);
}

/* ---- migrations ---- */

static uint64_t migrations_of(const fleet *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->shard_count; i++) sum += f->shard[i].counts.migrations;
    return sum;
}

/*
 * A crowd walks to and fro where four shards meet. Hardly any list is evaluated, however entities migrate, and however
 * far incarnations are apart. The most rounds more of a tick.
 */
static uint32_t walk_over(uint32_t pool_blocks, uint32_t apart)
{
    enum { WALKERS = 120, TICKS = 30 };
    uint64_t rng = 5;
    uint32_t rounds = 0;
    fleet *f = fleet_open(plain_rules(10, 100), 2, 2, pool_blocks);
    fleet_begin(f);
    for (uint64_t id = 1; id <= WALKERS; id++) {
        f->incarnations += phx_rng_below(&rng, apart);
        fleet_enter(f, id, plain_attr(16, 0), float_between(&rng, 490, 510), float_between(&rng, 490, 510));
    }
    fleet_end(f);
    fleet_tick(f);
    uint64_t evaluated = fleet_counts(f).evaluated, before = migrations_of(f);
    for (uint32_t t = 0; t < TICKS; t++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= WALKERS; id++)
            fleet_move(f, id, f->entity[id].x + float_between(&rng, -2.4f, 2.4f),
                       f->entity[id].y + float_between(&rng, -2.4f, 2.4f));
        fleet_end(f);
        rounds = f->rounds > rounds ? f->rounds : rounds;
    }
    evaluated = fleet_counts(f).evaluated - evaluated;
    uint64_t migrations = migrations_of(f) - before;
    cr_assert_gt(migrations, 10 * TICKS);
    cr_assert_lt(evaluated, migrations / 20, "%lu lists", (unsigned long)evaluated);
    fleet_close(f);
    return rounds;
}

Test(border, who_walks_over_it_brings_no_list_that_is_kept)
{
    cr_assert_eq(walk_over(256, 1), 0);
    cr_assert_eq(walk_over(256, 2000), 0, "hashes meet");
}

Test(border, nor_do_those_who_come_in_several_rounds)
{
    cr_assert_gt(walk_over(2, 1), 0);
}

/* With a link it has a list of its own, also where the link's record is behind the list. */
Test(border, who_has_relations_keeps_its_list)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(5, 0), 499, 105);
    fleet_enter(f, 2, plain_attr(5, 0), 501, 105);
    fleet_enter(f, 3, plain_attr(0, 0), 900, 105);
    fleet_relate(f, 1, 3, PHX_RELATION_LINK, 0);
    fleet_end(f);
    fleet_tick(f);
    move_to(f, 1, 500.5f);
    cr_assert_eq(f->changes, 0);
    move_to(f, 1, 498.5f);
    cr_assert_eq(f->changes, 0);
    fleet_close(f);
}

/* ---- ghosts out of sight ---- */

/*
 * Two shards side by side, towers of 20, the border at x = 500. A view of 20 from there: copies of entities nearer than
 * 25 to the border; no observer sees the ones beyond 20. Rows drift by 5 until they are sorted anew.
 */
static fleet *one_looks(void)
{
    fleet *f = fleet_open(plain_rules(20, 50), 2, 1, 64);
    fleet_begin(f);
    fill_first(f);
    fleet_enter(f, 1, plain_attr(20, 0), 499.5f, 105);
    fleet_end(f);
    return f;
}

static void enter_at(fleet *f, uint64_t id, float x)
{
    fleet_begin(f);
    fleet_enter(f, id, plain_attr(0, 0), x, 105);
    fleet_end(f);
}

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
Test(border, who_is_seen_from_farther_off_gets_a_row)
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
Test(border, who_was_gone_and_jumps_in_has_not_walked)
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
    cr_assert_eq(fleet_home(f, 2)->index, 0);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->leaves, 1);
    fleet_close(f);
}

/* An immigrant that saw no ghost, but might have seen the former place of one. */
Test(border, who_walks_in_has_not_seen_who_was_gone)
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
    cr_assert_eq(fleet_home(f, 2)->index, 0);
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 3, 503, 108.5f);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

/* ---- immigrants near released ghosts ---- */

/*
 * Two shards side by side; 3 looks over the border from the second one, a little, 1 from the first one, which has 2
 * near. Rows are many in the second one.
 */
static fleet *side_by_side(float view, float margin, float x, float y)
{
    fleet *f = two(64);
    fleet_begin(f);
    for (uint64_t i = 0; i < FILLERS; i++) fleet_enter(f, FILLER + i, plain_attr(0, 0), 800 + (float)i, 700);
    fleet_enter(f, 1, plain_attr(view, margin), 499, 105);
    fleet_enter(f, 2, plain_attr(0, 0), x, y);
    fleet_enter(f, 3, plain_attr(5, 0), 510, 105);
    return f;
}

static bool gone_in_second(const fleet *f, uint64_t id)
{
    const phx_store *store = &f->shard[1].store;
    uint32_t slot = phx_store_ghost(store, id);
    return slot != PHX_SLOT_NONE && store->tail[slot].origin.gone;
}

/* 1 walks over, with so many leaves. */
static void walk_in(fleet *f, uint32_t leaves)
{
    cr_assert(gone_in_second(f, 2));
    move_to(f, 1, 500.4f);
    cr_assert_eq(fleet_home(f, 1)->index, 1);
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
static void past_one_and_from_another(float y)
{
    fleet *f = side_by_side(10, 0, 493, y);
    fleet_enter(f, 4, plain_attr(0, 0), 490.2f, 105);
    fleet_end(f);
    for (float x = 491; x > 487; x -= 1.5f) move_to(f, 2, x);
    cr_assert_eq(fleet_slot(f, 1, 4), PHX_SLOT_NONE);
    cr_assert(fleet_sees(f, 1, 4) && !fleet_sees(f, 1, 2));
    walk_in(f, 1);
}

Test(border, past_one_and_from_another)
{
    past_one_and_from_another(105);
}

Test(border, past_one_out_of_sight_and_from_another)
{
    past_one_and_from_another(115);
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

/* ---- immigrants, and more ---- */

Test(border, who_gets_ready_and_walks_in_is_told_all)
{
    phx_attr later = plain_attr(10, 0);
    later.ready = false;
    fleet *f = side_by_side(5, 0, 502, 105);
    fleet_enter(f, 4, later, 499, 106);
    fleet_end(f);
    fleet_tick(f);
    later.ready = true;
    fleet_begin(f);
    fleet_set(f, 4, later, 0);
    fleet_move(f, 4, 500.4f, 106);
    fleet_end(f);
    cr_assert_eq(f->enters, 3);
    fleet_close(f);
}

Test(border, who_waits_for_a_row_and_walks_in)
{
    fleet *f = side_by_side(10, 0, 505, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_move(f, 1, 490, 105);
    fleet_set(f, 3, plain_attr(0.5f, 0), 0);
    fleet_end(f);
    move_to(f, 1, 498.5f);
    move_to(f, 2, 560);
    move_to(f, 1, 498.4f);
    move_to(f, 1, 500.4f);
    cr_assert_eq(fleet_home(f, 1)->index, 1);
    fleet_close(f);
}

/* A copy for the halo as well as for a link, in either order: pinned once is pinned. */
Test(border, one_of_two_copies_may_be_pinned)
{
    fleet *f = one_looks();
    fleet_begin(f);
    fleet_enter(f, 2, plain_attr(0, 0), 522, 105);
    fleet_relate(f, 1, 2, PHX_RELATION_LINK, 0);
    fleet_end(f);
    bool row = false;
    const phx_ghost_source *origin = ghost_of(f, 2, &row);
    cr_assert(origin && row && origin->pinned);
    fleet_close(f);
}

/* Far targets are sorted behind the rows: when there is no memory for that, all is begun again. */
Test(border, memory_ends_behind_the_rows)
{
    enum { CALLS = 30 };
    phx_attr reaching = plain_attr(0, 0);
    uint32_t stops = 0;
    reaching.reach = 30;
    for (uint64_t calls = 0; calls < CALLS; calls++) {
        fleet *f = side_by_side(0, 0, 494, 105);
        fleet_enter(f, 5, plain_attr(0, 0), 700, 105);
        fleet_enter(f, 6, plain_attr(0, 0), 700, 205);
        fleet_end(f);
        fleet_tick(f);
        move_to(f, 2, 300);
        cr_assert(gone_in_second(f, 2));
        fleet_begin(f);
        fleet_move(f, 5, 701.4f, 105); /* rows have drifted far enough if that is counted twice */
        fleet_set(f, 6, reaching, 0);
        fleet_memory_for(calls);
        fleet_end(f);
        fleet_memory_enough();
        for (uint64_t i = 0; i < 4; i++) {
            fleet_begin(f);
            fleet_leave(f, FILLER + i);
            fleet_end(f);
        }
        stops += f->stops;
        fleet_close(f);
    }
    cr_assert_gt(stops, 3);
}
