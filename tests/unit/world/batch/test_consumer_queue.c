/*
 * world/batch/consumer_queue.c from one thread: the bound, waiting and taken batches, coalescing
 * past the bound, late and stopped consumers, wrong returns, no memory. Two threads are
 * in concurrency/stress_consumer.c.
 */
#include <criterion/criterion.h>

#include <signal.h>

#include "base/rng.h"
#include "support/model_lists.h"
#include "support/watched_memory.h"
#include "world/batch/consumer_queue.h"

static watched_memory watched;
static phx_mem mem;
static phx_consumer *c;
static uint64_t now; /* the tick */

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    now = 0;
}

static void tear_down(void)
{
    phx_consumer_destroy(c);
    c = NULL;
    watched_memory_all_back(&watched);
}

TestSuite(consumer, .init = set_up, .fini = tear_down);

static void make(uint32_t bound)
{
    c = phx_consumer_create(&mem, bound, 1 << 20, NULL);
    cr_assert_not_null(c);
}

/* A tick in which `observer` sees `target` come (enter) or go. */
static void tick_one(uint64_t observer, uint64_t target, bool enter)
{
    phx_batch *batch = phx_consumer_begin(c, 1, 1);
    cr_assert_not_null(batch);
    batch->changes[0] = (ph_change){observer, 0, 0, !enter, enter, 0};
    batch->columns.targets[0] = (ph_target){target, target};
    batch->columns.kinds[0] = 0;
    batch->columns.incarnations[0] = 1;
    cr_assert(phx_consumer_offer(c, batch, ++now));
}

static void tick_none(void)
{
    cr_assert(phx_consumer_offer(c, NULL, ++now));
}

/* Enters of a target never seen before. */
static void ticks_new(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tick_one(1, now + 100, true);
    }
}

static const ph_batch *take(uint64_t tick_first, uint64_t tick)
{
    const ph_batch *batch = phx_consumer_take(c);
    cr_assert_not_null(batch);
    cr_assert_eq(batch->tick_first, tick_first, "from %lu, not %lu", batch->tick_first, tick_first);
    cr_assert_eq(batch->tick, tick, "to %lu, not %lu", batch->tick, tick);
    return batch;
}

static void take_and_return(uint64_t tick_first, uint64_t tick)
{
    cr_assert(phx_consumer_return(c, take(tick_first, tick)));
}

Test(consumer, nothing_waits_at_first)
{
    make(4);
    cr_assert_null(phx_consumer_take(c));
    tick_none();
    cr_assert_null(phx_consumer_take(c));
    cr_assert_eq(phx_consumer_close(c), 0);
}

Test(consumer, a_batch_comes_as_it_went)
{
    make(4);
    phx_batch *batch = phx_consumer_begin(c, 3, 5);
    cr_assert_geq(batch->changes_capacity, 3);
    cr_assert_geq(batch->events_capacity, 5);
    cr_assert_eq(batch->given.change_count, 3);
    cr_assert_eq(batch->given.target_count, 5);
    batch->given.change_count = 1; /* there were fewer after all */
    batch->given.target_count = 2;
    batch->changes[0] = (ph_change){9, 90, 0, 1, 1, PH_CHANGE_FRESH};
    batch->columns.targets[1] = (ph_target){6, 60};
    batch->columns.kinds[1] = 3;
    cr_assert(phx_consumer_offer(c, batch, 17));
    const ph_batch *got = take(17, 17);
    cr_assert_eq((const void *)got, (const void *)batch);
    cr_assert_eq(got->change_count, 1);
    cr_assert_eq(got->target_count, 2);
    cr_assert_eq(got->changes[0].user_data, 90);
    cr_assert_eq(got->changes[0].flags, PH_CHANGE_FRESH);
    cr_assert_eq(got->targets[1].id, 6);
    cr_assert_eq(got->kinds[1], 3);
    cr_assert(phx_consumer_return(c, got));
}

