/*
 * shards/interest/delta_tile.c: the cases in which a delta is enough, and the others, against a plain world
 * (shards_fixture.h compares every tick).
 */
#include "support/check.h"
#include "unit/shards/shards_fixture.h"

#include "base/rng.h"
#include "base/simd.h"

static fleet *f;

/* Ten plain observers, 100 apart, each with a target 10 off; views of 20, towers of 10. */
enum { LONE = 10 };

static void open_lone(float margin)
{
    f = fleet_open(plain_rules(10, 200), 1, 1, 4);
    f->piece = 1;
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id++) {
        fleet_enter(f, id, plain_attr(20, margin), (float)id * 100 + 5, 105);
        fleet_enter(f, 100 + id, plain_attr(0, 0), (float)id * 100 + 15, 105);
    }
    fleet_end(f);
    fleet_tick(f);
}

static phx_interest_counts counted;

static void begin(void)
{
    counted = fleet_counts(f);
    fleet_begin(f);
}

/* Evaluations, and observers for which a delta with a row query was enough. */
static void end(uint32_t lists, uint32_t by_delta, uint32_t changes)
{
    fleet_end(f);
    cr_assert_eq(fleet_counts(f).evaluated - counted.evaluated, lists, "%lu lists",
                 (unsigned long)(fleet_counts(f).evaluated - counted.evaluated));
    cr_assert_eq(f->checked, lists + by_delta, "%u looked at", f->checked);
    cr_assert_eq(f->changes, changes, "%u told", f->changes);
}

Test(run_delta, a_short_step_of_a_target_or_an_observer)
{
    open_lone(0);
    begin();
    fleet_move(f, 101, 117.5f, 105); /* the longest that is short: a quarter of a tower */
    end(0, 1, 0);
    begin();
    fleet_move(f, 101, nextafterf(120, INFINITY), 105); /* a jump, but no list is stored */
    end(0, 1, 0);
    begin();
    fleet_move(f, 2, 204, 104);
    end(0, 1, 0);
    for (int i = 0; i < 4; i++) { /* 15.5 off now; away in steps of 2, out at 20 */
        begin();
        fleet_move(f, 101, f->entity[101].x + 2, 105);
        end(0, 1, i == 2);
    }
    begin();
    fleet_move(f, 101, f->entity[101].x - 2.5f, 107);
    fleet_move(f, 1, 107, 105); /* towards each other */
    end(0, 1, 1);
    fleet_close(f);
}

/*
 * Two moves of a tick are one step, from the last tick's end. For a discontinuous target a delta is enough, whether the
 * list is derived or stored, as with a margin.
 */
static void two_moves(float margin)
{
    const uint32_t derived = margin == 0;
    open_lone(margin);
    begin();
    fleet_move(f, 101, 117, 105);
    fleet_move(f, 101, 119, 105); /* further than a step */
    end(0, 1, 0);
    begin();
    fleet_move(f, 101, 121, 105);
    fleet_move(f, 101, 119, 105); /* and back: where it was */
    end(0, derived, 0);
    begin();
    fleet_move(f, 1, 106, 105);
    fleet_move(f, 1, 107, 105); /* an observer's own, too */
    end(0, 1, 0);
    begin();
    fleet_move(f, 101, 200, 105);
    fleet_move(f, 101, 119, 105); /* after a jump the way back is not known as a step */
    end(0, 1, 0);
    fleet_close(f);
}

Test(run_delta, two_moves_in_a_tick_are_one_step)
{
    two_moves(0);
    two_moves(1);
}

static void whatever_else(float margin)
{
    phx_attr hidden = plain_attr(0, 0);
    hidden.stealth = 1;
    open_lone(margin);
    begin();
    fleet_set(f, 101, plain_attr(0, 0), 5); /* its attributes stay the same */
    end(0, 0, 0);
    begin();
    fleet_leave(f, 102);
    end(0, 1, 1);
    begin();
    fleet_enter(f, 102, plain_attr(0, 0), 215, 105);
    end(0, 1, 1);
    begin();
    fleet_relate(f, 3, 104, PHX_RELATION_LINK, 0);
    end(0, 1, 1); /* the changed pair alone is decided */
    begin();
    fleet_move(f, 103, 316, 105); /* a delta is enough for an observer with relations */
    end(0, 1, 0);
    begin();
    fleet_relate(f, 3, 104, 0, 0);
    end(0, 1, 1);
    begin();
    fleet_move(f, 103, 315, 105); /* and no more when they ended */
    end(0, 1, 0);
    begin();
    fleet_move(f, 105, 550, 105); /* out of sight, at once */
    end(0, 1, 1);
    begin();
    fleet_move(f, 105, 516, 105);
    end(0, 1, 1);
    begin();
    fleet_set(f, 106, hidden, 0);
    fleet_move(f, 106, 614, 105);
    end(0, 1, 1);
    begin();
    fleet_set(f, 106, plain_attr(0, 0), 0);
    end(0, 1, 1);
    fleet_close(f);
}

