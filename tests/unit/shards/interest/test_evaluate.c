/*
 * shards/interest/evaluate.c: the cases in which an observer is skipped, the work, and the lists (shards_fixture.h
 * compares them with a plain world every tick).
 */
#include "shards/ingest/commands.h"
#include "shards/query/seen.h"
#include "unit/shards/interest/lone_observers.h"

/* ---- when to evaluate ---- */

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
Test(interest, only_observers_near_dirty_towers_are_evaluated)
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

Test(interest, a_changed_observer_is_evaluated)
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

Test(interest, an_ended_view_is_evaluated_once)
{
    fleet *f = lone_observers();
    phx_attr attr = plain_attr(20, 10);
    attr.ready = false;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_set(f, 4, plain_attr(0, 10), 4000);
    end(f, 1, 1); /* an observer that is not ready gets nothing: it has no list to look at */
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

Test(interest, an_empty_list_of_an_observer_that_was_not_ready_is_fresh)
{
    fleet *f = lone_observers();
    phx_attr attr = plain_attr(20, 10);
    fleet_begin(f);
    fleet_leave(f, 101);
    end(f, 1, 1);
    attr.ready = false;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    end(f, 0, 0);
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(20, 10), 1000);
    fleet_enter(f, 101, plain_attr(0, 0), 107, 105);
    end(f, 1, 1); /* compared with the plain world: the change is fresh */
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_leave(f, 101);
    end(f, 0, 0);
    cr_assert_not(f->shard[0].store.tail[fleet_slot(f, 0, 1)].list.owed, "else an empty change would follow");
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(20, 10), 1000);
    end(f, 1, 0);
    fleet_close(f);
}

Test(interest, a_relation_makes_its_observer_alone_dirty)
{
    fleet *f = lone_observers();
    fleet_begin(f);
    fleet_relate(f, 1, 200, PHX_RELATION_LINK, 0);
    fleet_relate(f, 2, 201, PHX_RELATION_PAIR, 50);
    end(f, 2, 1);
    fleet_begin(f);
    fleet_move(f, 200, 507, 1505);
    end(f, 0, 0); /* a link holds wherever its target is */
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

/* Stored lists: none is found anew, whoever is told. */
static void end_far(fleet *f, uint32_t changes)
{
    const uint64_t evaluated = fleet_counts(f).evaluated;
    fleet_end(f);
    cr_assert_eq(fleet_counts(f).evaluated, evaluated);
    cr_assert_eq(f->changes, changes, "%u told", f->changes);
}

Test(interest, a_far_target_that_changes_needs_no_list)
{
    fleet *f = lone_observers();
    phx_attr beacon = plain_attr(0, 0);
    beacon.global = true;
    fleet_begin(f);
    fleet_set(f, 200, beacon, 1);
    end_far(f, LONE);
    fleet_begin(f);
    fleet_move(f, 200, 508, 1505);
    end_far(f, 0);
    beacon.global = false;
    beacon.reach = 30;
    fleet_begin(f);
    fleet_set(f, 200, beacon, 1);
    end_far(f, LONE);
    fleet_begin(f);
    fleet_move(f, 200, 305, 130);
    end_far(f, 1);
    fleet_begin(f);
    fleet_set(f, 200, plain_attr(0, 0), 1);
    end_far(f, 0);
    fleet_begin(f);
    end(f, 0, 0);
    fleet_close(f);
}

/* A global target is seen wherever it goes; only at a cap it matters where it is. */
Test(interest, a_step_of_a_global_target_evaluates_the_capped)
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
    const uint64_t before = fleet_counts(f).evaluated;
    fleet_end(f);
    cr_assert_eq(fleet_counts(f).evaluated - before, 0, "lists are derived, and found by a delta");
    cr_assert_eq(f->changes, 0);
    fleet_close(f);
}

/* One target of the list is not in the world any more: its successor may be farther off than all of them. */
Test(interest, a_target_that_left_makes_room_at_a_cap)
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
 * Heaps of targets, close together or far apart, some on a lattice, where many are equally far off: the ones that are
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

Test(interest, an_evaluation_tests_the_rows_of_the_towers_in_view)
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
Test(interest, at_a_cap_few_of_many_in_view_are_tested)
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

Test(interest, a_view_over_the_world_tests_the_existing_rows)
{
    fleet *f = fleet_open(plain_rules(1, 65535), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id < 100; id++) fleet_enter(f, id, plain_attr(0, 0), (float)(id * 650), (float)(id * 650));
    fleet_enter(f, 100, plain_attr(1e30f, 0), 30000, 30000);
    fleet_end(f);
    cr_assert_eq(f->enters, 99);
    cr_assert_leq(fleet_counts(f).pairs_tested, 200, "it looks at each, and each at it");
    cr_assert_eq(fleet_counts(f).evaluated + fleet_counts(f).by_delta, 1);
    cr_assert_leq(fleet_counts(f).ranges_visited, 200, "blocks that are there, not all 67 million");
    fleet_close(f);
}

Test(interest, counts_of_events_are_the_delivered_ones)
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
    fleet_enter(f, 1, stored_attr(20), 505, 505); /* else it is not written at all */
    fleet_end(f);
    const phx_list *list = &f->shard[0].store.tail[fleet_slot(f, 0, 1)].list;
    uint32_t overflows = 0;
    for (uint64_t id = 2; id < 40; id++) { /* 4, 8, 16, 32: each is outgrown once */
        bool fits = list->count < phx_list_capacity(&f->shard[0].lists, list);
        fleet_begin(f);
        fleet_enter(f, id, stored_attr(0), 506, 505);
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

Test(interest, a_list_that_the_rule_gives_is_not_kept)
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
    const phx_list *list = &f->shard[0].store.tail[slot].list;
    for (uint32_t i = 0; i < 4; i++) { /* nothing is within the margin; a cap's count is 1 + room */
        static const uint32_t counts[] = {0, 11, 1, 0};
        set_observer(f, i == 0 ? 5 : 0, i == 1 ? 30 : i == 2 ? 20 : 0);
        cr_assert(list->derived);
        cr_assert_eq(list->count, counts[i]);
        cr_assert_eq(pool->used, 0);
        cr_assert_eq(f->changes, 0);
    }
    set_observer(f, 0, 19);
    cr_assert(!list->derived && list->count == 19 && f->leaves == 1);
    set_observer(f, 0, 21);
    cr_assert(list->derived && list->count == 2 && f->enters == 1);
    cr_assert_eq(pool->used, pool->free_entries);
    fleet_begin(f);
    fleet_move(f, 2, 905, 905);
    fleet_leave(f, 3);
    fleet_leave(f, 1); /* its list was that of the tick before, all of it */
    cr_assert_eq(f->shard[0].counts.entries, (uint64_t)0 - 20);
    fleet_end(f);
    fleet_close(f);
}
