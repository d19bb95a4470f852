/*
 * shards/exchange/receive.c, exchange/halo.c and tick/reindex.c: the cost of walking along and over borders, which
 * is small where no observer can see the difference (shards_fixture.h compares every tick with a plain world).
 */
#include "unit/shards/exchange/border_case.h"

/* ---- shards that get copies ---- */

static uint64_t copies_of(const fleet *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->shard_count; i++) sum += f->shard[i].counts.copies;
    return sum;
}

/* Eight shards around one see all of it, then only the last one does: the others get no copies any more. */
Test(border, a_shard_without_observers_gets_no_copies)
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
Test(border, a_target_at_the_origin_enters_the_lists_in_range)
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
Test(border, a_ghost_has_the_id_of_its_later_entity)
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

Test(border, an_immigrant_over_the_border_brings_no_stored_list)
{
    cr_assert_eq(walk_over(256, 1), 0);
    cr_assert_eq(walk_over(256, 2000), 0, "hashes meet");
}

Test(border, immigrants_of_several_rounds_bring_no_stored_list)
{
    cr_assert_gt(walk_over(2, 1), 0);
}

/* With a link it has a list of its own, also where the link's record is behind the list. */
Test(border, an_immigrant_with_relations_keeps_its_list)
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

/* ---- immigrants, and more ---- */

Test(border, an_immigrant_that_gets_ready_receives_the_whole_list)
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

Test(border, a_ghost_without_a_row_migrates_in)
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
    cr_assert_eq(fleet_home(f, 1)->number, 1);
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
