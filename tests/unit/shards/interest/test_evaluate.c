/*
 * shards/interest/evaluate.c: the places that an observer tests, the cases in which it is skipped, the work,
 * and runs that stop for want of memory (shards_fixture.h compares the lists with a
 * plain world every tick).
 */
#include "shards/grid/blocks.h"
#include "shards/ingest/commands.h"
#include "shards/interest/run.h"
#include "shards/query/seen.h"
#include "shards/state/view_reach.h"
#include "shards/tick/reindex.h"
#include "unit/shards/shards_fixture.h"

enum { EPOCH_LAST = UINT32_MAX >> 3 }; /* three bits of a mark are flags */

/* ---- tested towers ---- */

static bool holds(phx_rect rect, const phx_body *body)
{
    return body->tx >= rect.x0 && body->tx <= rect.x1 && body->ty >= rect.y0 && body->ty <= rect.y1;
}

static void stand(const phx_rules *rules, phx_body *body, float x, float y)
{
    *body = (phx_body){.x = x, .y = y, .tx = phx_tower_index(rules, 0, x), .ty = phx_tower_index(rules, 1, y)};
}

/* A coordinate about `off` away from `from`. */
static float off_by(uint64_t *rng, float from, float off)
{
    float p = phx_rng_below(rng, 2) ? from + off : from - off;
    return float_near(rng, fabsf(p) <= FLT_MAX ? p : from);
}

/* Targets at the very end of the radius in one direction, or anywhere inside. */
static uint32_t check_rect(uint64_t *rng, const phx_rules *rules, const phx_body *o, float radius)
{
    phx_rect rect = phx_interest_rect(rules, o->x, o->y, radius);
    uint32_t passed = 0;
    cr_assert(rect.x1 < rules->towers[0] && rect.y1 < rules->towers[1]);
    cr_assert(holds(rect, o));
    for (int i = 0; i < 12; i++) {
        phx_body t;
        float share = phx_rng_unit(rng), x = off_by(rng, o->x, i % 3 == 0 ? radius : radius * share);
        float y = off_by(rng, o->y, i % 3 == 1 ? radius : i % 3 == 0 ? 0 : radius * phx_rng_unit(rng));
        stand(rules, &t, x, i % 3 == 1 ? y : i % 2 ? o->y : y);
        if (i % 3 == 1) stand(rules, &t, o->x, y);
        if (!phx_in_range(rules, o, &t, radius)) continue;
        passed++;
        cr_assert(holds(rect, &t), "%a, %a from %a, %a by %a; towers of %a", (double)t.x, (double)t.y, (double)o->x,
                  (double)o->y, (double)radius, (double)rules->tower_size);
    }
    return passed;
}

Test(interest, the_rectangle_holds_all_that_can_pass)
{
    uint64_t rng = 17;
    uint32_t passed = 0;
    for (int i = 0; i < 60000; i++) {
        float size = i % 4 == 0 ? fmaxf(fabsf(float_any(&rng)), FLT_MIN) : float_between(&rng, 0.5f, 100);
        phx_rules rules = plain_rules(size, 1 + phx_rng_below(&rng, 65535));
        rules.shape = i % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
        rules.origin[0] = i % 3 == 0 ? float_any(&rng) : -100;
        phx_body o;
        float border = rules.origin[0] + size * (float)phx_rng_below(&rng, rules.towers[0]);
        float x = i % 5 == 0 || !(fabsf(border) <= FLT_MAX) ? float_any(&rng) : float_near(&rng, border);
        stand(&rules, &o, x, i % 7 == 0 ? float_any(&rng) : float_between(&rng, 0, 1000));
        float radius = size * (float)phx_rng_below(&rng, 9) + size * phx_rng_unit(&rng);
        if (i % 4 == 1) radius = fabsf(float_any(&rng));
        passed += check_rect(&rng, &rules, &o, radius <= FLT_MAX ? radius : FLT_MAX);
    }
    cr_assert_gt(passed, 200000);
}

