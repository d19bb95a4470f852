/*
 * shards/classical/timer*: no pair passes a border of a view without a possible difference in that very tick.
 * Pairs that can not meet are not in memory, far ones are not tested; an observer with too many pairs for
 * a plan uses searches.
 */
#include "unit/shards/classical/index_life.h"

#include "shards/classical/timer_state.h"

static const phx_timer *timer(void)
{
    return (const phx_timer *)life_index;
}

static void set_up(void)
{
    life_open(PH_INDEX_TIMER, PH_SHAPE_CIRCLE);
}

TestSuite(timer, .init = set_up, .fini = life_close);

/* ---- against brute force ---- */

static bool told[LIFE_SLOTS];

static void note(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    (void)sink;
    for (uint32_t i = 0; i < count; i++) told[slots[i]] = true;
}

/* In view, in the margin, or out of range; of bodies as they are or were. */
static int standing(uint32_t observer, const phx_body *o, const phx_body *t)
{
    const phx_attr *attr = phx_store_attr(&life_store, observer);
    if (!(t->state & PHX_SLOT_LIVE)) return 2;
    if (phx_in_range(&life_rules, o, t, attr->view)) return 0;
    return phx_in_range(&life_rules, o, t, attr->view + attr->margin) ? 1 : 2;
}

/* The number of differences. */
static uint32_t check_told(uint32_t o)
{
    phx_sink sink = {.take = note};
    uint32_t count = 0;
    memset(told, 0, sizeof told);
    if (!life_index->ops->differ(life_index, o, &sink)) {
        cr_assert(life_index->ops->any_dirty_near(life_index, o, phx_box_all()));
        return 0;
    }
    for (uint32_t t = 0; t < life_store.slots; t++) {
        count += told[t];
        if (t == o || standing(o, &life_old[o], &life_old[t]) == standing(o, &life_store.body[o], &life_store.body[t]))
            continue;
        cr_assert(told[t], "tick %u: the state of %u to %u has changed", life_tick, t, o);
        cr_assert(life_index->ops->any_dirty_near(life_index, o, phx_box_all()));
    }
    return count;
}

/* Observers without changed attributes. Returns the number of differences in all. */
static uint32_t check_all(const phx_attr *attrs)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < life_store.slots; o++) {
        bool stays = life_live(o) && (life_old[o].state & PHX_SLOT_LIVE) && phx_index_radius(&life_store, o) >= 0.0f;
        if (stays && memcmp(&attrs[o], phx_store_attr(&life_store, o), sizeof *attrs) == 0) count += check_told(o);
    }
    return count;
}

static void keep_attrs(phx_attr attrs[LIFE_SLOTS])
{
    for (uint32_t slot = 0; slot < life_store.slots; slot++) attrs[slot] = *phx_store_attr(&life_store, slot);
}

static void run_lives(ph_shape shape, uint64_t seed)
{
    static phx_attr attrs[LIFE_SLOTS];
    uint64_t rng = seed, count = 0;
    life_open(PH_INDEX_TIMER, shape);
    for (int i = 0; i < 150; i++) {
        keep_attrs(attrs);
        life_at_random(&rng, i < 75 ? 15 : 400, 150, i % 50 < 40 ? 3.0f : 60.0f);
        life_turn(seed % 2 ? UINT64_MAX : (uint64_t)i % 3);
        count += check_all(attrs);
        life_end();
    }
    cr_assert_gt(count, 1000);
    life_close();
}

Test(timer_shapes, no_border_is_passed_unseen)
{
    static const ph_shape shapes[] = {PH_SHAPE_CIRCLE, PH_SHAPE_SQUARE, PH_SHAPE_CYLINDER, PH_SHAPE_SPHERE};
    for (int i = 0; i < 4; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) run_lives(shapes[i], seed);
}

/* Head on, as fast as the fastest: the time that is left is just enough. */
Test(timer, two_that_run_towards_each_other_are_seen_in_time)
{
    for (int i = 0; i < 40; i++) {
        float step = 0.37f + (float)i * 0.31f, x = 200, y = 340;
        uint32_t o = life_enter(plain_attr(20, 4), x, 500), t = life_enter(plain_attr(20, 0), y, 500);
        phx_attr attrs[LIFE_SLOTS];
        life_pass();
        while (y - x > 1) {
            keep_attrs(attrs);
            life_move(o, x += step, 500);
            life_move(t, y -= step, 500);
            life_turn(UINT64_MAX);
            check_all(attrs);
            life_end();
        }
        life_leave(o);
        life_leave(t);
        life_pass();
    }
}

/* ---- pairs that are not tested ---- */

Test(timer, pairs_that_can_not_meet_in_their_ranges_are_not_in_memory)
{
    uint32_t a = life_enter(plain_attr(20, 0), 100, 100), b = life_enter(plain_attr(20, 0), 200, 100);
    life_pass();
    cr_assert_eq(timer()->plans[a].count, 0);
    uint64_t before = life_index->counts.steps;
    for (int i = 0; i < 50; i++) {
        life_move(a, 100 + (float)(i % 3), 100);
        life_move(b, 200 - (float)(i % 3), 100);
        life_pass();
    }
    cr_assert_eq(life_index->counts.steps, before, "no pair is tested");
    for (int i = 0; i < 60; i++) {
        life_move(b, 200 - (float)i, 100); /* out of its range, and compared anew */
        life_pass();
    }
    cr_assert_eq(timer()->plans[a].count, 1);
    cr_assert_eq(timer()->plans[b].count, 1);
}

