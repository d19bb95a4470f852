/*
 * Renewed observers (grid/prev_rows.h): attributes that concern an entity's own list alone. It is evaluated, but for
 * all others it only walks: no previous row is made of it, in tiles and by sparse plans. The fixture compares every
 * list.
 */
#include "unit/shards/shards_fixture.h"

enum { SIDE = 14, FIRST = 30, TURNS = 14 };

#define VIEW 20.0f
#define APART 5.0f

static fleet *f;

/* Attributes of an observer, one after the other; the last ones are the first again. */
static phx_attr renewed_attr(uint32_t turn)
{
    phx_attr attr = plain_attr(VIEW, 0);
    switch (turn % 8) {
    case 0:
        attr.detect = 2;
        break;
    case 1:
        attr.view = VIEW + 7;
        break;
    case 2:
        attr.margin = 4;
        break;
    case 3:
        attr.cap = 9;
        break;
    case 4:
        attr.sees = 2;
        break;
    case 5:
        attr.view = 0;
        break;
    case 6: /* crowd control took a step */
        attr.view = VIEW - 5;
        attr.crowd_step = 3;
        break;
    default:
        break;
    }
    return attr;
}

static void open_crowd(void)
{
    f = fleet_open(plain_rules(10, 30), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t i = 0; i < SIDE * SIDE; i++) {
        phx_attr attr = plain_attr(VIEW, 0);
        if (i % 9 == 0) attr.stealth = 1;
        if (i % 7 == 0) attr.layers = 3;
        fleet_enter(f, i + 1, attr, 105 + APART * (float)(i % SIDE), 105 + APART * (float)(i / SIDE));
    }
    fleet_end(f);
    fleet_tick(f);
}

/* The first of a tick's walkers to the last one walk, to and fro. */
static void walk(uint32_t tick, uint64_t first, uint64_t last)
{
    for (uint64_t id = first; id <= last; id++)
        fleet_move(f, id, f->entity[id].x + ((tick + id) % 4 < 2 ? 1 : -1), f->entity[id].y + (id % 2 ? 0.5f : -0.5f));
}

/* It sees stealthy targets in every other tick: all views stay alike. */
static phx_attr alert_attr(uint32_t tick)
{
    phx_attr attr = plain_attr(VIEW, 0);
    attr.detect = tick % 2 ? 0 : 2;
    return attr;
}

/* Three observers far from each other are renewed in each tick, while so many walk. */
static void renew_some(uint64_t walkers, bool alike)
{
    enum { RENEWED = 3, NEXT = 60 };
    open_crowd();
    for (uint32_t tick = 0; tick < TURNS; tick++) {
        const phx_interest_counts before = fleet_counts(f);
        const phx_prev_rows *previous = &f->shard[0].previous;
        fleet_begin(f);
        walk(tick, FIRST, FIRST + walkers - 1);
        for (uint32_t i = 0; i < RENEWED; i++)
            fleet_set(f, FIRST + i * NEXT, alike ? alert_attr(tick) : renewed_attr(tick + i), 0);
        cr_assert_eq(previous->renewed_count, RENEWED);
        cr_assert_eq(previous->discontinuous_count, 0, "for others they are no other targets");
        cr_assert(!f->shard[0].any_discontinuous);
        fleet_end(f);
        cr_assert_eq(previous->renewed_count, 0);
        const uint64_t evaluated = fleet_counts(f).evaluated - before.evaluated;
        cr_assert(evaluated >= RENEWED - 1 && evaluated <= 2 * RENEWED, "tick %u: %lu evaluated", tick,
                  (unsigned long)evaluated); /* one without a view has no list; some are cut, or left */
    }
    fleet_close(f);
}

Test(renewed, while_all_walk)
{
    renew_some(SIDE * SIDE - FIRST + 1, false);
    renew_some(SIDE * SIDE - FIRST + 1, true);
}