Test(interest, the_rectangle_of_a_tiny_or_an_endless_radius)
{
    uint64_t rng = 18;
    static const float radii[] = {0,      FLT_TRUE_MIN, 1e-40f,  FLT_MIN, 1e-30f,  1e-22f,  1e-19f,
                                  1e-18f, 1.8e19f,      1.9e19f, 1e30f,   FLT_MAX, INFINITY};
    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
        for (int i = 0; i < 3000; i++) {
            phx_rules rules = plain_rules(i % 2 ? FLT_MIN * (float)(1 + i) : 1e-19f, 65535);
            phx_body o;
            float unit = rules.tower_size;
            stand(&rules, &o, unit * (float)phx_rng_below(&rng, 60000), unit * (float)phx_rng_below(&rng, 60000));
            (void)check_rect(&rng, &rules, &o, radii[r]);
            /* an underflow passes a circle of radius 0 */
            phx_body t;
            stand(&rules, &t, o.x + 1e-23f * phx_rng_unit(&rng), o.y);
            if (!phx_in_range(&rules, &o, &t, radii[r])) continue;
            cr_assert(holds(phx_interest_rect(&rules, o.x, o.y, radii[r]), &t));
        }
    }
}

Test(interest, a_radius_without_a_square_reaches_everything)
{
    phx_rules rules = plain_rules(1e34f, 30000);
    phx_body o, t;
    stand(&rules, &o, 0, 0);
    stand(&rules, &t, 1e38f, 2e38f);
    cr_assert(phx_in_range(&rules, &o, &t, 2e19f), "inf <= inf");
    cr_assert(holds(phx_interest_rect(&rules, o.x, o.y, 2e19f), &t));
    cr_assert(holds(phx_interest_rect(&rules, t.x, t.y, 2e19f), &o));
}

Test(interest, the_rectangle_is_no_larger_than_it_has_to_be)
{
    phx_rules rules = plain_rules(10, 1000);
    phx_body o;
    stand(&rules, &o, 5005, 2005);
    phx_rect rect = phx_interest_towers(&rules, &o, 24);
    cr_assert(rect.x0 == 498 && rect.x1 == 502 && rect.y0 == 198 && rect.y1 == 202);
    rect = phx_interest_towers(&rules, &o, 4);
    cr_assert(rect.x0 == 500 && rect.x1 == 500 && rect.y0 == 200 && rect.y1 == 200);
    rules.range = PH_RANGE_TOWERS;
    rules.span = 300;
    rect = phx_interest_towers(&rules, &o, 4);
    cr_assert(rect.x0 == 200 && rect.x1 == 800 && rect.y0 == 0 && rect.y1 == 500);
    rules.span = 65535;
    rect = phx_interest_towers(&rules, &o, 4);
    cr_assert(rect.x0 == 0 && rect.x1 == 999 && rect.y0 == 0 && rect.y1 == 999);
}

/* ---- when to evaluate ---- */

enum { LONE = 10 }; /* observers 1..10, each with a target 101..110, 100 apart along x */

static fleet *lone_observers(void)
{
    fleet *f = fleet_open(plain_rules(10, 200), 1, 1, 4);
    f->piece = 1;
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id++) {
        fleet_enter(f, id, plain_attr(20, 10), (float)id * 100 + 5, 105);
        fleet_enter(f, 100 + id, plain_attr(0, 0), (float)id * 100 + 7, 105);
    }
    fleet_enter(f, 200, plain_attr(0, 0), 505, 1505); /* far from all */
    fleet_enter(f, 201, plain_attr(0, 0), 555, 1505);
    fleet_end(f);
    cr_assert_eq(f->changes, LONE);
    fleet_tick(f); /* not many move any more */
    return f;
}

/*
 * Beside each two others that see nothing: observers of a block that are not alike are evaluated one by one,
 * without reports of movers. Targets stand outside the others' cells.
 */
static fleet *unlike_observers(void)
{
    fleet *f = lone_observers();
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id++) {
        fleet_enter(f, 500 + id, plain_attr(0.5f, 0), (float)id * 100 + 5, 150);
        fleet_enter(f, 520 + id, plain_attr(0.75f, 0), (float)id * 100 + 5, 155);
        fleet_move(f, 100 + id, (float)id * 100 + 7, 99);
    }
    fleet_end(f);
    fleet_tick(f);
    return f;
}

/* The number of evaluations, and the number of changes among them. */
static void end(fleet *f, uint32_t looked, uint32_t changes)
{
    fleet_end(f);
    cr_assert_eq(f->looked, looked, "%u looked at", f->looked);
    cr_assert_eq(f->changes, changes, "%u told", f->changes);
}