Test(run_delta, all_other_changes_near_take_no_list)
{
    whatever_else(0);
    whatever_else(1);
}

/* The same, by any query: a delta was enough. */
static void told(uint32_t changes)
{
    fleet_end(f);
    cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated);
    cr_assert_gt(fleet_counts(f).by_delta, counted.by_delta);
    cr_assert_eq(f->changes, changes, "%u told", f->changes);
}

Test(run_delta, the_margin_follows_from_the_list)
{
    open_lone(10);
    static const float away[] = {2, 2, 2, 2, 2.5f, 2, 2, 2, 2, 2, 2}; /* from 10 off to 32.5 */
    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        begin();
        fleet_move(f, 101, f->entity[101].x + away[i], 105);
        told(f->entity[101].x > 135 && f->entity[101].x - away[i] <= 135);
    }
    for (size_t i = 0; i < sizeof away / sizeof *away; i++) { /* and back: in again only at 20 */
        begin();
        fleet_move(f, 101, f->entity[101].x - away[i], 105);
        told(f->entity[101].x <= 125 && f->entity[101].x + away[i] > 125);
    }
    fleet_close(f);
}

/* No observer was evaluated, whether or not a delta concerned one. */
static void end_without_lists(uint32_t changes)
{
    fleet_end(f);
    cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated);
    cr_assert_eq(f->changes, changes, "%u told", f->changes);
}

/* Observer 4 stands at 405, 105. */
Test(run_delta, a_target_with_a_reach_needs_no_list)
{
    open_lone(0);
    phx_attr dragon = plain_attr(0, 0);
    dragon.reach = 500;
    begin();
    fleet_enter(f, 300, dragon, 400, 606);
    end_without_lists(0);
    begin();
    fleet_move(f, 101, 116, 105); /* the observer stands still, and so does the dragon */
    end(0, 1, 0);
    begin();
    fleet_move(f, 1, 106, 105); /* it might come into its reach */
    end(0, 1, 0);
    for (int i = 0; i < 4; i++) { /* in reach at 604, then out again */
        begin();
        fleet_move(f, 300, 400, i < 2 ? 606 - 2 * (float)(i + 1) : 602 + 2 * (float)(i - 1));
        fleet_end(f);
        cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated, "step %d", i);
        cr_assert_eq(f->changes, i % 3 == 0 ? 1 : 0, "step %d: %u changes", i, f->changes);
        cr_assert(f->shard[0].derives_lists && f->shard[0].store.tail[fleet_slot(f, 0, 4)].list.derived);
    }
    begin();
    fleet_move(f, 300, 400, 700); /* a jump */
    end_without_lists(0);
    begin();
    fleet_move(f, 300, 400, 500); /* back: into the reach of seven, from 105 to 705 */
    end_without_lists(7);
    begin();
    dragon.stealth = 1;
    fleet_set(f, 300, dragon, 0);
    end_without_lists(7);
    fleet_close(f);
}

/* Many at once cost no observer its list. */
Test(run_delta, many_targets_with_a_reach_come_without_a_list)
{
    enum { DRAGONS = 300, SEERS = 7 };
    open_lone(0);
    phx_attr dragon = plain_attr(0, 0);
    dragon.reach = 500;
    begin();
    for (uint64_t i = 0; i < DRAGONS; i++) fleet_enter(f, 300 + i, dragon, 400, 500);
    end_without_lists(SEERS);
    begin();
    for (uint64_t i = 0; i < DRAGONS; i++) fleet_move(f, 300 + i, 400, i % 2 ? 1500 : 520);
    end_without_lists(SEERS);
    fleet_close(f);
}

/* From 20 towers off, so that its cell has to follow it. */
Test(run_delta, a_target_with_a_reach_comes_from_far_off)
{
    open_lone(0);
    phx_attr dragon = plain_attr(0, 0);
    dragon.reach = 25;
    begin();
    fleet_enter(f, 300, dragon, 405, 305);
    end_without_lists(0);
    uint32_t came = 0;
    for (int i = 0; i < 95; i++) {
        begin();
        fleet_move(f, 300, 405, 303 - 2 * (float)i);
        fleet_end(f);
        cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated, "step %d", i);
        came += f->changes;
    }
    cr_assert_eq(came, 1);
    fleet_close(f);
}

/*
 * Pairs tested in each of some ticks in which a target with a reach walks by, from x on. An observer has a bounded
 * target in its annulus, which distances do not decide: it is looked at twice. Another one in its block has a margin.
 */