Test(renewed, while_few_walk)
{
    renew_some(4, false);
    renew_some(4, true);
}

Test(renewed, while_all_others_stand)
{
    renew_some(0, false);
    renew_some(0, true);
}

/* In a tile of two views so many are renewed that their equal views stand side by side: each is evaluated still. */
Test(renewed, many_of_one_view_beside_another_view)
{
    enum { NARROW = 5, MANY = 32 };
    open_crowd();
    for (uint32_t tick = 0; tick < TURNS; tick++) {
        const uint64_t before = fleet_counts(f).evaluated;
        uint32_t renewed = 0;
        fleet_begin(f);
        walk(tick, 1, SIDE * SIDE);
        for (uint64_t id = 1; id <= SIDE * SIDE && renewed < MANY; id++) {
            const uint64_t i = id - 1;
            if (i % 9 == 0 || i % 7 == 0) continue; /* else it changes as a target */
            if (i % NARROW == 0 && tick == 0) fleet_set(f, id, plain_attr(VIEW - 5, 0), 0);
            if (i % NARROW == 0) continue;
            fleet_set(f, id, alert_attr(tick), 0);
            renewed++;
        }
        fleet_end(f);
        cr_assert(tick == 0 || fleet_counts(f).evaluated - before == MANY, "tick %u: %lu evaluated", tick,
                  (unsigned long)(fleet_counts(f).evaluated - before));
    }
    fleet_close(f);
}

/* One after the other, neighbours get the attributes with which the others keep stored lists. */
Test(renewed, one_gets_the_attributes_of_another_with_a_stored_list)
{
    phx_attr attr = plain_attr(VIEW, 0);
    attr.sees = 2;
    open_crowd();
    for (uint32_t tick = 0; tick < TURNS; tick++) {
        fleet_begin(f);
        walk(tick, 1, SIDE * SIDE);
        fleet_set(f, FIRST + 1 + tick * 5 % TURNS, attr, 0);
        fleet_end(f);
    }
    fleet_close(f);
}

/* With attributes of a target too, in either order, it is discontinuous as before. */
Test(renewed, another_target_is_discontinuous)
{
    phx_attr sees = plain_attr(VIEW + 3, 0), both = sees;
    both.stealth = 1;
    open_crowd();
    const phx_prev_rows *previous = &f->shard[0].previous;
    for (uint32_t first = 0; first < 2; first++) {
        fleet_begin(f);
        fleet_set(f, FIRST, first == 0 ? sees : both, 0);
        fleet_set(f, FIRST, first == 0 ? both : plain_attr(VIEW, 0), 0);
        cr_assert_eq(previous->discontinuous_count, 1);
        fleet_end(f);
    }
    fleet_begin(f);
    fleet_set(f, FIRST, sees, 0);
    fleet_move(f, FIRST, 160, 160); /* a jump */
    cr_assert_eq(previous->renewed_count, 1);
    cr_assert_eq(previous->discontinuous_count, 1);
    fleet_end(f);
    fleet_close(f);
}

/*
 * An observer that is not ready any more has no list, so it is not evaluated, and its block is as one beside a mere
 * target. Nothing is owed to it either, unless it is ready again in the same tick.
 */
Test(renewed, one_that_is_not_ready_has_no_list_to_evaluate)
{
    phx_attr resting = plain_attr(VIEW, 0);
    resting.ready = false;
    open_crowd();
    for (uint32_t tick = 0; tick < TURNS; tick++) {
        const uint64_t before = fleet_counts(f).evaluated;
        fleet_begin(f);
        walk(tick, 1, SIDE * SIDE);
        if (tick % 3 != 1) fleet_set(f, FIRST, resting, 0);
        if (tick % 3 != 0) fleet_set(f, FIRST, plain_attr(VIEW, 0), 0);
        fleet_end(f);
        cr_assert_eq(fleet_counts(f).evaluated - before, tick % 3 != 0, "tick %u", tick);
    }
    fleet_close(f);
}