Test(interest, only_the_touched_are_looked_at)
{
    fleet *f = unlike_observers();
    fleet_begin(f);
    end(f, 0, 0);
    fleet_begin(f);
    fleet_move(f, 200, 506, 1506); /* an entity far from all */
    end(f, 0, 0);
    fleet_begin(f);
    fleet_move(f, 103, 308, 99); /* in view, inside its tower */
    end(f, 1, 0);
    fleet_begin(f);
    fleet_move(f, 103, 312, 99); /* and over a border */
    end(f, 1, 0);
    fleet_begin(f);
    fleet_move(f, 103, 333, 99); /* into the margin */
    end(f, 1, 0);
    fleet_begin(f);
    fleet_move(f, 103, 334, 99); /* inside the margin */
    end(f, 1, 0);
    fleet_begin(f);
    fleet_move(f, 103, 355, 99); /* out */
    end(f, 1, 1);
    fleet_begin(f);
    fleet_move(f, 103, 355, 225); /* away, from beyond all towers in view, but not from all cells around the observer */
    end(f, 1, 0);
    fleet_begin(f);
    fleet_move(f, 103, 405, 99); /* to another one */
    end(f, 1, 1);
    fleet_begin(f);
    fleet_move(f, 103, 505, 99); /* from one to the next, at once */
    end(f, 2, 2);
    fleet_begin(f);
    fleet_enter(f, 300, plain_attr(0, 0), 705, 105);
    end(f, 1, 1);
    fleet_begin(f);
    fleet_leave(f, 300);
    end(f, 1, 1);
    fleet_begin(f);
    phx_attr attr = plain_attr(0, 0);
    attr.stealth = 3;
    fleet_set(f, 108, attr, 1);
    end(f, 1, 1);
    fleet_begin(f);
    end(f, 0, 0);
    fleet_close(f);
}

Test(interest, who_changes_is_looked_at)
{
    fleet *f = lone_observers();
    fleet_begin(f);
    fleet_move(f, 1, 105, 106);
    fleet_set(f, 2, plain_attr(21, 10), 2000);
    fleet_set(f, 3, plain_attr(0.5f, 0), 3000);
    end(f, 3, 1);
    fleet_begin(f);
    fleet_move(f, 1, 1105, 1505); /* far */
    end(f, 1, 1);
    fleet_begin(f);
    fleet_enter(f, 400, plain_attr(20, 0), 705, 105);
    end(f, 2, 2); /* itself, and observer 7 */
    fleet_begin(f);
    fleet_leave(f, 7);
    end(f, 1, 1);
    fleet_begin(f);
    f->rules.height = 1;
    phx_shard_rules_changed(&f->shard[0]);
    end(f, LONE, 0);
    fleet_close(f);
}

Test(interest, who_does_not_observe_any_more_is_looked_at_once)
{
    fleet *f = lone_observers();
    phx_attr attr = plain_attr(20, 10);
    attr.ready = false;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_set(f, 4, plain_attr(0, 10), 4000);
    end(f, 2, 1); /* an observer that is not ready gets nothing */
    fleet_begin(f);
    fleet_move(f, 101, 106, 105);
    fleet_move(f, 104, 406, 105); /* nor does any other, near to these two */
    end(f, 0, 0);
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(20, 10), 1000);
    fleet_set(f, 4, plain_attr(20, 10), 4000);
    end(f, 2, 2);
    fleet_close(f);
}

Test(interest, an_empty_list_of_one_who_was_not_ready_is_fresh)
{
    fleet *f = lone_observers();
    phx_attr attr = plain_attr(20, 10);
    fleet_begin(f);
    fleet_leave(f, 101);
    end(f, 1, 1);
    attr.ready = false;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    end(f, 1, 0); /* its list is empty, and was */
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(20, 10), 1000);
    fleet_enter(f, 101, plain_attr(0, 0), 107, 105);
    end(f, 1, 1); /* compared with the plain world: the change is fresh */
    fleet_close(f);
}