static void pairs_of_passage(float x, uint32_t piece, uint64_t *pairs, uint32_t ticks)
{
    phx_attr faint = plain_attr(0, 0), dragon = plain_attr(0, 0);
    faint.visible = 15;
    dragon.reach = 100;
    f = fleet_open(plain_rules(10, 200), 1, 1, 4);
    f->piece = piece;
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 10), 410, 110);
    fleet_enter(f, 2, plain_attr(20, 10), 470, 110);
    fleet_enter(f, 101, faint, 424, 110);
    fleet_enter(f, 300, dragon, x, 110);
    fleet_end(f);
    fleet_tick(f);
    begin();
    fleet_move(f, 101, 426, 110); /* beyond its bound, within the margin */
    end_without_lists(0);
    for (uint32_t t = 0; t < ticks; t++) {
        begin();
        fleet_move(f, 101, t % 2 ? 426 : 427, 110);
        fleet_move(f, 300, x - 2 * (float)(t + 1), 110);
        end_without_lists(0);
        cr_assert(fleet_sees(f, 1, 101));
        pairs[t] = fleet_counts(f).pairs_tested - counted.pairs_tested;
        cr_assert_gt(pairs[t], 0);
    }
    fleet_close(f);
}

/*
 * The border of a reach lies between two observers: it is near the one alone. Work for the other one is as if there was
 * no such target, or it would depend on which observers are looked at together, which differs by worker.
 */
Test(run_delta, a_reach_near_one_observer_is_no_work_for_another)
{
    enum { TICKS = 4 };
    uint64_t far[TICKS], near[TICKS], alone[TICKS];
    pairs_of_passage(800, 0, far, TICKS);
    pairs_of_passage(581, 0, near, TICKS);
    pairs_of_passage(581, 1, alone, TICKS);
    for (uint32_t t = 0; t < TICKS; t++) {
        cr_assert_eq(near[t], far[t], "tick %u: %lu, and %lu without", t, (unsigned long)near[t],
                     (unsigned long)far[t]);
        cr_assert_eq(alone[t], far[t], "tick %u: %lu, and %lu without", t, (unsigned long)alone[t],
                     (unsigned long)far[t]);
    }
}

/* One event at the border of a sphere, or at the height of a cylinder; and where only a height changes. */
Test(run_delta, other_shapes_compare_heights_off_flat_ground)
{
    for (int i = 0; i < 2; i++) {
        phx_rules rules = plain_rules(10, 50);
        rules.shape = i == 0 ? PH_SHAPE_SPHERE : PH_SHAPE_CYLINDER;
        rules.height = 5; /* of a cylinder: below the flight */
        f = fleet_open(rules, 1, 1, 4);
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(20, 0), 105, 105);
        fleet_enter(f, 2, plain_attr(0, 0), 123, 105);
        for (uint64_t id = 3; id <= 12; id++) fleet_enter(f, id, plain_attr(0, 0), 300, 300); /* so few move */
        fleet_end(f);
        begin();
        end_without_lists(0);
        begin();
        fleet_fly(f, 2, 124, 105, 8);
        end_without_lists(1);
        begin();
        fleet_fly(f, 2, 124, 105, 0);
        end_without_lists(1);
        begin();
        fleet_fly(f, 2, 124, 105, 2);
        end_without_lists(0);
        begin();
        fleet_fly(f, 1, 105, 105, -3);
        fleet_fly(f, 2, 124, 105, 5); /* apart from each other: one event */
        end_without_lists(1);
        begin();
        fleet_fly(f, 1, 105, 105, 0);
        end_without_lists(1);
        begin();
        fleet_fly(f, 2, 124, 105, 60);
        fleet_end(f);
        cr_assert_eq(fleet_counts(f).evaluated - counted.evaluated, i == 0,
                     "so high is a block of spheres without units");
        cr_assert_eq(f->changes, 1);
        fleet_close(f);
    }
}

/* The longest margin of all is longer than the views of a block: no cell of it may be left out for that. */
Test(run_delta, spheres_beside_a_margin_as_long_as_may_be)
{
    phx_rules rules = plain_rules(10, 50);
    rules.shape = PH_SHAPE_SPHERE;
    f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 5), 105, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 128, 105);
    fleet_enter(f, 3, plain_attr(20, PH_LENGTH_MAX / 2), 405, 405);
    fleet_end(f);
    begin();
    fleet_fly(f, 2, 126, 105, 3);
    fleet_end(f);
    begin();
    fleet_fly(f, 2, 124, 105, 3);
    fleet_fly(f, 1, 105, 105, 0);
    fleet_fly(f, 3, 405, 405, 0);
    fleet_end(f);
    cr_assert(fleet_sees(f, 1, 2));
    fleet_close(f);
}

/*
 * Each target is as high above its observer as a cylinder is, but for a hair more or less: units, of which each is many
 * hairs, can not tell.
 */
Test(run_delta, a_target_a_hair_above_or_below_the_end_of_a_cylinder)
{
    enum { COUPLES = 60, TICKS = 20 };
    const float height = 5, hair = 0.0002f, hills = 40;
    uint64_t rng = 7;
    phx_rules rules = plain_rules(10, 50);
    rules.shape = PH_SHAPE_CYLINDER;
    rules.height = height;
    f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 2 * COUPLES; id++)
        fleet_enter(f, id, plain_attr(20, 0), 100 + 50 * phx_rng_unit(&rng), 100 + 50 * phx_rng_unit(&rng));
    fleet_end(f);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        begin();
        for (uint64_t id = 1; id <= 2 * COUPLES; id += 2) {
            const float x = f->entity[id].x, y = f->entity[id].y, z = hills * phx_rng_unit(&rng);
            fleet_fly(f, id, x, y, z);
            fleet_fly(f, id + 1, x + 1, y, z + height + (phx_rng_below(&rng, 2) ? hair : -hair));
        }
        fleet_end(f);
        cr_assert(tick == 0 || fleet_counts(f).evaluated == counted.evaluated, "heights are no reason");
    }
    fleet_close(f);
}

