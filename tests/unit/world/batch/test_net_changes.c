/*
 * world/batch/net_changes.c: every rule of the net difference by hand, then random worlds against
 * plain sets (support/model_lists), and no memory at every call.
 */
#include <criterion/criterion.h>

#include <signal.h>

#include "base/rng.h"
#include "support/model_lists.h"
#include "support/watched_memory.h"
#include "world/batch/net_changes.h"

static watched_memory watched;
static phx_mem mem;
static phx_net_changes *net;
static phx_batch *in;
static phx_batch *out;

enum { OLD = 1, LAST = 1 << 30 }; /* the last incarnations that were given before the difference, and in it */

static ph_position place_of(const void *owner, uint64_t id)
{
    cr_assert_eq(owner, &net);
    return (ph_position){(float)id, -(float)id, 0.5f};
}

static phx_depths depths;
static const uint32_t incarnations = LAST;
static const phx_net_world around = {&depths, &incarnations, place_of, &net};

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    phx_depths_init(&depths, &mem);
    net = phx_net_changes_create(&mem, &around);
    in = phx_batch_create(&mem, true);
    out = phx_batch_create(&mem, true);
    out->incarnations_before = OLD;
    cr_assert(net != NULL && in != NULL && out != NULL);
}

static void tear_down(void)
{
    phx_net_changes_destroy(net);
    phx_batch_destroy(&mem, in);
    phx_batch_destroy(&mem, out);
    phx_depths_free(&depths);
    watched_memory_all_back(&watched);
}

TestSuite(net_changes, .init = set_up, .fini = tear_down);

/* ---- one event after the other, by hand ---- */

enum { O = 77 }; /* the observer */

static void begin(void)
{
    cr_assert(phx_batch_reserve(&mem, in, 64, 64));
    in->given.change_count = 0;
    in->given.target_count = 0;
}

static void change(uint64_t observer, uint32_t flags)
{
    in->changes[in->given.change_count++] = (ph_change){observer, observer + 1, in->given.target_count, 0, 0, flags};
}

/* A cause for each incarnation. */
static ph_cause cause_of(uint32_t incarnation)
{
    return (ph_cause)(PH_CAUSE_OUTRANKED + incarnation % (PH_CAUSE_COUNT - PH_CAUSE_OUTRANKED));
}

static void target(uint64_t id, uint16_t kind, uint32_t incarnation)
{
    uint32_t at = in->given.target_count++;
    in->columns.targets[at] = (ph_target){id, id * 1000 + incarnation};
    in->columns.kinds[at] = kind;
    in->columns.incarnations[at] = incarnation;
    in->columns.causes[at] = (uint8_t)cause_of(incarnation);
}

static void leave(uint64_t id, uint16_t kind, uint32_t incarnation)
{
    ph_change *last = &in->changes[in->given.change_count - 1];
    cr_assert_eq(last->enter_count, 0); /* leaves come first */
    last->leave_count++;
    target(id, kind, incarnation);
}

static void enter(uint64_t id, uint16_t kind, uint32_t incarnation)
{
    in->changes[in->given.change_count - 1].enter_count++;
    target(id, kind, incarnation);
}

static void merge(void)
{
    cr_assert(phx_net_changes_merge(net, in));
}

/* One tick with one event for O. */
static void tick_leave(uint64_t id, uint32_t incarnation)
{
    begin();
    change(O, 0);
    leave(id, 0, incarnation);
    merge();
}

static void tick_enter(uint64_t id, uint32_t incarnation)
{
    begin();
    change(O, 0);
    enter(id, 0, incarnation);
    merge();
}

static void drain(uint32_t changes, uint32_t targets)
{
    cr_assert_eq(phx_net_changes_count(net).observers, changes);
    cr_assert_eq(phx_net_changes_count(net).pending, targets);
    cr_assert(phx_net_changes_drain(net, out));
    cr_assert_eq(out->given.change_count, changes);
    cr_assert_eq(out->given.target_count, targets);
    cr_assert_eq(phx_net_changes_count(net).observers, 0);
    cr_assert_eq(phx_net_changes_count(net).pending, 0);
}

/* Is the target at this place among the leaves of its change? */
static bool leaves_at(uint32_t at)
{
    const ph_change *own = out->changes;
    while (at >= own->first + own->leave_count + own->enter_count) own++;
    return at < own->first + own->leave_count;
}