Test(interest, a_relation_touches_its_observer_alone)
{
    fleet *f = lone_observers();
    fleet_begin(f);
    fleet_relate(f, 1, 200, PHX_RELATION_LINK, 0);
    fleet_relate(f, 2, 201, PHX_RELATION_PAIR, 50);
    end(f, 2, 1);
    fleet_begin(f);
    fleet_move(f, 200, 507, 1505);
    end(f, 1, 0);
    fleet_begin(f);
    fleet_move(f, 201, 205, 150); /* within the pair's view, not within the observer's */
    end(f, 1, 1);
    fleet_begin(f);
    fleet_move(f, 201, 205, 300);
    end(f, 1, 1);
    fleet_begin(f);
    fleet_leave(f, 200);
    end(f, 1, 1);
    fleet_close(f);
}

Test(interest, what_is_seen_from_far_touches_everybody)
{
    fleet *f = lone_observers();
    phx_attr beacon = plain_attr(0, 0);
    beacon.global = true;
    fleet_begin(f);
    fleet_set(f, 200, beacon, 1);
    end(f, LONE, LONE);
    fleet_begin(f);
    fleet_move(f, 200, 508, 1505);
    end(f, LONE, 0);
    beacon.global = false;
    beacon.reach = 30;
    fleet_begin(f);
    fleet_set(f, 200, beacon, 1);
    end(f, LONE, LONE);
    fleet_begin(f);
    fleet_move(f, 200, 305, 130);
    end(f, LONE, 1);
    fleet_begin(f);
    fleet_set(f, 200, plain_attr(0, 0), 1);
    end(f, LONE, 0);
    fleet_begin(f);
    end(f, 0, 0);
    fleet_close(f);
}

/* A global target is seen wherever it goes; only at a cap it matters where it is. */
Test(interest, a_step_of_a_global_target_touches_the_capped)
{
    fleet *f = unlike_observers();
    phx_attr beacon = plain_attr(0, 0), capped = plain_attr(20, 10);
    beacon.global = true;
    capped.cap = 1;
    fleet_begin(f);
    fleet_set(f, 1, capped, 1000);
    fleet_leave(f, 101);
    fleet_relate(f, 2, 102, PHX_RELATION_LINK, 0); /* evaluated, but not capped */
    fleet_set(f, 200, beacon, 1);
    fleet_move(f, 200, 605, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_set(f, 201, beacon, 2);
    fleet_move(f, 201, 583, 105); /* 478 off, against 500: nearer, but not by a tenth of the square */
    fleet_end(f);
    cr_assert(fleet_sees(f, 1, 200) && !fleet_sees(f, 1, 201));
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, 201, 581, 105);
    end(f, 2, 1); /* the capped one changes over; 6 has it in view */
    cr_assert(fleet_sees(f, 1, 201) && !fleet_sees(f, 1, 200));
    fleet_begin(f);
    fleet_move(f, 102, 208, 105);
    end(f, 1, 0);
    fleet_close(f);
}

/* One target of the list is not in the world any more: its successor may be farther off than all of them. */
Test(interest, who_left_makes_room_at_a_cap)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    phx_attr capped = plain_attr(20, 0);
    capped.cap = 3;
    fleet_begin(f);
    fleet_enter(f, 1, capped, 505, 505);
    for (uint64_t id = 2; id <= 4; id++) fleet_enter(f, id, plain_attr(0, 0), 504 + (float)id, 505);
    fleet_enter(f, 5, plain_attr(0, 0), 519, 505);
    fleet_end(f);
    cr_assert(fleet_sees(f, 1, 3) && !fleet_sees(f, 1, 5));
    fleet_begin(f);
    fleet_leave(f, 3);
    end(f, 1, 1);
    cr_assert(fleet_sees(f, 1, 5));
    fleet_close(f);
}

/*
 * Heaps of targets, close together or far apart, some on a lattice, where many are equally far off: those that are
 * enough for the observer before are too few, or far too many, for the next one. fleet_end() compares the lists.
 */