/*
 * Observers on flat ground, and above and below the next block a column of targets that come near in the ground plane:
 * the upper ones are more units away than 16 bits have.
 */
Test(run_delta, targets_of_another_block_high_above_and_far_below)
{
    enum { OBSERVERS = 8, COLUMN = 80, FIRST = 101, TICKS = 5 };
    for (int i = 0; i < 4; i++) {
        const float side = i % 2 ? 1 : -1;
        phx_rules rules = plain_rules(10, 50);
        rules.shape = i < 2 ? PH_SHAPE_SPHERE : PH_SHAPE_CYLINDER;
        rules.height = 5;
        f = fleet_open(rules, 1, 1, 4);
        fleet_begin(f);
        for (uint64_t id = 1; id <= OBSERVERS; id++)
            fleet_enter(f, id, plain_attr(20, 0), 149 + (float)(id % 2), 100 + (float)id);
        for (uint64_t id = FIRST; id < FIRST + COLUMN; id++) fleet_enter(f, id, plain_attr(0, 0), 175, 105);
        fleet_end(f);
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            begin();
            for (uint64_t id = 1; id <= OBSERVERS; id++) fleet_move(f, id, f->entity[id].x, f->entity[id].y);
            for (uint64_t id = FIRST; id < FIRST + COLUMN; id++)
                fleet_fly(f, id, 175 - 2 * (float)tick, 105, side * (6 + 3 * (float)(id - FIRST)));
            fleet_end(f);
            cr_assert(tick == 0 || fleet_counts(f).evaluated == counted.evaluated, "heights are no reason");
        }
        fleet_close(f);
    }
}

/*
 * Spheres on hills, until in one tick all come down to flat ground and a target gets a reach, a view from everywhere or
 * a bound: before, heights decided, and now they do not. They stand in pairs of a low and a high one.
 */
Test(run_delta, ground_that_becomes_flat_as_a_target_gets_other_borders)
{
    enum { REACH, GLOBAL, BOUND, KINDS, PAIRS = 10 };
    for (int i = 0; i < KINDS; i++) {
        phx_rules rules = plain_rules(10, 50);
        rules.shape = PH_SHAPE_SPHERE;
        phx_attr other = plain_attr(20, 0);
        other.reach = i == REACH ? 30 : 0;
        other.global = i == GLOBAL;
        if (i == BOUND) other.visible = 15;
        f = fleet_open(rules, 1, 1, 4);
        fleet_begin(f);
        for (uint64_t id = 1; id <= 2 * PAIRS; id++)
            fleet_enter(f, id, plain_attr(20, 0), 105 + (float)(id / 2) * 4, 105 + (float)(id % 2) * 10);
        fleet_end(f);
        begin();
        for (uint64_t id = 1; id <= 2 * PAIRS; id++)
            fleet_fly(f, id, f->entity[id].x, f->entity[id].y, id % 2 ? 0 : 18);
        fleet_end(f);
        cr_assert_gt(f->changes, 0);
        begin();
        fleet_fly(f, 1, 106, 115, 0);
        fleet_end(f);
        cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated, "on hills a delta is enough");
        cr_assert_not(fleet_sees(f, 1, 2));
        begin();
        for (uint64_t id = 1; id <= 2 * PAIRS; id++) fleet_move(f, id, f->entity[id].x, f->entity[id].y);
        fleet_set(f, 2 * PAIRS, other, 0);
        fleet_end(f);
        cr_assert(fleet_sees(f, 1, 2));
        fleet_close(f);
    }
}

/* Where few move, a target with a reach that only rises leaves lists of observers far from it, and comes back. */
Test(run_delta, a_far_target_that_rises_and_falls)
{
    enum { OBSERVERS = 20, DRAGON };
    phx_rules rules = plain_rules(10, 50);
    rules.shape = PH_SHAPE_SPHERE;
    phx_attr dragon = plain_attr(0, 0);
    dragon.reach = 80;
    f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= OBSERVERS; id++) fleet_enter(f, id, plain_attr(20, 0), 165, 100 + (float)id);
    fleet_enter(f, DRAGON, dragon, 105, 110);
    fleet_end(f);
    begin();
    fleet_fly(f, 1, 165, 101, 5); /* heights differ */
    fleet_end(f);
    begin();
    fleet_end(f);
    for (uint32_t i = 0; i < 4; i++) {
        begin();
        fleet_fly(f, DRAGON, 105, 110, i % 2 ? 0 : 100);
        fleet_end(f);
        for (uint64_t id = 1; id <= OBSERVERS; id++)
            cr_assert_eq(fleet_sees(f, id, DRAGON), i % 2 == 1, "tick %u, observer %d", i, (int)id);
    }
    cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated, "a delta is enough");
    fleet_close(f);
}