static void expect_target(uint32_t at, uint64_t id, uint16_t kind, uint32_t incarnation)
{
    cr_assert_eq(out->columns.targets[at].id, id, "target %u is %lu, not %lu", at, out->columns.targets[at].id, id);
    cr_assert_eq(out->columns.targets[at].user_data, id * 1000 + incarnation);
    cr_assert_eq(out->columns.kinds[at], kind);
    cr_assert_eq(out->columns.incarnations[at], incarnation);
    const ph_position there = place_of(&net, id), none = {0};
    const bool left = leaves_at(at);
    const ph_cause cause = left ? cause_of(incarnation) : incarnation > OLD ? PH_CAUSE_APPEARED : PH_CAUSE_CAME;
    cr_assert_eq(out->columns.causes[at], cause, "target %u has the cause %u", at, out->columns.causes[at]);
    cr_assert_arr_eq(&out->columns.positions[at], left ? &none : &there, sizeof there);
}

static void expect_change(uint32_t at, uint64_t observer, uint32_t leaves, uint32_t enters, uint32_t flags)
{
    cr_assert_eq(out->changes[at].observer, observer);
    cr_assert_eq(out->changes[at].user_data, observer + 1);
    cr_assert_eq(out->changes[at].leave_count, leaves);
    cr_assert_eq(out->changes[at].enter_count, enters);
    cr_assert_eq(out->changes[at].flags, flags);
}

Test(net_changes, nothing_is_nothing)
{
    drain(0, 0);
    begin();
    merge();
    drain(0, 0);
    phx_net_changes_drop_observer(net, O);
}

Test(net_changes, enter_then_leave_is_nothing)
{
    tick_enter(5, 1);
    tick_leave(5, 1);
    cr_assert_eq(phx_net_changes_count(net).cancelled, 2);
    drain(0, 0);
}

Test(net_changes, leave_then_enter_of_the_same_incarnation_is_nothing)
{
    tick_leave(5, 1);
    tick_enter(5, 1);
    drain(0, 0);
}

Test(net_changes, leave_then_enter_of_another_incarnation_is_both)
{
    tick_leave(5, 1);
    tick_enter(5, 2);
    drain(1, 2);
    expect_change(0, O, 1, 1, 0);
    expect_target(0, 5, 0, 1);
    expect_target(1, 5, 0, 2);
}

Test(net_changes, leave_and_enter_anew_in_one_tick_is_both)
{
    begin();
    change(O, 0);
    leave(5, 3, 1);
    enter(5, 2, 2);
    merge();
    drain(1, 2);
    expect_target(0, 5, 3, 1);
    expect_target(1, 5, 2, 2);
}

Test(net_changes, leave_enter_anew_leave_is_the_first_leave)
{
    tick_leave(5, 1);
    tick_enter(5, 2);
    tick_leave(5, 2);
    drain(1, 1);
    expect_change(0, O, 1, 0, 0);
    expect_target(0, 5, 0, 1);
}

Test(net_changes, each_incarnation_between_is_nothing)
{
    tick_leave(5, 1);
    for (uint32_t incarnation = 2; incarnation < 10; incarnation++) {
        tick_enter(5, incarnation);
        tick_leave(5, incarnation);
    }
    tick_enter(5, 10);
    drain(1, 2);
    expect_target(0, 5, 0, 1);
    expect_target(1, 5, 0, 10);
}

Test(net_changes, enter_leave_enter_is_enter)
{
    tick_enter(5, 1);
    tick_leave(5, 1);
    tick_enter(5, 1);
    drain(1, 1);
    expect_change(0, O, 0, 1, 0);
}

Test(net_changes, enter_leave_enter_anew_is_enter_anew)
{
    tick_enter(5, 1);
    begin();
    change(O, 0);
    leave(5, 0, 1);
    enter(5, 0, 2);
    merge();
    drain(1, 1);
    expect_change(0, O, 0, 1, 0);
    expect_target(0, 5, 0, 2);
}

Test(net_changes, an_enter_that_cancelled_leaves_no_name)
{
    begin();
    change(O, 0);
    enter(5, 1, 1);
    merge();
    tick_leave(5, 1);
    begin();
    change(O, 0);
    enter(5, 4, 1); /* it has become of another kind meanwhile */
    merge();
    drain(1, 1);
    expect_target(0, 5, 4, 1);
}

static void rename_stay(uint64_t id, uint32_t incarnation, uint16_t kind, uint64_t user_data)
{
    const phx_rename item = {.id = id, .incarnation = incarnation, .kind = kind, .user_data = user_data};
    phx_net_changes_rename(net, &item);
}