/* A host adds `first` to the arrays; the undefined-behaviour sanitizer reports it for NULL, in the host's code. */
Test(consumer, a_change_without_targets_and_an_empty_message_have_arrays)
{
    make(4);
    phx_batch *batch = phx_consumer_begin(c, 1, 0);
    batch->changes[0] = (ph_change){.observer = 9, .flags = PH_CHANGE_FRESH};
    cr_assert(phx_batch_broadcasts_reserve(&batch->broadcasts, &mem,
                                           (phx_batch_broadcasts_size){.messages = 1, .deliveries = 1, .heard = 1}));
    batch->broadcasts.messages[0] = (ph_message){.source = 8};
    batch->broadcasts.deliveries[0] = (ph_delivery){.observer = 9, .count = 1};
    batch->broadcasts.heard[0] = 0;
    cr_assert(phx_consumer_offer(c, batch, 17));
    const ph_batch *got = take(17, 17);
    cr_assert_eq(got->target_count, 0);
    cr_assert_not_null(got->targets);
    cr_assert_not_null(got->kinds);
    cr_assert_not_null(got->causes);
    cr_assert_eq(got->payload_bytes, 0);
    cr_assert_not_null(got->payload);
    cr_assert(phx_consumer_return(c, got));
}

Test(consumer, a_tick_without_changes_makes_no_batch)
{
    make(4);
    phx_batch *batch = phx_consumer_begin(c, 0, 0);
    cr_assert_not_null(batch);
    cr_assert(phx_consumer_offer(c, batch, ++now));
    tick_none();
    batch = phx_consumer_begin(c, 8, 8);
    batch->given.change_count = 0; /* it turned out so */
    batch->given.target_count = 0;
    cr_assert(phx_consumer_offer(c, batch, ++now));
    cr_assert_null(phx_consumer_take(c));
    cr_assert_eq(phx_consumer_count(c).batches, 0);
}

Test(consumer, begin_again_gives_the_same_batch)
{
    make(4);
    phx_batch *batch = phx_consumer_begin(c, 1, 1);
    cr_assert_eq(phx_consumer_begin(c, 500, 9000), batch);
    cr_assert_geq(batch->events_capacity, 9000);
    cr_assert_eq(batch->given.change_count, 500);
}

/* Enough ticks to use every batch of a few often. */
enum { STORM = 1 << 19, STORM_BATCHES = 3, CALM_TICKS = 100 };

/* Several large batches are out at once, and come back. */
static void storm(void)
{
    const ph_batch *out[STORM_BATCHES];
    for (int i = 0; i < STORM_BATCHES; i++) {
        phx_batch *batch = phx_consumer_begin(c, 1, STORM);
        cr_assert_not_null(batch);
        batch->changes[0] = (ph_change){1, 0, 0, 0, STORM, 0};
        cr_assert(phx_consumer_offer(c, batch, ++now));
        out[i] = take(now, now);
    }
    for (int i = 0; i < STORM_BATCHES; i++) {
        cr_assert(phx_consumer_return(c, out[i]));
    }
    cr_assert_gt(atomic_load(&mem.bytes), STORM_BATCHES * STORM * sizeof(ph_target));
}

Test(consumer, batches_that_a_storm_left_over_give_their_memory_back)
{
    make(STORM_BATCHES + 1);
    storm();
    for (int i = 0; i < CALM_TICKS; i++) { /* one of them is all that is wanted */
        tick_one(1, now + 100, true);
        take_and_return(now, now);
    }
    cr_assert_lt(atomic_load(&mem.bytes), STORM * sizeof(ph_target));
}

Test(consumer, after_a_storm_silence_gives_memory_back)
{
    make(STORM_BATCHES + 1);
    storm();
    for (int i = 0; i < CALM_TICKS; i++) {
        tick_none();
    }
    cr_assert_lt(atomic_load(&mem.bytes), STORM * sizeof(ph_target));
}

Test(consumer, batches_come_in_order_up_to_the_bound)
{
    make(3);
    ticks_new(3);
    cr_assert_eq(phx_consumer_count(c).waiting, 3);
    for (uint64_t tick = 1; tick <= 3; tick++) {
        take_and_return(tick, tick);
    }
    cr_assert_null(phx_consumer_take(c));
}