/* Most move: towers are not marked, and yet no event is missed; the tick after, too. */
Test(run_delta, a_moving_crowd_is_compared_without_marks)
{
    open_lone(0);
    for (int round = 0; round < 4; round++) { /* not so far that a neighbour's block might see the target */
        fleet_begin(f);
        for (uint64_t id = 101; id <= 100 + LONE; id++) fleet_move(f, id, f->entity[id].x + 2, 105);
        fleet_end(f);
        cr_assert(f->shard[0].dense_tick);
        cr_assert_eq(f->checked, LONE);
    }
    fleet_begin(f);
    fleet_move(f, 101, f->entity[101].x + 2, 105);
    fleet_end(f);
    cr_assert_eq(f->checked, LONE, "guessed from the tick before");
    cr_assert_not(f->shard[0].dense_tick);
    fleet_begin(f);
    fleet_move(f, 101, f->entity[101].x + 2, 105);
    fleet_end(f);
    cr_assert_eq(f->checked, 1);
    fleet_close(f);
}

/* Rows in the cells around that of an observer, less the rows of the same cell if all there stay in view. */
typedef struct cells {
    float from, to, side; /* no rows beyond these matter to the block */
    int around;
    bool inner;
} cells;

static uint32_t rows_around(const cells *c, uint64_t tile_observer, uint64_t ids)
{
    const fleet_entity *w = &f->entity[tile_observer];
    int wx = (int)((w->x - c->from) / c->side), wy = (int)((w->y - c->from) / c->side);
    uint32_t n = 0;
    for (uint64_t id = 1; id <= ids; id++) {
        const fleet_entity *e = &f->entity[id];
        if (!e->in || e->x < c->from || e->y < c->from || e->x > c->to || e->y > c->to) continue;
        int dx = abs((int)((e->x - c->from) / c->side) - wx), dy = abs((int)((e->y - c->from) / c->side) - wy);
        n += dx <= c->around && dy <= c->around && !(c->inner && dx == 0 && dy == 0);
    }
    return n;
}

/*
 * One target a tower, and one observer, 25 off the corner of its block, which is at 400. Cells go on both
 * ways from half a unit before that corner, as rows may have drifted as far; they are as wide as the view and
 * a step of half a unit, or half as wide where the square of that holds 24 rows or more; a
 * delta goes one or two cells on each side. Both are in one cell. Where few moved, only movers query. Where few
 * observe, observers do: all rows of the towers that the view and two steps reach, which are more than the drift. A
 * tile is made where targets observe, too, in three towers each way, all of them in the same cell but where cells are
 * small; and there one more observer beside each, as with fewer it would not pay.
 */
static bool in_the_corner(uint64_t i, uint64_t side)
{
    uint64_t x = i % side, y = i / side; /* 10 is the first in the block, 12 the one that moves */
    return x >= 10 && x <= 12 && y >= 10 && y <= 12 && !(x == 12 && y == 12);
}