Test(interest, the_best_at_a_cap_are_found_in_any_density)
{
    enum { HEAPS = 16, EACH = 36 };
    for (uint64_t seed = 1; seed <= 24; seed++) {
        uint64_t rng = seed, id;
        phx_rules rules = plain_rules(10, 100);
        rules.shape = seed % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
        rules.sticky = seed % 3 ? 1.21 : 1.0;
        fleet *f = fleet_open(rules, 1, 1, 4);
        float apart[HEAPS];
        uint32_t cap = 1 + phx_rng_below(&rng, 20), told = 0;
        bool wide = seed % 8 == 0, lattice = seed % 4 > 1;
        for (uint32_t tick = 0; tick < 5; tick++) {
            fleet_begin(f);
            for (uint32_t h = 0; h < HEAPS && tick % 2 == 0; h++) apart[h] = (float)(1u << phx_rng_below(&rng, 6)) / 2;
            for (uint32_t i = 0; i < HEAPS * EACH; i++) {
                uint32_t heap = i / EACH, at = i % EACH;
                float x = 60 + (float)(heap % 4) * 240 + (float)(at % 6) * apart[heap];
                float y = 60 + (float)(heap / 4) * 240 + (float)(at / 6) * apart[heap];
                if (!lattice) x += phx_rng_unit(&rng), y += phx_rng_unit(&rng);
                phx_attr attr = plain_attr(i % 5 == 0 ? 0 : wide && i % 7 == 0 ? 1e30f : 60, 0);
                attr.cap = cap;
                id = i + 1;
                if (tick == 0) fleet_enter(f, id, attr, x, y);
                else fleet_move(f, id, x, y);
            }
            fleet_end(f);
            told += f->enters + f->leaves;
        }
        cr_assert_gt(told, HEAPS * EACH / 2, "seed %lu: only %u events", (unsigned long)seed, told);
        fleet_close(f);
    }
}

/* A target outside the world may be farther off than its corners are from each other, and among the best. */
Test(interest, the_best_at_a_cap_outside_the_world)
{
    enum { FIRST = 302, OUTSIDE = 38 };
    for (uint32_t size = 5; size < 60; size++) {
        phx_rules rules = plain_rules((float)size / 4, 4);
        rules.sticky = size % 2 ? 1.0 : 1.1;
        fleet *f = fleet_open(rules, 1, 1, 4);
        phx_attr capped = plain_attr(5000, 0);
        capped.cap = 3;
        fleet_begin(f);
        fleet_enter(f, 1, capped, 2, 2);
        fleet_enter(f, 2, capped, 1, 2);
        for (uint32_t i = 0; i < OUTSIDE; i++) fleet_enter(f, 3 + i, plain_attr(0, 0), (float)(FIRST + i), 2);
        fleet_end(f);
        cr_assert_eq(f->enters, 6, "size %u", size);
        fleet_close(f);
    }
}

/* ---- how much work it is ---- */

Test(interest, a_look_tests_the_rows_of_the_towers_in_view)
{
    enum { SIDE = 24 }; /* one target a tower, in the middle */
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        fleet_enter(f, i + 1, plain_attr(0, 0), 300 + (float)(i % SIDE) * 10 + 5, 300 + (float)(i / SIDE) * 10 + 5);
    fleet_end(f);
    static const struct {
        float view;
        uint32_t across; /* towers */
        uint32_t ranges; /* a row of towers inside a block is one; so is a block that is in view over its whole width */
    } views[] = {{4, 1, 1}, {6, 3, 3}, {16, 5, 5}, {44, 9, 18}, {46, 11, 13}, {60, 13, 29}};
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        phx_interest_counts before = fleet_counts(f);
        fleet_begin(f);
        fleet_enter(f, 600 + v, plain_attr(views[v].view, 500), 425, 425); /* a margin plays no part at first */
        fleet_end(f);
        phx_interest_counts now = fleet_counts(f);
        uint64_t pairs = now.pairs_tested - before.pairs_tested;
        cr_assert_eq(pairs, views[v].across * views[v].across + 1, "view %zu: %lu pairs", v, (unsigned long)pairs);
        cr_assert_eq(now.ranges_visited - before.ranges_visited, views[v].ranges, "view %zu", v);
        cr_assert_eq(now.evaluated - before.evaluated, 1);
        fleet_begin(f);
        fleet_leave(f, 600 + v);
        fleet_end(f);
    }
    fleet_close(f);
}

/* The last one's radius is where the next one begins: it does not test all in its view. */
Test(interest, at_a_cap_few_of_many_in_view_are_looked_at)
{
    enum { SIDE = 24, CAP = 10 };
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    phx_attr capped = plain_attr(200, 0);
    uint64_t rng = 27;
    capped.cap = CAP;
    fleet_begin(f);
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        fleet_enter(f, i + 1, capped, 300 + (float)(i % SIDE) * 8 + phx_rng_unit(&rng),
                    300 + (float)(i / SIDE) * 8 + phx_rng_unit(&rng));
    fleet_end(f);
    cr_assert_eq(f->enters, SIDE * SIDE * CAP);
    uint64_t pairs = fleet_counts(f).pairs_tested, most = SIDE * SIDE * 60; /* a tenth of all */
    cr_assert_lt(pairs, most, "%lu pairs", (unsigned long)pairs);
    fleet_close(f);
}