Test(net_changes, enters_are_named_and_ordered_as_now_leaves_as_then)
{
    enum { OTHER = O + 1 };
    begin();
    change(O, 0);
    leave(7, 1, 7);
    enter(5, 1, 1);
    enter(6, 2, 2);
    change(OTHER, 0);
    enter(6, 2, 2);
    merge();
    rename_stay(5, 1, 3, 55); /* in one event, */
    rename_stay(6, 2, 0, 66); /* in two, */
    rename_stay(7, 7, 9, 77); /* as it left only, */
    rename_stay(8, 1, 9, 88); /* nowhere, */
    rename_stay(O, 1, 9, 99); /* as an observer */
    drain(2, 4);
    cr_assert_eq(out->changes[0].user_data, 99);
    cr_assert_eq(out->changes[1].user_data, OTHER + 1);
    expect_target(0, 7, 1, 7);
    const struct {
        uint64_t id, user_data;
        uint16_t kind;
    } enters[] = {{6, 66, 0}, {5, 55, 3}, {6, 66, 0}};
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(out->columns.targets[1 + i].id, enters[i].id);
        cr_assert_eq(out->columns.targets[1 + i].user_data, enters[i].user_data);
        cr_assert_eq(out->columns.kinds[1 + i], enters[i].kind);
    }
    tick_enter(6, 2); /* nothing of the old name is left */
    drain(1, 1);
    expect_target(0, 6, 0, 2);
}

Test(net_changes, a_name_goes_with_its_last_enter)
{
    enum { OTHER = O + 1 };
    tick_enter(5, 1);
    begin();
    change(OTHER, 0);
    enter(5, 0, 1);
    merge();
    tick_leave(5, 1);
    rename_stay(5, 1, 4, 44);
    drain(1, 1);
    cr_assert_eq(out->columns.targets[0].user_data, 44);
    tick_enter(5, 1);
    phx_net_changes_drop_observer(net, O);
    rename_stay(5, 1, 6, 66);
    tick_enter(5, 2); /* it came anew */
    drain(1, 1);
    expect_target(0, 5, 0, 2);
}

Test(net_changes, an_enter_keeps_the_name_of_its_own_stay)
{
    enum { OTHER = O + 1, FIRST = 44, SECOND = 66 };
    tick_enter(5, 1);
    rename_stay(5, 1, 4, FIRST);
    begin();
    change(OTHER, 0);
    enter(5, 0, 2); /* the id came anew, and this observer alone sees it */
    merge();
    rename_stay(5, 2, 6, SECOND);
    drain(2, 2);
    cr_assert_eq(out->columns.targets[0].user_data, FIRST);
    cr_assert_eq(out->columns.kinds[0], 4);
    cr_assert_eq(out->columns.targets[1].user_data, SECOND);
    cr_assert_eq(out->columns.kinds[1], 6);
}

Test(net_changes, the_observers_user_data_is_the_last)
{
    tick_enter(5, 1);
    begin();
    change(O, 0);
    in->changes[0].user_data = 123;
    enter(6, 0, 2);
    merge();
    drain(1, 2);
    cr_assert_eq(out->changes[0].user_data, 123);
}

Test(net_changes, a_delivery_is_ordered)
{
    begin();
    change(9, 0);
    enter(30, 2, 1);
    enter(10, 3, 2);
    change(3, 0);
    leave(8, 1, 3);
    enter(50, 0, 4);
    merge();
    begin();
    change(3, 0);
    leave(9, 0, 5);
    leave(7, 1, 6);
    enter(40, 0, 7);
    change(9, 0);
    leave(99, 0, 8);
    enter(20, 2, 9);
    enter(31, 2, 10);
    merge();
    drain(2, 10);
    expect_change(0, 3, 3, 2, 0);
    expect_target(0, 9, 0, 5);
    expect_target(1, 7, 1, 6);
    expect_target(2, 8, 1, 3);
    expect_target(3, 40, 0, 7);
    expect_target(4, 50, 0, 4);
    expect_change(1, 9, 1, 4, 0);
    cr_assert_eq(out->changes[1].first, 5);
    expect_target(5, 99, 0, 8);
    expect_target(6, 20, 2, 9);
    expect_target(7, 30, 2, 1);
    expect_target(8, 31, 2, 10);
    expect_target(9, 10, 3, 2);
}

Test(net_changes, a_forgotten_observer_has_nothing_pending)
{
    tick_enter(5, 1);
    tick_leave(6, 2);
    begin();
    change(O + 1, 0);
    enter(5, 0, 1);
    merge();
    phx_net_changes_drop_observer(net, O);
    phx_net_changes_drop_observer(net, O);
    cr_assert_eq(phx_net_changes_count(net).discarded, 2);
    drain(1, 1);
    expect_change(0, O + 1, 0, 1, 0);
}

