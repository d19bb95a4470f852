/*
 * shards/state/list_limit.h: lists below a cap or an adds_max. Work is counted, so that an observer that is evaluated
 * although its limit cuts nothing turns a test red.
 */
#include "unit/shards/shards_fixture.h"

static fleet *f;

static phx_attr limited_attr(float view, uint32_t cap, bool spreads)
{
    phx_attr attr = plain_attr(view, 0);
    attr.cap = cap;
    attr.spreads = spreads;
    return attr;
}

/* Ends a tick with so many evaluations. */
static void end_evaluated(uint32_t evaluated)
{
    const uint64_t before = fleet_counts(f).evaluated;
    fleet_end(f);
    cr_assert_eq(fleet_counts(f).evaluated - before, evaluated, "tick %lu: %lu evaluated", (unsigned long)f->tick,
                 (unsigned long)(fleet_counts(f).evaluated - before));
}

static const phx_list *list_of(uint64_t id)
{
    return &f->shard[0].store.tail[fleet_slot(f, 0, id)].list;
}

enum { SIDE = 14 };

static void walk_all(uint32_t tick)
{
    fleet_begin(f);
    for (uint64_t id = 1; id <= SIDE * SIDE; id++)
        fleet_move(f, id, f->entity[id].x + ((tick + id) % 4 < 2 ? 1 : -1), f->entity[id].y + (id % 2 ? 0.5f : 0));
}

/* All walk, or one of them: by tiles, and by sparse plans. */
static void walk_below_limit(uint32_t cap, uint32_t adds_max)
{
    phx_rules rules = plain_rules(10, 30);
    ph_class classes[4];
    for (size_t i = 0; i < 4; i++) {
        classes[i] = rules.classes[i];
        classes[i].adds_max = adds_max;
    }
    rules.classes = classes;
    rules.adds_least = adds_max > 0 ? adds_max : UINT32_MAX;
    f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    for (uint64_t i = 0; i < SIDE * SIDE; i++) {
        const uint64_t column = i % SIDE, line = i / SIDE;
        fleet_enter(f, i + 1, limited_attr(20, cap, adds_max > 0), 105 + 5 * (float)column, 105 + 5 * (float)line);
    }
    end_evaluated(SIDE * SIDE);
    uint32_t events = 0;
    for (uint32_t tick = 0; tick < 12; tick++) {
        walk_all(tick);
        end_evaluated(0);
        events += f->enters + f->leaves;
    }
    for (uint32_t tick = 0; tick < 12; tick++) {
        fleet_begin(f);
        fleet_move(f, 30 + tick, f->entity[30 + tick].x + 2, f->entity[30 + tick].y);
        end_evaluated(0);
        events += f->enters + f->leaves;
    }
    fleet_begin(f);
    fleet_move(f, 1, 160, 160); /* a jump, by itself: its list begins anew */
    end_evaluated(0);
    cr_assert_gt(events, 100);
    fleet_close(f);
}

Test(list_limit, no_observer_below_its_limit_is_evaluated)
{
    walk_below_limit(100, 0);
    walk_below_limit(INT32_MAX, 0);
    walk_below_limit(0, 100);
    walk_below_limit(100, 100);
}

/* An observer and targets on a line; so few moved that there are sparse plans. */
static void open_line(uint32_t cap, uint32_t targets)
{
    f = fleet_open(plain_rules(10, 30), 1, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, limited_attr(20, cap, false), 105, 105);
    for (uint64_t id = 2; id < 2 + targets; id++) fleet_enter(f, id, plain_attr(0, 0), 105 + (float)id, 106);
    for (uint64_t id = 100; id < 140; id++) fleet_enter(f, id, plain_attr(0, 0), 126, 105); /* beyond the view */
    end_evaluated(1);
    fleet_tick(f);
}

/* The last free place is taken without an evaluation; the next target needs one, and so does the way back. */
Test(list_limit, a_list_that_passes_its_limit_is_stored_and_comes_back)
{
    open_line(5, 4);
    cr_assert(list_of(1)->derived && list_of(1)->count == 2);
    fleet_begin(f);
    fleet_move(f, 100, 124, 105);
    end_evaluated(0);
    cr_assert(list_of(1)->derived && list_of(1)->count == 1 && f->enters == 1);
    fleet_begin(f);
    fleet_move(f, 101, 124, 105);
    end_evaluated(1);
    cr_assert(!list_of(1)->derived && list_of(1)->count == 5);
    fleet_begin(f);
    fleet_move(f, 101, 126, 105);
    end_evaluated(0); /* by the limit at which it was cut: all stay */
    cr_assert(!list_of(1)->derived && list_of(1)->count == 5);
    fleet_begin(f);
    fleet_move(f, 100, 126, 105);
    end_evaluated(1);
    cr_assert(list_of(1)->derived && list_of(1)->count == 2 && f->leaves == 1);
    fleet_close(f);
}