Test(consumer, past_the_bound_ticks_are_coalesced)
{
    make(3);
    ticks_new(8);
    phx_consumer_counts counts = phx_consumer_count(c);
    cr_assert_eq(counts.batches, 3);
    cr_assert_eq(counts.out, 3);
    cr_assert_eq(counts.coalesced_ticks, 5);
    cr_assert_eq(counts.pending, 5);
    cr_assert_eq(counts.pending_observers, 1);
    tick_none(); /* no room yet */
    cr_assert_eq(phx_consumer_count(c).waiting, 3);
    take_and_return(1, 1);
    tick_none(); /* 10: delivers 4 to 8 */
    take_and_return(2, 2);
    take_and_return(3, 3);
    const ph_batch *net = take(4, 10);
    cr_assert_eq(net->change_count, 1);
    cr_assert_eq(net->target_count, 5);
    cr_assert(phx_consumer_return(c, net));
    cr_assert_null(phx_consumer_take(c));
    ticks_new(1); /* all is as ever */
    take_and_return(11, 11);
    cr_assert_eq(phx_consumer_count(c).events, 9);
}

/* A tick with changes that meets room and a pending net goes into it, and both into one batch. */
Test(consumer, the_tick_of_the_delivery_is_part_of_it)
{
    make(1);
    tick_one(1, 5, true);
    tick_one(1, 6, true);
    tick_one(2, 7, true);
    take_and_return(1, 1);
    tick_one(1, 6, false);
    const ph_batch *net = take(2, 4);
    cr_assert_eq(net->change_count, 1);
    cr_assert_eq(net->changes[0].observer, 2);
    cr_assert_eq(phx_consumer_count(c).coalesced_ticks, 3);
    cr_assert_eq(phx_consumer_count(c).cancelled, 2);
}

Test(consumer, a_net_of_nothing_makes_no_batch)
{
    make(1);
    tick_one(1, 5, true);
    tick_one(1, 6, true);
    tick_one(1, 6, false);
    cr_assert_eq(phx_consumer_count(c).pending, 0);
    take_and_return(1, 1);
    tick_none();
    cr_assert_null(phx_consumer_take(c));
    tick_one(1, 7, true); /* and is no net of earlier ticks */
    take_and_return(5, 5);
}

/* The net becomes nothing by the very tick that would deliver it. */
Test(consumer, a_net_that_ends_at_its_delivery)
{
    make(1);
    tick_one(1, 5, true);
    tick_one(1, 6, true);
    take_and_return(1, 1);
    tick_one(1, 6, false);
    cr_assert_null(phx_consumer_take(c));
    cr_assert_eq(phx_consumer_count(c).batches, 1);
    tick_one(1, 6, true);
    take_and_return(4, 4);
}

Test(consumer, a_dropped_observer_gets_no_event)
{
    make(1);
    tick_one(1, 5, true);
    tick_one(1, 6, true);
    tick_one(2, 6, true);
    phx_consumer_drop_observer(c, 1);
    phx_consumer_drop_observer(c, 3);
    take_and_return(1, 1); /* a batch that was handed over stays */
    tick_none();
    const ph_batch *net = take(2, 4);
    cr_assert_eq(net->change_count, 1);
    cr_assert_eq(net->changes[0].observer, 2);
    cr_assert_eq(phx_consumer_count(c).discarded, 1);
}

/* The next tick's batch has an edge off this area for each of these entities, of the incarnation that is its id. */
static phx_batch *edges_off(uint64_t area, const uint64_t *ids, uint32_t count)
{
    phx_batch *batch = phx_consumer_begin(c, 0, 0);
    phx_edge_size size = {0};
    size.count[area != 0][false] = count;
    cr_assert(phx_batch_size_edges(&mem, batch, size));
    phx_edge_size places = phx_batch_edge_places(&size);
    for (uint32_t i = 0; i < count; i++) {
        const ph_edge edge = {ids[i], 0, area, (uint32_t)ids[i], false};
        phx_batch_put_edge(batch, &places, &edge);
    }
    return batch;
}