Test(interest, a_view_over_everything_looks_at_what_there_is)
{
    fleet *f = fleet_open(plain_rules(1, 65535), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id < 100; id++) fleet_enter(f, id, plain_attr(0, 0), (float)(id * 650), (float)(id * 650));
    fleet_enter(f, 100, plain_attr(1e30f, 0), 30000, 30000);
    fleet_end(f);
    cr_assert_eq(f->enters, 99);
    cr_assert_leq(fleet_counts(f).pairs_tested, 200, "it looks at each, and each at it");
    cr_assert_eq(fleet_counts(f).evaluated + fleet_counts(f).glanced, 1);
    cr_assert_leq(fleet_counts(f).ranges_visited, 200, "blocks that are there, not all 67 million");
    fleet_close(f);
}

Test(interest, counts_of_events_are_those_told)
{
    fleet *f = lone_observers();
    cr_assert_eq(fleet_counts(f).enters, LONE);
    cr_assert_eq(fleet_counts(f).leaves, 0);
    fleet_begin(f);
    fleet_leave(f, 101);
    fleet_leave(f, 102);
    fleet_enter(f, 102, plain_attr(0, 0), 207, 105);
    end(f, 2, 2);
    cr_assert_eq(fleet_counts(f).enters, LONE + 1);
    cr_assert_eq(fleet_counts(f).leaves, 2);
    fleet_close(f);
}

/* ---- lists ---- */

Test(interest, a_list_that_fits_is_written_in_place)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 1), 505, 505); /* with a margin: else it is not written at all */
    fleet_end(f);
    const phx_list *list = &f->shard[0].store.tail[fleet_slot(f, 0, 1)].list;
    uint32_t overflows = 0;
    for (uint64_t id = 2; id < 40; id++) { /* 4, 8, 16, 32: each is outgrown once */
        bool fits = list->count < phx_list_capacity(&f->shard[0].lists, list);
        fleet_begin(f);
        fleet_enter(f, id, plain_attr(0, 0), 506, 505);
        fleet_end(f);
        cr_assert_eq(f->overflows, !fits);
        overflows += f->overflows;
        list = &f->shard[0].store.tail[fleet_slot(f, 0, 1)].list; /* slots may have moved */
    }
    cr_assert_eq(overflows, 5);
    uint32_t block = list->block;
    for (uint64_t id = 2; id < 40; id++) {
        fleet_begin(f);
        fleet_leave(f, id);
        fleet_end(f);
        cr_assert_eq(f->overflows, 0);
    }
    cr_assert_eq(list->block, block, "a list that shrinks keeps its block");
    cr_assert_eq(list->count, 0);
    fleet_close(f);
}

/* An observer in sight of 20 targets: margin or cap or none of the two. */
static void set_observer(fleet *f, float margin, uint32_t cap)
{
    phx_attr attr = plain_attr(20, margin);
    attr.cap = cap;
    fleet_begin(f);
    fleet_set(f, 1, attr, 0);
    fleet_end(f);
}

Test(interest, a_plain_list_is_not_kept)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    const phx_list_pool *pool = &f->shard[0].lists;
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 0), 505, 505);
    for (uint64_t id = 2; id < 22; id++) fleet_enter(f, id, plain_attr(0, 0), 506, 505);
    fleet_end(f);
    uint32_t slot = fleet_slot(f, 0, 1);
    cr_assert_eq(pool->used, 0);
    cr_assert_eq(phx_shard_list_count(&f->shard[0], slot), 20);
    for (uint32_t i = 0; i < 3; i++) { /* kept while it is not plain, and the block comes back */
        set_observer(f, i == 0 ? 5 : 0, i == 1 ? 30 : 0);
        cr_assert_eq(f->shard[0].store.tail[slot].list.count, i == 2 ? 0 : 20);
        cr_assert_eq(pool->used - pool->free_entries, i == 2 ? 0 : 32);
        cr_assert_eq(f->changes, 0);
    }
    fleet_begin(f);
    fleet_move(f, 2, 905, 905);
    fleet_leave(f, 3);
    fleet_leave(f, 1); /* its list was that of the tick before, all of it */
    cr_assert_eq(f->shard[0].counts.entries, (uint64_t)0 - 20);
    fleet_end(f);
    fleet_close(f);
}