/* One comes and one goes in the same tick: the list is as long as the cap, and stays derived. */
Test(list_limit, a_leave_makes_room_for_an_enter)
{
    open_line(4, 4);
    cr_assert(list_of(1)->derived && list_of(1)->count == 1);
    fleet_begin(f);
    fleet_move(f, 100, 124, 105);
    fleet_leave(f, 2);
    end_evaluated(0);
    cr_assert(list_of(1)->derived && list_of(1)->count == 1 && f->enters == 1 && f->leaves == 1);
    fleet_close(f);
}

/* A jump into a crowd, another cap, none, and one again. */
Test(list_limit, a_new_limit_begins_with_the_list_as_it_is)
{
    open_line(50, 4);
    fleet_begin(f);
    fleet_move(f, 1, 126, 106);
    end_evaluated(0);
    cr_assert(list_of(1)->derived && list_of(1)->count == 1 + 50 - 44);
    fleet_begin(f);
    fleet_set(f, 1, limited_attr(20, 45, false), 0);
    end_evaluated(1);
    cr_assert(list_of(1)->derived && list_of(1)->count == 1 + 45 - 44);
    fleet_begin(f);
    fleet_set(f, 1, limited_attr(20, 43, false), 0);
    end_evaluated(1);
    cr_assert(!list_of(1)->derived && list_of(1)->count == 43 && f->leaves == 1);
    fleet_begin(f);
    fleet_set(f, 1, limited_attr(20, 0, false), 0);
    end_evaluated(1);
    cr_assert(list_of(1)->derived && list_of(1)->count == 0 && f->enters == 1);
    fleet_begin(f);
    fleet_set(f, 1, limited_attr(20, 60, false), 0);
    end_evaluated(1);
    cr_assert(list_of(1)->derived && list_of(1)->count == 1 + 60 - 44);
    fleet_close(f);
}

/* A list of five, two of them in the margin, and a sixth that came into view: the limit is in the margin. */
static void open_cut_in_margin(void)
{
    f = fleet_open(plain_rules(10, 30), 1, 1, 4);
    phx_attr attr = limited_attr(20, 5, false);
    attr.margin = 10;
    fleet_begin(f);
    fleet_enter(f, 1, attr, 105, 105);
    for (uint64_t id = 2; id <= 6; id++) fleet_enter(f, id, plain_attr(0, 0), 115 + (float)id, 106);
    for (uint64_t id = 100; id < 140; id++) fleet_enter(f, id, plain_attr(0, 0), 145, 105); /* beyond the margin */
    end_evaluated(1);
    fleet_begin(f);
    fleet_move(f, 5, 127, 106);
    fleet_move(f, 6, 128, 106);
    end_evaluated(0);
    cr_assert(list_of(1)->derived && f->enters + f->leaves == 0);
    fleet_begin(f);
    fleet_enter(f, 7, plain_attr(0, 0), 107, 105);
    end_evaluated(1);
    cr_assert(!list_of(1)->derived && f->enters == 1 && f->leaves == 1 && !fleet_sees(f, 1, 6));
}

/*
 * Beyond the view listed targets alone are candidates: one walks there, one that is not listed does so in vain, and one
 * takes the place of another.
 */
Test(list_limit, a_limit_in_the_margin_tells_of_the_next_tick)
{
    open_cut_in_margin();
    fleet_begin(f);
    fleet_move(f, 5, 127.5f, 106);
    fleet_move(f, 6, 126.5f, 106);
    end_evaluated(0);
    cr_assert(f->enters + f->leaves == 0 && fleet_sees(f, 1, 5));
    fleet_begin(f);
    fleet_move(f, 6, 124.5f, 106);
    end_evaluated(0);
    cr_assert(f->enters == 1 && f->leaves == 1 && fleet_sees(f, 1, 6) && !fleet_sees(f, 1, 5));
    fleet_begin(f);
    fleet_move(f, 6, 126.5f, 106);
    end_evaluated(0);
    cr_assert(f->enters + f->leaves == 0 && fleet_sees(f, 1, 6));
    fleet_begin(f);
    fleet_move(f, 6, 137, 106);
    end_evaluated(1); /* no other one is left: no limit cuts the list */
    cr_assert(list_of(1)->derived && f->leaves == 1);
    fleet_close(f);
}

/* A target that is seen from beyond the view may come into the list there, so its observer is evaluated. */
Test(list_limit, a_target_with_a_reach_may_join_beyond_the_view)
{
    phx_attr far = plain_attr(0, 0);
    far.reach = 60;
    open_cut_in_margin();
    fleet_begin(f);
    fleet_enter(f, 8, far, 155, 106);
    end_evaluated(1);
    fleet_begin(f);
    fleet_move(f, 2, 116, 106);
    fleet_move(f, 8, 153, 106);
    end_evaluated(0); /* it is farther off than any limit that is noted */
    cr_assert_eq(f->enters + f->leaves, 0);
    fleet_begin(f);
    fleet_move(f, 8, 129, 106); /* a jump, then a step */
    end_evaluated(1);
    fleet_begin(f);
    fleet_move(f, 5, 128.5f, 106);
    fleet_move(f, 8, 127, 106);
    end_evaluated(1);
    cr_assert(fleet_sees(f, 1, 8) && !fleet_sees(f, 1, 5));
    fleet_close(f);
}