/* In the net difference, and in a tick that was kept because there was no memory for it. */
Test(consumer, edges_of_a_stay_that_are_dropped_are_not_told)
{
    enum { LAST = 900 };
    uint64_t many[LAST];
    make(1);
    ticks_new(1);
    cr_assert(phx_consumer_offer(c, edges_off(50, (uint64_t[]){7, 8}, 2), ++now));
    for (uint32_t i = 0; i < LAST; i++) many[i] = i + 1; /* more than the net difference has room for */
    phx_batch *batch = edges_off(51, many, LAST);
    watched_memory_fail_after(&watched, 0);
    cr_assert_not(phx_consumer_offer(c, batch, ++now));
    cr_assert(phx_consumer_keep(c, batch, now));
    watched_memory_fail_after(&watched, UINT64_MAX);
    cr_assert_eq(phx_consumer_count(c).edges_pending, LAST + 2);
    phx_consumer_drop_edges(c, (phx_net_stay){7, 7});
    phx_consumer_drop_edges(c, (phx_net_stay){8, 1}); /* another stay */
    phx_consumer_drop_edges(c, (phx_net_stay){LAST + 1, LAST + 1});
    cr_assert_eq(phx_consumer_count(c).edges_pending, LAST);
    take_and_return(1, 1);
    tick_none();
    const ph_batch *told = take(2, now);
    cr_assert_eq(told->crossing_count, LAST);
    for (uint32_t i = 0; i < LAST; i++) cr_assert_neq(told->crossings[i].id, 7);
    cr_assert(phx_consumer_return(c, told));
}

Test(consumer, taken_batches_count_for_the_bound)
{
    make(2);
    ticks_new(2);
    const ph_batch *a = take(1, 1);
    const ph_batch *b = take(2, 2);
    ticks_new(1);
    cr_assert_null(phx_consumer_take(c));
    cr_assert_eq(phx_consumer_count(c).coalesced_ticks, 1);
    cr_assert(phx_consumer_return(c, b));
    cr_assert(phx_consumer_pending(c));
    cr_assert_null(phx_consumer_take(c)); /* only a tick delivers */
    tick_none();
    cr_assert_not(phx_consumer_pending(c));
    take_and_return(3, 4);
    cr_assert(phx_consumer_return(c, a));
}

Test(consumer, returns_in_any_order_and_only_once)
{
    enum { BOUND = 200 };
    const ph_batch *taken[BOUND];
    uint64_t random = 5;
    make(BOUND);
    for (int round = 0; round < 10; round++) {
        ticks_new(BOUND);
        for (uint32_t i = 0; i < BOUND; i++) {
            taken[i] = phx_consumer_take(c);
            cr_assert_not_null(taken[i]);
        }
        cr_assert_null(phx_consumer_take(c));
        for (uint32_t left = BOUND; left > 0; left--) {
            uint32_t i = phx_rng_below(&random, left);
            const ph_batch *batch = taken[i];
            taken[i] = taken[left - 1];
            cr_assert(phx_consumer_return(c, batch));
            cr_assert(!phx_consumer_return(c, batch));
        }
    }
    cr_assert_eq(phx_consumer_count(c).coalesced_ticks, 0);
}

Test(consumer, wrong_returns_are_refused)
{
    ph_batch other = {0};
    make(2);
    cr_assert(!phx_consumer_return(c, NULL));
    cr_assert(!phx_consumer_return(c, &other));
    cr_assert(!phx_consumer_return(c, (const ph_batch *)(uintptr_t)0x10)); /* no memory at all */
    phx_batch *filling = phx_consumer_begin(c, 1, 1);
    cr_assert(!phx_consumer_return(c, &filling->given));
    ticks_new(1);
    cr_assert(!phx_consumer_return(c, &filling->given)); /* waits, is not taken */
    const ph_batch *batch = take(1, 1);
    cr_assert(!phx_consumer_return(c, batch + 1));
    cr_assert(!phx_consumer_return(c, (const ph_batch *)(const void *)((const char *)batch + 1)));
    cr_assert(phx_consumer_return(c, batch));
    cr_assert(!phx_consumer_return(c, batch));
}