Test(net_changes, fresh_is_kept)
{
    begin();
    change(O, PH_CHANGE_FRESH);
    enter(5, 0, 1);
    merge();
    tick_enter(6, 2);
    drain(1, 2);
    expect_change(0, O, 0, 2, PH_CHANGE_FRESH);
    tick_enter(7, 3);
    drain(1, 1);
    expect_change(0, O, 0, 1, 0); /* one event */
}

Test(net_changes, a_fresh_list_that_is_empty_again_is_delivered)
{
    begin();
    change(O, PH_CHANGE_FRESH);
    enter(5, 0, 1);
    merge();
    tick_leave(5, 1);
    drain(1, 0);
    expect_change(0, O, 0, 0, PH_CHANGE_FRESH);
    tick_enter(5, 1);
    drain(1, 1);
    expect_change(0, O, 0, 1, 0);
}

Test(net_changes, fresh_drops_pending_events)
{
    tick_leave(5, 1);
    tick_enter(6, 2);
    begin();
    change(O, PH_CHANGE_FRESH);
    enter(5, 0, 1);
    merge();
    cr_assert_eq(phx_net_changes_count(net).discarded, 2);
    drain(1, 1);
    expect_change(0, O, 0, 1, PH_CHANGE_FRESH);
    expect_target(0, 5, 0, 1);
}

Test(net_changes, forget_drops_fresh_too)
{
    begin();
    change(O, PH_CHANGE_FRESH);
    enter(5, 0, 1);
    merge();
    phx_net_changes_drop_observer(net, O);
    drain(0, 0);
}

Test(net_changes, the_same_target_of_two_observers_is_two)
{
    begin();
    change(1, 0);
    enter(5, 0, 1);
    change(2, 0);
    leave(5, 0, 1);
    merge();
    drain(2, 2);
    expect_change(0, 1, 0, 1, 0);
    expect_change(1, 2, 1, 0, 0);
}

#ifndef NDEBUG
Test(net_changes, entering_twice_is_caught, .signal = SIGABRT)
{
    tick_enter(5, 1);
    tick_enter(5, 2);
}

Test(net_changes, leaving_twice_is_caught, .signal = SIGABRT)
{
    tick_leave(5, 1);
    tick_leave(5, 1);
}

Test(net_changes, a_leave_of_another_incarnation_is_caught, .signal = SIGABRT)
{
    tick_enter(5, 1);
    tick_leave(5, 2);
}
#endif

/* ---- many ---- */

/* The table was large once and holds little now: it is cleared the other way, and still right. */
Test(net_changes, small_after_large)
{
    enum { MANY = 40000 };
    cr_assert(phx_batch_reserve(&mem, in, MANY, MANY));
    for (int round = 0; round < 3; round++) {
        in->given.change_count = 0;
        in->given.target_count = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            change(MANY - i, 0);
            enter(i + 1, 0, i + 1);
        }
        merge();
        drain(MANY, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            expect_change(i, i + 1, 0, 1, 0);
            expect_target(i, MANY - i, 0, MANY - i);
        }
        for (uint32_t small = 0; small < 3; small++) {
            tick_leave(3, 3);
            tick_leave(4, 4);
            drain(1, 2);
            expect_target(0, 3, 0, 3);
            expect_target(1, 4, 0, 4);
        }
    }
}

/* Memory is bound by the number of pending events, not by the time. */
Test(net_changes, memory_does_not_grow_with_ticks)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        tick_enter(i % 50 + 1, i);
        tick_leave(i % 50 + 1, i);
        tick_leave(1000 + i % 50, 7);
        if (i == 100) {
            bytes = atomic_load(&mem.bytes);
        }
        tick_enter(1000 + i % 50, 7);
    }
    cr_assert_eq(atomic_load(&mem.bytes), bytes);
    drain(0, 0);
}

static void offer(toy_world *world)
{
    uint32_t changes, targets;
    toy_world_changes(world, &changes, &targets);
    cr_assert(phx_batch_reserve(&mem, in, changes, targets));
    in->given.change_count = changes;
    in->given.target_count = targets;
    toy_world_fill(world, in);
}

static void drop_all_observers(const toy_world *world)
{
    for (uint32_t o = 0; o < world->observers; o++) {
        if (world->discarded[o]) {
            phx_net_changes_drop_observer(net, toy_observer_id(o));
        }
    }
}