Test(run_delta, a_delta_tests_the_rows_of_the_cells_in_view)
{
    enum { SIDE = 24, IDS = 600 }; /* at 305, 315 .. 535 */
    enum { FEW_MOVE, FEW_OBSERVE, TILE, WAYS };
    static const struct {
        float view, side, before; /* where the first of the cells around begins, for the block's first rows */
        int around;
        uint32_t pairs, ranges, few_pairs, few_ranges;
    } views[] = {
        {4.7f, 5.203f, 5.203f, 1, 1 * 1 + 1, 3, 3 * 3 + 1, 3},         /* 415.1 to 430.7; 419.3 to 431.2 */
        {6, 6.503f, 6.503f, 1, 2 * 2 + 1, 3, 3 * 3 + 1, 3},            /* 412.5 to 432; 418 to 432.5 */
        {16, 16.508f, 16.508f, 1, 5 * 5 + 1, 3, 5 * 5 + 1, 5},         /* 399.5 to 449; 408 to 442.5 */
        {44.7f, 45.222f, 45.222f, 1, 14 * 14 + 1, 3, 11 * 11 + 1, 22}, /* 354.3 to 489.9; 379.3 to 471.2: four blocks */
        /* 338 to 491.8, but for the own one: all in view; 363 to 487.5, of nine blocks */
        {61, 30.765f, 61.531f, 2, 15 * 15 - 3 * 3, 6, 13 * 13 + 1,
         39}}; /* the mover, from 60.8 away, at 365, steps to 61.3: units are enough to tell */
    for (size_t v = 0; v < WAYS * sizeof views / sizeof *views; v++) {
        const size_t way = v % WAYS, of = v / WAYS;
        const cells c = {399.5f - views[of].before, 480.5f + views[of].before, views[of].side, views[of].around,
                         views[of].around > 1};
        const float view = views[of].view;
        f = fleet_open(plain_rules(10, 100), 1, 1, 4);
        fleet_begin(f);
        for (uint64_t i = 0; i < SIDE * SIDE; i++)
            fleet_enter(f, i + 1, plain_attr(way == TILE && in_the_corner(i, SIDE) ? view : 0, 0),
                        300 + (float)(i % SIDE) * 10 + 5, 300 + (float)(i / SIDE) * 10 + 5);
        fleet_enter(f, IDS, plain_attr(view, 0), 425, 425);
        uint64_t ids = IDS;
        if (way == TILE) fleet_enter(f, ++ids, plain_attr(view, 0), 425, 425);
        for (uint64_t i = 0; way == TILE && i < SIDE * SIDE; i++)
            if (in_the_corner(i, SIDE))
                fleet_enter(f, ++ids, plain_attr(view, 0), f->entity[i + 1].x, f->entity[i + 1].y);
        fleet_end(f);
        fleet_tick(f);
        f->shard[0].dense_tick = way != FEW_MOVE;
        begin();
        fleet_move(f, 12 * SIDE + 13, 425.5f, 425); /* the entity beside it */
        fleet_end(f);
        uint32_t pairs = rows_around(&c, IDS, IDS), ranges = views[of].ranges, observers = 1;
        cr_assert_eq(pairs, views[of].pairs);
        if (way == TILE) {
            pairs = 2 * rows_around(&c, IDS, ids);
            observers = 2;
        }
        for (uint64_t i = 0; way == TILE && i < SIDE * SIDE; i++) {
            if (!in_the_corner(i, SIDE)) continue;
            pairs += 2 * rows_around(&c, i + 1, ids);
            observers += 2;
        }
        if (way == TILE && view < 44) ranges *= observers; /* each cell by itself, see SPARSE in interest/tile.c */
        if (way != TILE) {
            pairs = views[of].few_pairs;
            ranges = views[of].few_ranges;
        }
        phx_interest_counts now = fleet_counts(f);
        cr_assert_eq(now.evaluated, counted.evaluated);
        cr_assert_eq(now.by_delta - counted.by_delta, observers, "the observers, by any query");
        cr_assert_eq(now.pairs_tested - counted.pairs_tested, pairs, "view %zu: %lu pairs, not %u", v,
                     (unsigned long)(now.pairs_tested - counted.pairs_tested), pairs);
        cr_assert_eq(now.ranges_visited - counted.ranges_visited, ranges, "view %zu: %lu ranges, not %u", v,
                     (unsigned long)(now.ranges_visited - counted.ranges_visited), ranges);
        cr_assert_eq(now.pairs_exact, counted.pairs_exact);
        fleet_close(f);
    }
}

/* The width of a query depends on the longest step of this tick, not of any before, and on the drift of the rows. */
Test(run_delta, short_steps_are_searched_nearby)
{
    static const struct {
        float x;
        uint32_t pairs; /* two beside each other, or four more */
    } steps[] = {{100.5f, 2}, {102.5f, 6}, {103.0f, 2}};
    /* the one observer tests towers up to 128, 131, 128: the others are in the one that begins at 130 */
    for (int many = 0; many < 2; many++) {
        f = fleet_open(plain_rules(10, 50), 1, 1, 4);
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(24, 0), 103, 105); /* sees 79 to 127 */
        fleet_enter(f, 2, plain_attr(0, 0), 100, 105);
        for (uint64_t i = 0; i < 4; i++) fleet_enter(f, 10 + i, plain_attr(0, 0), 132, 95 + (float)i * 10);
        fleet_end(f);
        fleet_tick(f);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            f->shard[0].dense_tick = many;
            begin();
            fleet_move(f, 2, steps[i].x, 105);
            fleet_end(f);
            cr_assert_eq(fleet_counts(f).pairs_tested - counted.pairs_tested, steps[i].pairs, "step %zu: %lu", i,
                         (unsigned long)(fleet_counts(f).pairs_tested - counted.pairs_tested));
        }
        fleet_close(f);
    }
}

/* A rebuild drops a block without rows, even if an entity has stepped into it; its marks are of this tick. */
Test(run_delta, marks_in_blocks_without_rows_are_kept)
{
    enum { BLOCKS = 80, ACROSS = 20 };
    f = fleet_open(plain_rules(10, 200), 1, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 0), 70, 40);
    fleet_enter(f, 2, plain_attr(0, 0), 79.5f, 40);
    for (uint64_t i = 1; i < BLOCKS; i++)
        fleet_enter(f, 100 + i, plain_attr(0, 0), (float)(i % ACROSS) * 80 + 40, (float)(i / ACROSS) * 80 + 40);
    fleet_end(f);
    fleet_begin(f);
    for (uint64_t i = 1; i < BLOCKS * 3 / 4; i++) fleet_leave(f, 100 + i);
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, 2, 80.5f, 40); /* into the block beside, which is empty; its row stays */
    fleet_end(f);
    cr_assert(fleet_sees(f, 1, 2));
    fleet_begin(f);
    fleet_leave(f, 2);
    fleet_end(f);
    cr_assert_eq(f->changes, 1, "the observer that stood still");
    fleet_close(f);
}