/* ---- counters that come round ---- */

static void every_other_goes(fleet *f)
{
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id += 2) fleet_move(f, 100 + id, (float)id * 100 + 7, 905);
    fleet_end(f);
}

/* Ten observers with targets that come and go by turns: marks of old epochs lie about. */
static void targets_come_and_go(fleet *f, uint32_t turn)
{
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id++) fleet_move(f, 100 + id, (float)id * 100 + 7, (id + turn) % 2 ? 105 : 905);
    fleet_end(f);
    cr_assert_eq(f->changes, LONE);
}

Test(interest, epochs_come_round)
{
    fleet *f = lone_observers();
    f->piece = 0; /* one scratch does all */
    every_other_goes(f);
    f->scratch[0].epoch = 0;
    targets_come_and_go(f, 0);
    cr_assert_eq(f->scratch[0].epoch, LONE);
    f->scratch[0].epoch = EPOCH_LAST; /* the same epochs again, for the same observers */
    targets_come_and_go(f, 1);
    cr_assert_eq(f->scratch[0].epoch, LONE);
    f->scratch[0].epoch = EPOCH_LAST - LONE / 2;
    targets_come_and_go(f, 0);
    cr_assert_eq(f->scratch[0].epoch, LONE / 2);
    targets_come_and_go(f, 1);
    fleet_close(f);
}

static void nothing_happens(fleet *f)
{
    fleet_begin(f);
    fleet_end(f);
}

/* The marks of a large shard are freed where none is evaluated, and are as good when they come back. */
Test(interest, marks_stay_while_they_are_of_use)
{
    enum { LARGE = 100000, SOME = 40 };
    fleet *f = lone_observers();
    phx_scratch *scratch = &f->scratch[0];
    f->piece = 0; /* one scratch does all */
    phx_release(scratch->mem, (void **)&scratch->mark, &scratch->mark_capacity, sizeof *scratch->mark);
    cr_assert(phx_grow(scratch->mem, (void **)&scratch->mark, &scratch->mark_capacity, 0, LARGE, sizeof(uint32_t)));
    memset(scratch->mark, 0, scratch->mark_capacity * sizeof *scratch->mark);
    every_other_goes(f);
    for (uint32_t tick = 0; tick < SOME; tick++) {
        if (tick % 5 == 0) targets_come_and_go(f, tick % 2);
        else nothing_happens(f);
    }
    cr_assert_geq(scratch->mark_capacity, LARGE);
    for (uint32_t tick = 0; tick < SOME; tick++) nothing_happens(f);
    cr_assert_null(scratch->mark);
    cr_assert_eq(scratch->mark_capacity, 0);
    targets_come_and_go(f, 0);
    targets_come_and_go(f, 1);
    cr_assert_not_null(scratch->mark);
    fleet_close(f);
}

/* Marks that were never written are of no epoch, whatever the memory held. */
Test(interest, fresh_marks_are_of_no_epoch)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    const uint32_t rubbish = 0xa5a5a5a5u; /* of watched memory */
    for (uint32_t round = 0; round < 20; round++) {
        fleet_begin(f);
        for (uint64_t i = 0; i < 30; i++) fleet_enter(f, 1 + round * 30 + i, plain_attr(30, 5), 500 + (float)i, 500);
        for (int s = 0; s < FLEET_SCRATCHES; s++) f->scratch[s].epoch = (rubbish >> 3) - 1;
        fleet_end(f);
    }
    fleet_close(f);
}