Test(consumer, close_gives_all_back)
{
    make(4);
    ticks_new(6);
    const ph_batch *a = take(1, 1);
    take(2, 2);
    cr_assert_eq(phx_consumer_close(c), 2);
    cr_assert(!phx_consumer_return(c, a));
    cr_assert_eq(phx_consumer_close(c), 0);
    tick_none();
    /* the next taker finds the waiting batches, then the net */
    take_and_return(3, 3);
    take_and_return(4, 4);
    take_and_return(5, 7);
}

Test(consumer, bound_plus_one_batches_are_made)
{
    make(5);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 200; i++) {
        ticks_new(20);
        cr_assert_leq(phx_consumer_count(c).out, 5);
        for (uint32_t j = 0; j < i % 6; j++) {
            const ph_batch *batch = phx_consumer_take(c);
            cr_assert(batch == NULL || phx_consumer_return(c, batch));
        }
        if (i == 100) {
            bytes = atomic_load(&mem.bytes);
        }
    }
    cr_assert_lt(atomic_load(&mem.bytes), 2 * bytes); /* 100 nets of more and more targets, and no more than that */
}

Test(consumer, a_prompt_consumer_costs_two_batches)
{
    make(1000);
    ticks_new(1);
    take_and_return(1, 1);
    uint64_t calls = atomic_load(&mem.calls);
    for (uint64_t tick = 2; tick < 500; tick++) {
        ticks_new(1);
        take_and_return(tick, tick);
    }
    cr_assert_eq(atomic_load(&mem.calls), calls); /* one, in fact */
}

/* Rings and tables are for the most batches ever out at once, whatever the bound. */
Test(consumer, an_unused_bound_costs_nothing)
{
    make(65536);
    cr_assert_leq(atomic_load(&mem.bytes), 4096);
    uint64_t bytes = 0;
    for (uint64_t tick = 1; tick < 1000; tick++) {
        ticks_new(1);
        take_and_return(tick, tick);
        bytes = tick == 10 ? (uint64_t)atomic_load(&mem.bytes) : bytes;
    }
    cr_assert_eq(atomic_load(&mem.bytes), bytes);
}

/* Batches of all legs: in order, found when they come back in any order, and the rings of each go on around. */
Test(consumer, more_and_more_are_out)
{
    const ph_batch *taken[400];
    uint64_t told = 0;
    uint32_t taken_count = 0;
    uint64_t random = 5;
    make(400);
    phx_consumer_start_at(c, UINT32_MAX - 3);
    for (uint32_t most = 1; most <= 400; most += 1 + most / 3) {
        for (uint32_t round = 0; round < 5; round++) {
            ticks_new(most - taken_count);
            while (taken_count < most) {
                told++;
                taken[taken_count++] = take(told, told);
            }
            cr_assert_null(phx_consumer_take(c));
            cr_assert_not(phx_consumer_return(c, (const ph_batch *)&told));
            while (taken_count > most / 4) {
                uint32_t i = phx_rng_below(&random, taken_count);
                cr_assert(phx_consumer_return(c, taken[i]));
                cr_assert_not(phx_consumer_return(c, taken[i]), "a second time");
                taken[i] = taken[--taken_count];
            }
        }
    }
    cr_assert_eq(phx_consumer_close(c), taken_count);
    cr_assert_eq(phx_consumer_count(c).coalesced_ticks, 0);
}