Test(timer, a_far_pair_is_tested_when_it_could_have_met)
{
    uint32_t a = life_enter(plain_attr(20, 0), 100, 100);
    life_enter(plain_attr(20, 0), 138, 100);
    life_pass();
    cr_assert_eq(timer()->plans[a].count, 1);
    uint64_t before = life_index->counts.steps;
    for (int i = 0; i < 80; i++) { /* 18 off the border: half of it is 90 steps */
        life_move(a, 100 + (i % 2 ? 0.1f : 0.0f), 100);
        life_pass();
    }
    cr_assert_eq(life_index->counts.steps, before, "%u looks", (unsigned)(life_index->counts.steps - before));
    for (int i = 0; i < 80; i++) {
        life_move(a, 100 + (i % 2 ? 0.1f : 0.0f), 100);
        life_pass();
    }
    cr_assert_gt(life_index->counts.steps, before);
    cr_assert_lt(life_index->counts.steps, before + 8);
}

/* One jumps about: the time of all others does not run faster for it. */
Test(timer, a_jump_does_not_hurry_the_others)
{
    uint64_t rng = 3;
    for (int i = 0; i < 200; i++)
        life_enter(plain_attr(20, 0), float_between(&rng, 0, 400), float_between(&rng, 0, 400));
    life_pass();
    double before = timer()->way;
    for (int i = 0; i < 20; i++) {
        life_move(0, float_between(&rng, 0, 400), float_between(&rng, 0, 400));
        for (uint32_t slot = 1; slot < 200; slot++) life_move(slot, life_store.body[slot].x + 0.01f, 5);
        if (i > 0) cr_assert_leq(timer()->way - before, 0.02 * i);
        life_pass();
        if (i == 0) before = timer()->way; /* all went to one line in the first tick */
    }
}

/* ---- bounds ---- */

Test(timer, an_observer_with_a_long_radius_or_too_many_pairs_has_no_plan)
{
    enum { MANY = PHX_TIMER_PAIRS_MAX + 200 };
    uint64_t rng = 13;
    uint32_t o = life_enter(plain_attr(30, 0), 500, 500);
    for (int i = 0; i < MANY; i++)
        life_enter(plain_attr(0, 0), float_between(&rng, 480, 520), float_between(&rng, 480, 520));
    for (int i = 0; i < 9; i++) life_enter(plain_attr(30, 0), 100, 50 * (float)i);
    uint32_t wide = life_enter(plain_attr(0, 0), 500, 500);
    life_pass();
    cr_assert(timer()->flags[o] & PHX_TIMER_NO_PLAN);
    cr_assert_eq(timer()->plans[o].count, 0);
    cr_assert_lt(timer()->pool.used, MANY * 6, "%u words", timer()->pool.used);
    for (uint32_t slot = 1; slot < 1000; slot++) life_leave(slot);
    life_set(wide, plain_attr(900, 0));
    life_pass();
    cr_assert(timer()->flags[wide] & PHX_TIMER_NO_PLAN);
    cr_assert_not(life_index->ops->differ(life_index, wide, &(phx_sink){.take = note}));
    for (int i = 0; i < 40 && (timer()->flags[o] & PHX_TIMER_NO_PLAN); i++) {
        life_move(o, 500 + (float)(i % 2), 500);
        life_pass();
    }
    cr_assert_not(timer()->flags[o] & PHX_TIMER_NO_PLAN, "there are fewer, and it tries again");
    cr_assert_gt(timer()->plans[o].count, 3000);
}

/* Time is set back before float32 is too coarse for it; no pair is missed then. */
Test(timer, time_starts_again)
{
    static phx_attr attrs[LIFE_SLOTS];
    uint64_t rng = 17;
    uint32_t back = 0;
    for (int i = 0; i < 100; i++)
        life_enter(plain_attr(20, 5), float_between(&rng, 0, 300), float_between(&rng, 0, 300));
    life_pass();
    for (int i = 0; i < 3000; i++) {
        double before = timer()->way;
        keep_attrs(attrs);
        for (uint32_t slot = 0; slot < 100; slot++)
            life_move(slot, fmodf(life_store.body[slot].x + 31, 300), fmodf(life_store.body[slot].y + 7, 300));
        life_turn(UINT64_MAX);
        if (i % 20 == 0 || timer()->way < before) check_all(attrs);
        back += timer()->way < before;
        life_end();
    }
    cr_assert_gt(back, 0);
}

/* As a target it is another: every possible observer has a difference, though no entity moved. */
Test(timer, other_layers_stealth_or_bounds_are_changes)
{
    uint32_t o = life_enter(plain_attr(50, 0), 100, 100), t = life_enter(plain_attr(0, 0), 110, 100);
    life_pass();
    for (int i = 0; i < 6; i++) {
        phx_attr attr = plain_attr(0, 0);
        if (i < 2) attr.visible = i == 0 ? 30 : attr.visible; /* a bound, and none again */
        else if (i % 2) attr.layers = 2;
        else attr.stealth = (uint8_t)(1 + i);
        life_set(t, attr);
        life_turn(UINT64_MAX);
        memset(told, 0, sizeof told);
        cr_assert(life_index->ops->any_dirty_near(life_index, o, phx_box_all()));
        cr_assert(life_index->ops->differ(life_index, o, &(phx_sink){.take = note}));
        cr_assert(told[t]);
        life_end();
        life_move(o, 100, 100 + (float)i);
        life_pass();
    }
}