/* A step to a place without a block causes no rebuild: the mover is seen there, by its own query and by others'. */
Test(run_delta, steps_into_land_without_a_block)
{
    enum { OTHERS = 40 };
    for (int many = 0; many < 2; many++) {
        f = fleet_open(plain_rules(10, 200), 1, 1, 4);
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(20, 0), 79.5f, 40);
        fleet_enter(f, 2, plain_attr(20, 0), 59.8f, 40);
        fleet_enter(f, 3, plain_attr(0, 0), 79.5f, 70);
        for (uint64_t id = 4; id < OTHERS; id++) fleet_enter(f, id, plain_attr(0, 0), 40, 8);
        fleet_end(f);
        const phx_grid *grid = &f->shard[0].grid;
        cr_assert_eq(grid->block_count, 1);
        for (int step = 1; step <= 3; step++) { /* away from the second, back, and away */
            f->shard[0].dense_tick = many;
            fleet_begin(f);
            fleet_move(f, 1, step % 2 ? 80.25f : 79.75f, 40);
            fleet_move(f, 3, step % 2 ? 80.25f : 79.5f, 70);
            fleet_end(f);
            cr_assert_gt(grid->drift_bound, 0, "step %d: rows were sorted", step);
            cr_assert_eq(grid->block_count, 2);
            cr_assert_eq(f->changes, 2, "step %d: %u told", step, f->changes);
        }
        fleet_close(f);
    }
}

/*
 * An observer gets a longer view and moves a bit farther than the longest step, and is discontinuous, at the edge of
 * its tile; far off there is an entity with a short `visible`.
 */
static void move_and_set(float to, float by, uint64_t seed)
{
    enum { OTHERS = 300, TICKS = 5 };
    static const ph_simd simds[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    phx_rules rules = plain_rules(10, 24);
    rules.shape = seed % 2 ? PH_SHAPE_SQUARE : PH_SHAPE_CIRCLE;
    rules.simd = phx_simd_supported(simds[seed % 3]) ? simds[seed % 3] : PH_SIMD_PORTABLE;
    f = fleet_open(rules, 1, 1, 64);
    phx_attr faint = plain_attr(0, 0);
    faint.visible = 1;
    fleet_begin(f);
    fleet_enter(f, 1, faint, 600, 600);
    fleet_enter(f, 2, plain_attr(30, 0), to - by, 35);
    for (uint64_t id = 3; id < OTHERS; id++)
        fleet_enter(f, id, plain_attr(id % 2 ? 30 : 0, 0), float_between(&seed, 2, 150), float_between(&seed, 2, 150));
    fleet_end(f);
    for (int t = 1; t <= TICKS; t++) {
        fleet_begin(f);
        for (uint64_t id = 3; id < OTHERS; id++) fleet_move(f, id, f->entity[id].x + (t % 2 ? 1 : -1), f->entity[id].y);
        if (t == TICKS) fleet_set(f, 2, plain_attr(60, 0), 0);
        if (t == TICKS) fleet_move(f, 2, to, 35);
        fleet_end(f);
        cr_assert(f->shard[0].dense_tick && f->shard[0].derives_lists);
    }
    fleet_close(f);
}

Test(run_delta, moves_a_bit_longer_than_a_step)
{
    uint64_t seed = 40;
    for (float by = 0.99f; by < 1.01f; by += 0.0005f) move_and_set(-2, by, seed++);   /* outside of the world, */
    for (float by = 1.002f; by < 1.005f; by += 0.0001f) move_and_set(80, by, seed++); /* and where its block begins */
}

/* The tower of a place follows from its distance to the world's origin: here up to an eighth of a unit off, near 0. */
Test(run_delta, edges_of_blocks_far_from_the_worlds_origin)
{
    enum { IDS = 120, TICKS = 30 };
    uint64_t seed = 5;
    phx_rules rules = plain_rules(100, 20000);
    rules.origin[0] = rules.origin[1] = -1e6f; /* blocks of 800: one begins at 0 */
    f = fleet_open(rules, 1, 1, 64);
    for (int t = 0; t < TICKS; t++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= IDS; id++) {
            float x = 800 * floorf(float_between(&seed, -1, 2)) + float_between(&seed, -0.07f, 0.07f);
            float y = float_between(&seed, -0.07f, 0.07f);
            if (t == 0) fleet_enter(f, id, plain_attr(100, 0), x, y);
            else fleet_move(f, id, f->entity[id].x + float_between(&seed, -0.05f, 0.05f), y);
        }
        fleet_enter(f, IDS + 1 + (uint64_t)t, plain_attr(0, 0), 5000, 5000); /* rows are sorted, none drifts */
        fleet_end(f);
    }
    fleet_close(f);
}

/* Pairs that a crowd of observers tests in a tick in which all walk; most are seen up to a bound alone. One jumps then.
 * observe: one in so many does. stored: lists are.
 */