Test(interest, stamps_of_ticks_come_round)
{
    fleet *f = lone_observers();
    f->tick = 3;
    for (uint32_t i = 0; i < 12; i++) { /* entities change at ticks 4 to 15, and then no more */
        fleet_begin(f);
        fleet_move(f, 101 + i % LONE, (float)(1 + i % LONE) * 100 + 7, 105 + (float)i / 16);
        if (i < 2) fleet_set(f, 9 + i, plain_attr(20 + (float)i, 10), 0);
        fleet_end(f);
    }
    f->tick = 65529;
    for (uint32_t i = 0; i < 9; i++) fleet_tick(f); /* to 65538: stamps begin anew at 65535 */
    cr_assert_eq(f->shard[0].dirty_stamp, 4);
    for (uint32_t i = 0; i < 12; i++) { /* each at the stamp that it changed at last */
        fleet_begin(f);
        cr_assert_eq(f->shard[0].dirty_stamp, 5 + i);
        uint64_t target = 101 + i % LONE;
        bool out = f->entity[target].y < 500;
        fleet_move(f, target, f->entity[target].x, out ? 905 : 105);
        end(f, 1, 1);
    }
    f->tick = 131060; /* and once more round, with an entity in motion all the time */
    uint64_t rng = 19;
    for (uint32_t i = 0; i < 20; i++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= LONE; id++)
            if (phx_rng_below(&rng, 3) == 0)
                fleet_move(f, 100 + id, (float)id * 100 + 7, phx_rng_below(&rng, 2) ? 105 : 905);
        fleet_end(f);
    }
    fleet_close(f);
}

/* ---- no memory ---- */

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

Test(interest, a_run_that_stops_has_done_the_first_and_none_of_the_rest)
{
    for (uint64_t calls = 0;; calls++) {
        fleet *f = lone_observers();
        phx_shard *shard = &f->shard[0];
        phx_scratch fresh;
        uint32_t observers[LONE], through[LONE];
        phx_scratch_init(&fresh, shard->mem);
        fleet_begin(f);
        for (uint64_t id = 1; id <= LONE; id++)
            for (uint64_t n = 0; n < 20; n++) fleet_enter(f, 300 + id * 20 + n, plain_attr(0, 0), (float)id * 100, 105);
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

/* Alike observers, and as many mere targets, in one block; all step at once. Ready for the interest phase. */
static fleet *crowd_on_the_move(uint32_t observers, float view)
{
    uint64_t rng = 20;
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 2 * (uint64_t)observers; id++)
        fleet_enter(f, id, plain_attr(id <= observers ? view : 0, 0), float_between(&rng, 83, 157),
                    float_between(&rng, 83, 157));
    fleet_end(f);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 2 * (uint64_t)observers; id++)
        fleet_move(f, id, f->entity[id].x + float_between(&rng, -2, 2), f->entity[id].y + float_between(&rng, -2, 2));
    cr_assert(phx_shard_index(&f->shard[0], &f->directory, &f->renames));
    return f;
}

/* Returns the number of targets in changes. */
static uint32_t glance_in_two_runs(uint32_t observers, uint64_t calls, bool sparse, bool *stopped)
{
    fleet *f = crowd_on_the_move(observers, sparse ? 8 : 20);
    phx_shard *shard = &f->shard[0];
    phx_scratch fresh;
    uint32_t rows = shard->grid.row_end, order[FLEET_IDS], through[FLEET_IDS], at = 0;
    phx_scratch_init(&fresh, shard->mem);
    order_rows(shard, order);
    fleet_memory_for(calls);
    uint32_t done = phx_interest_run(&fresh, &f->directory, shard, 0, rows), changes = fresh.change_count;
    fleet_memory_enough();
    uint32_t count = observers_in(shard, order, done, through);
    cr_assert_eq(fresh.counts.glanced, count, "%lu of %u", (unsigned long)fresh.counts.glanced, count);
    cr_assert_eq(phx_interest_run(&fresh, &f->directory, shard, done, rows - done), rows - done);
    cr_assert_eq(fresh.tile.sparse, sparse);
    cr_assert_eq(fresh.counts.glanced, observers);
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

Test(interest, glances_that_stop_go_on_where_they_stopped)
{
    static const uint32_t crowds[] = {20, 250};
    for (int c = 0; c < 2; c++) {
        bool stopped = true;
        uint32_t told = glance_in_two_runs(crowds[c], UINT64_MAX, c == 0, &stopped);
        cr_assert_not(stopped);
        cr_assert_gt(told, crowds[c] / 4, "%u", told);
        stopped = true;
        for (uint64_t calls = 0; stopped; calls++) {
            cr_assert_eq(glance_in_two_runs(crowds[c], calls, c == 0, &stopped), told);
            cr_assert_lt(calls, 100);
        }
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