/* A leg more needs memory: without it nothing is handed over, and nothing lost. */
Test(consumer, no_memory_for_more_that_are_out)
{
    uint32_t failures = 0;
    make(200);
    for (uint64_t tick = 1; tick <= 200; tick++) {
        watched_memory_fail_after(&watched, UINT64_MAX);
        phx_batch *batch = phx_consumer_begin(c, 0, 0);
        cr_assert_not_null(batch);
        cr_assert(phx_batch_reserve(&mem, batch, 1, 1));
        batch->given.change_count = batch->given.target_count = 1;
        batch->changes[0] = (ph_change){1, 0, 0, 0, 1, 0};
        batch->columns.targets[0] = (ph_target){tick + 100, 0};
        batch->columns.kinds[0] = 0;
        batch->columns.incarnations[0] = 1;
        for (uint64_t allowed = 0;; allowed++) {
            watched_memory_fail_after(&watched, allowed);
            if (phx_consumer_offer(c, batch, tick)) break;
            cr_assert_eq(phx_consumer_count(c).waiting, tick - 1);
            failures++;
        }
    }
    cr_assert_gt(failures, 4);
    for (uint64_t tick = 1; tick <= 200; tick++) take_and_return(tick, tick);
}

Test(consumer, destroyed_with_all_kinds_of_batches)
{
    make(3);
    ticks_new(5);
    take(1, 1);
    take(2, 2);
    cr_assert(phx_consumer_begin(c, 10, 10) != NULL);
}

Test(consumer, the_largest_bound)
{
    enum { BOUND = 65536 };
    make(BOUND);
    ticks_new(BOUND + 1);
    cr_assert_eq(phx_consumer_count(c).waiting, BOUND);
    cr_assert_eq(phx_consumer_count(c).coalesced_ticks, 1);
    for (uint32_t i = 0; i < BOUND; i++) {
        cr_assert_not_null(phx_consumer_take(c));
    }
    cr_assert_eq(phx_consumer_close(c), BOUND);
    tick_none();
    take_and_return(BOUND + 1, BOUND + 2);
}

Test(consumer, counters_wrap)
{
    make(3);
    phx_consumer_start_at(c, UINT32_MAX - 5);
    for (uint64_t tick = 1; tick < 40; tick++) {
        ticks_new(1);
        take_and_return(tick, tick);
    }
}

#ifndef NDEBUG
Test(consumer, ticks_go_up, .signal = SIGABRT)
{
    make(1);
    tick_none();
    now--;
    tick_none();
}

Test(consumer, a_foreign_offer_is_caught, .signal = SIGABRT)
{
    make(1);
    (void)phx_consumer_offer(c, phx_batch_create(&mem, false), 1);
}
#endif

/* ---- no memory ---- */

Test(consumer, no_memory_to_create)
{
    for (uint64_t allowed = 0; c == NULL; allowed++) {
        watched_memory_fail_after(&watched, allowed);
        c = phx_consumer_create(&mem, 64, 1 << 20, NULL);
        cr_assert(c != NULL || atomic_load(&watched.blocks) == 0);
        cr_assert_leq(allowed, 9);
    }
}

static phx_batch *begin_at_last(uint32_t changes, uint32_t targets, uint32_t *failures)
{
    for (uint64_t allowed = 0;; allowed++) {
        watched_memory_fail_after(&watched, allowed);
        phx_batch *batch = phx_consumer_begin(c, changes, targets);
        if (batch != NULL) {
            return batch;
        }
        ++*failures;
    }
}

static void offer_at_last(phx_batch *batch, uint64_t tick, uint32_t *failures)
{
    for (uint64_t allowed = 0;; allowed++) {
        watched_memory_fail_after(&watched, allowed);
        phx_consumer_counts before = phx_consumer_count(c);
        if (phx_consumer_offer(c, batch, tick)) {
            return;
        }
        ++*failures;
        cr_assert_eq(phx_consumer_count(c).batches, before.batches);
        cr_assert_eq(phx_consumer_count(c).waiting, before.waiting);
    }
}

/* ---- random worlds: whatever the consumer does, its copy ends up equal to the world ---- */

static void consume(toy_client *client, uint64_t *random, const ph_batch **taken, uint32_t *taken_count, uint32_t much)
{
    for (uint32_t i = phx_rng_below(random, much); i > 0; i--) {
        const ph_batch *batch = phx_consumer_take(c);
        if (batch == NULL) {
            break;
        }
        const char *wrong = toy_client_play(client, batch);
        cr_assert_null(wrong, "%s", wrong);
        taken[(*taken_count)++] = batch;
    }
    while (*taken_count > 0 && phx_rng_below(random, 3) > 0) {
        uint32_t i = phx_rng_below(random, *taken_count);
        cr_assert(phx_consumer_return(c, taken[i]));
        taken[i] = taken[--*taken_count];
    }
    if (phx_rng_below(random, 40) == 0) {
        cr_assert_eq(phx_consumer_close(c), *taken_count);
        *taken_count = 0;
    }
}