static uint64_t pairs_of_crowd(float spacing, float bound, float margin, uint64_t observe, bool stored)
{
    enum { SIDE = 24, IDS = SIDE * SIDE, TICKS = 6, FREE = 5, JUMPER = 100 };
    uint64_t pairs = 0;
    f = fleet_open(plain_rules(20, 32), 1, 1, 64);
    fleet_begin(f);
    for (uint64_t i = 0; i < IDS; i++) {
        const float view = i % observe == 0 ? 30 : 0;
        phx_attr attr = stored ? stored_attr(view) : plain_attr(view, 0);
        attr.margin = margin;
        if (i % FREE != 0) attr.visible = bound;
        fleet_enter(f, i + 1, attr, 165 + (float)(i % SIDE) * spacing, 165 + (float)(i / SIDE) * spacing);
    }
    fleet_end(f);
    for (int t = 0; t <= TICKS; t++) {
        begin();
        for (uint64_t i = 1; i <= IDS; i++) /* lines pass each other, so that borders are crossed */
            fleet_move(f, i, f->entity[i].x + ((i - 1) / SIDE % 2 ? 0.7f : -0.7f),
                       f->entity[i].y + 0.1f * (float)(i % 3));
        if (t == TICKS) fleet_move(f, JUMPER, 165 + SIDE * spacing / 2, 165 + SIDE * spacing / 2);
        fleet_end(f);
        if (t < TICKS) pairs = fleet_counts(f).pairs_tested - counted.pairs_tested;
    }
    cr_assert_leq(fleet_counts(f).evaluated - counted.evaluated, 1, "the one that jumps");
    fleet_close(f);
    return pairs;
}

/*
 * A bounded target is a candidate up to its bound alone, as borders of others lie on a ring around: with short bounds
 * fewer pairs are tested than without. With long ones all cells within are looked at, so they are some more.
 */
Test(run_delta, bounded_targets_are_candidates_nearby)
{
    enum { FEW = 40 };                      /* one in so many observes: then rows are not parted */
    static const float spacings[] = {5, 3}; /* cells are half of a reach wide, a quarter */
    for (size_t s = 0; s < sizeof spacings / sizeof *spacings; s++) {
        const uint64_t all = pairs_of_crowd(spacings[s], PH_LENGTH_MAX, 0, 1, false);
        const uint64_t few = pairs_of_crowd(spacings[s], 9, 0, 1, false),
                       most = pairs_of_crowd(spacings[s], 29, 0, 1, false);
        cr_assert_lt(few * 10, all * 7, "spacing %zu: %lu of %lu pairs", s, (unsigned long)few, (unsigned long)all);
        cr_assert_leq(most, all * 2, "spacing %zu: %lu of %lu pairs", s, (unsigned long)most, (unsigned long)all);
        /* a cell ends between bound and margin; of stored lists the tile finds what the margin keeps, too */
        for (int stored = 0; stored <= 1; stored++) (void)pairs_of_crowd(spacings[s], 15, 6, 1, stored);
        for (float bound = 1; bound < 30; bound += 5.9f)
            (void)pairs_of_crowd(spacings[s], bound, 0, bound < 15 ? 1 : FEW, false);
    }
}

/*
 * At a cap so large that the limit is near the view, a target near by in the plane rises over the limit: heights may
 * bring any row of the tile to it.
 */
Test(run_delta, a_target_near_by_rises_over_the_limit_of_a_cap)
{
    enum { SIDE = 24, RISER = 12 * SIDE + 13, CAP = 290, TICKS = 6 }; /* near 83, 85 .. 129; 314 in view */
    uint64_t rng = 30;
    phx_rules rules = plain_rules(10, 100);
    phx_attr seeing = plain_attr(20, 0);
    rules.shape = PH_SHAPE_SPHERE;
    seeing.cap = CAP;
    f = fleet_open(rules, 1, 1, 64);
    fleet_begin(f);
    for (uint64_t i = 0; i < SIDE * SIDE; i++) {
        const uint64_t column = i % SIDE, line = i / SIDE;
        const bool sees = column / 2 == SIDE / 4 && line / 2 == SIDE / 4 && i + 1 != RISER;
        fleet_enter(f, i + 1, sees ? seeing : plain_attr(0, 0),
                    83 + 2 * (float)column + float_between(&rng, -0.5f, 0.5f),
                    83 + 2 * (float)line + float_between(&rng, -0.5f, 0.5f));
    }
    fleet_end(f);
    for (int t = 0; t < TICKS; t++) {
        const bool up = t % 2 == 1;
        f->shard[0].dense_tick = true;
        begin();
        for (uint64_t id = 1; id <= SIDE * SIDE; id++)
            fleet_fly(f, id, f->entity[id].x + (up ? 0.3f : -0.3f), f->entity[id].y + 0.1f * (float)(id % 3),
                      id != RISER ? 0.01f * (float)(id % 8)
                      : up        ? 20.5f
                                  : 1);
        fleet_end(f);
        cr_assert_eq(fleet_sees(f, RISER + 1, RISER), !up);
        cr_assert(!up || fleet_counts(f).evaluated == counted.evaluated, "tick %d: by a delta", t);
    }
    fleet_close(f);
}