static void deliver(toy_client *client, const toy_world *world, uint64_t tick, uint64_t seed)
{
    cr_assert(phx_net_changes_drain(net, out));
    if (out->given.change_count > 0) {
        out->given.tick_first = client->tick + 1;
        out->given.tick = tick;
        const char *wrong = toy_client_play(client, &out->given);
        cr_assert_null(wrong, "seed %lu, tick %lu: %s", seed, tick, wrong);
    }
    const char *differs = toy_client_compare(client, world);
    cr_assert_null(differs, "seed %lu, tick %lu: %s", seed, tick, differs);
}

static void random_world(uint64_t seed)
{
    uint64_t random = seed;
    toy_world world;
    toy_client client;
    uint32_t observers = 1 + phx_rng_below(&random, 6), targets = 1 + phx_rng_below(&random, 40);
    uint32_t churn = 8 + phx_rng_below(&random, 400);
    toy_world_create(&world, observers, targets, seed);
    toy_client_create(&client, &world);
    uint64_t events = 0;
    phx_net_changes_counts start = phx_net_changes_count(net);
    for (uint64_t tick = 1; tick <= 300; tick++) {
        toy_world_step(&world, churn);
        drop_all_observers(&world);
        offer(&world);
        merge();
        events += world.events_made;
        if (phx_rng_below(&random, 4) == 0) {
            deliver(&client, &world, tick, seed);
        }
    }
    deliver(&client, &world, 301, seed);
    phx_net_changes_counts counts = phx_net_changes_count(net);
    cr_assert_eq(counts.merged, counts.drained + counts.cancelled + counts.discarded);
    cr_assert_eq(counts.drained - start.drained, client.enters + client.leaves);
    cr_assert_eq(counts.merged - start.merged, events);
    toy_client_destroy(&client);
    toy_world_destroy(&world);
}

Test(net_changes, random_worlds_against_sets)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_world(seed);
    }
}

/* After the longest silence a like one allocates nothing. */
Test(net_changes, warm_merging_allocates_nothing)
{
    uint64_t calls = 0;
    for (int round = 0; round < 20; round++) {
        toy_world world;
        toy_world_create(&world, 8, 50, 4711);
        for (int tick = 0; tick < 30; tick++) {
            toy_world_step(&world, 100);
            drop_all_observers(&world);
            offer(&world);
            merge();
        }
        cr_assert(phx_net_changes_drain(net, out));
        toy_world_destroy(&world);
        if (round == 0) {
            calls = atomic_load(&mem.calls);
        }
    }
    cr_assert_eq(atomic_load(&mem.calls), calls);
}

/* Every call fails once for every allocation in it; the call is repeated, and nothing is lost or doubled. */
Test(net_changes, no_memory_changes_nothing)
{
    toy_world world;
    toy_client client;
    uint32_t failures = 0;
    toy_world_create(&world, 12, 200, 99);
    toy_client_create(&client, &world);
    for (uint64_t tick = 1; tick <= 60; tick++) {
        toy_world_step(&world, 60);
        drop_all_observers(&world);
        offer(&world);
        phx_net_changes_counts before = phx_net_changes_count(net);
        for (uint64_t allowed = 0;; allowed++) {
            watched_memory_fail_after(&watched, allowed);
            if (phx_net_changes_merge(net, in)) {
                break;
            }
            failures++;
            cr_assert_eq(phx_net_changes_count(net).merged, before.merged);
            cr_assert_eq(phx_net_changes_count(net).pending, before.pending);
            cr_assert_eq(phx_net_changes_count(net).observers, before.observers);
        }
        before = phx_net_changes_count(net);
        for (uint64_t allowed = 0; tick % 3 == 0; allowed++) {
            watched_memory_fail_after(&watched, allowed);
            if (phx_net_changes_drain(net, out)) {
                break;
            }
            failures++;
            cr_assert_eq(phx_net_changes_count(net).pending, before.pending);
        }
        watched_memory_fail_after(&watched, UINT64_MAX);
        if (tick % 3 == 0 && out->given.change_count > 0) {
            out->given.tick = out->given.tick_first = tick;
            cr_assert_null(toy_client_play(&client, &out->given));
            cr_assert_null(toy_client_compare(&client, &world));
        }
    }
    cr_assert_gt(failures, 10);
    toy_client_destroy(&client);
    toy_world_destroy(&world);
}

Test(coalesce_create, no_memory)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    watched_memory_fail_after(&watched, 0);
    cr_assert_null(phx_net_changes_create(&mem, NULL));
    cr_assert_null(phx_batch_create(&mem, true));
    phx_net_changes_destroy(NULL);
    phx_batch_destroy(&mem, NULL);
    cr_assert_eq(atomic_load(&watched.blocks), 0);
}