static uint64_t world_tick(toy_world *world, uint32_t churn, bool failing, uint32_t *failures)
{
    uint32_t changes, targets;
    toy_world_step(world, churn);
    for (uint32_t o = 0; o < world->observers; o++) {
        if (world->discarded[o]) {
            phx_consumer_drop_observer(c, toy_observer_id(o));
        }
    }
    toy_world_changes(world, &changes, &targets);
    phx_batch *batch = NULL;
    if (changes > 0) {
        batch = failing ? begin_at_last(changes, targets, failures) : phx_consumer_begin(c, changes, targets);
        cr_assert_not_null(batch);
        toy_world_fill(world, batch);
    }
    ++now;
    if (failing) {
        offer_at_last(batch, now, failures);
        watched_memory_fail_after(&watched, UINT64_MAX);
    } else {
        cr_assert(phx_consumer_offer(c, batch, now));
    }
    return targets;
}

static void play_to_the_end(toy_client *client, const toy_world *world)
{
    (void)phx_consumer_close(c);
    for (uint32_t i = 0; i < 2; i++) { /* once for waiting batches, once for the net */
        for (const ph_batch *batch = phx_consumer_take(c); batch != NULL; batch = phx_consumer_take(c)) {
            const char *wrong = toy_client_play(client, batch);
            cr_assert_null(wrong, "%s", wrong);
            cr_assert(phx_consumer_return(c, batch));
        }
        tick_none();
    }
    cr_assert_null(phx_consumer_take(c));
    const char *differs = toy_client_compare(client, world);
    cr_assert_null(differs, "%s", differs);
}

static uint64_t random_world(uint64_t seed, bool failing)
{
    uint64_t random = seed, events = 0;
    uint32_t failures = 0, taken_count = 0;
    uint32_t bound = 1 + phx_rng_below(&random, 5), churn = 8 + phx_rng_below(&random, 300);
    const ph_batch *taken[8];
    toy_world world;
    toy_client client;
    toy_world_create(&world, 1 + phx_rng_below(&random, 5), 1 + phx_rng_below(&random, 30), seed);
    toy_client_create(&client, &world);
    make(bound);
    phx_consumer_start_at(c, (uint32_t)phx_rng_next(&random));
    uint32_t much = 1;
    for (uint32_t tick = 0; tick < 300; tick++) {
        if (tick % 25 == 0) {
            much = 1 + phx_rng_below(&random, 4); /* 1: it takes nothing */
        }
        events += world_tick(&world, churn, failing && tick % 3 == 0, &failures);
        consume(&client, &random, taken, &taken_count, much);
        cr_assert_leq(phx_consumer_count(c).out, bound);
    }
    play_to_the_end(&client, &world);
    phx_consumer_counts counts = phx_consumer_count(c);
    cr_assert_eq(counts.pending, 0);
    cr_assert_eq(counts.out, 0);
    cr_assert_eq(counts.batches, client.batches);
    cr_assert_eq(counts.events, client.enters + client.leaves);
    cr_assert_eq(events, counts.events + counts.cancelled + counts.discarded);
    cr_assert(!failing || failures > 0);
    toy_client_destroy(&client);
    toy_world_destroy(&world);
    return counts.coalesced_ticks;
}

Test(consumer, random_worlds)
{
    uint64_t coalesced = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        set_up();
        coalesced += random_world(seed, false);
        tear_down();
    }
    cr_assert_gt(coalesced, 1000);
}

Test(consumer, random_worlds_with_no_memory)
{
    for (uint64_t seed = 100; seed <= 130; seed++) {
        set_up();
        random_world(seed, true);
        tear_down();
    }
}
