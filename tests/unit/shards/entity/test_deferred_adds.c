/*
 * The deferred-add queue through a shard: an entity that enters during an iteration stands in no
 * row and no list until the outermost iteration ends, and comes in in order.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/ingest/commands.h"
#include "shards/query/observers.h"
#include "shards/query/seen.h"
#include "shards/tick/reindex.h"
#include <signal.h>

static uint32_t rows_of(const phx_shard *shard)
{
    return shard->grid.row_count;
}

static void ignore(void *user, uint32_t observer)
{
    (void)observer;
    ++*(uint32_t *)user;
}

Test(deferred, an_add_waits_until_the_outermost_iteration_ends)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 100, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 101, 100);
    fleet_end(f);
    uint32_t first = fleet_slot(f, 0, 1), before = rows_of(shard);
    fleet_begin(f);
    cr_assert_eq(shard->deferred.depth, 1, "the tick itself iterates");
    fleet_enter(f, 3, plain_attr(30, 0), 102, 100);
    phx_deferred_begin(&shard->deferred);
    fleet_enter(f, 4, plain_attr(30, 0), 103, 100);
    phx_deferred_begin(&shard->deferred);
    fleet_enter(f, 5, plain_attr(30, 0), 104, 100);
    cr_assert_eq(shard->deferred.depth, 3);
    cr_assert_not(phx_deferred_end(&shard->deferred));
    cr_assert_not(phx_deferred_end(&shard->deferred));
    cr_assert_eq(shard->deferred.count, 3);
    /* an iteration meets neither half of them: no row, no list */
    cr_assert_eq(rows_of(shard), before);
    cr_assert_eq(phx_shard_list_count(shard, first), 1);
    for (uint64_t id = 3; id <= 5; id++) {
        uint32_t slot = fleet_slot(f, 0, id), watching = 0;
        cr_assert_eq(shard->store.body[slot].state & PHX_SLOT_ROW, 0);
        cr_assert_eq(shard->store.tail[slot].list.count, 0);
        phx_shard_observers_of(shard, slot, true, ignore, &watching);
        cr_assert_eq(watching, 0);
    }
    fleet_end(f);
    cr_assert_eq(rows_of(shard), 5);
    cr_assert_eq(shard->deferred.count, 0);
    cr_assert_eq(shard->counts.deferred_adds, 5);
    cr_assert_eq(f->enters, 3 + 3 * 4);
    fleet_close(f);
}

Test(deferred, adds_come_in_in_their_order)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    static const uint64_t order[] = {7, 3, 9, 1, 8, 2};
    fleet_begin(f);
    for (size_t i = 0; i < 6; i++) fleet_enter(f, order[i], plain_attr(30, 0), 105, 105); /* all in one tower */
    fleet_end(f);
    const phx_shard *shard = &f->shard[0];
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(shard->store.name[shard->grid.rows.slot[i] & PHX_ROW_SLOT].id, order[i]);
    fleet_close(f);
}

Test(deferred, an_entity_that_leaves_before_its_add_was_never_there)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 100, 100);
    fleet_end(f);
    fleet_begin(f);
    fleet_enter(f, 2, plain_attr(30, 0), 101, 100);
    fleet_enter(f, 3, plain_attr(30, 0), 102, 100);
    fleet_move(f, 2, 105, 100);
    fleet_leave(f, 2);
    fleet_leave(f, 3);
    fleet_enter(f, 3, plain_attr(30, 0), 103, 100);
    fleet_end(f);
    cr_assert_eq(f->enters, 2, "1 and the last 3 see each other");
    cr_assert_eq(f->leaves, 0);
    cr_assert_eq(rows_of(&f->shard[0]), 2);
    fleet_close(f);
}

Test(deferred, migrants_and_copies_wait_too)
{
    fleet *f = fleet_open(plain_rules(10, 100), 2, 1, 64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(30, 0), 510, 100);
    fleet_end(f);
    cr_assert_eq(f->shard[0].counts.deferred_adds, 2, "its own and the copy");
    cr_assert_eq(f->shard[1].counts.deferred_adds, 2);
    fleet_begin(f);
    fleet_enter(f, 3, plain_attr(0, 0), 100, 900);
    fleet_move(f, 3, 900, 900);
    fleet_end(f);
    cr_assert_eq(f->shard[0].counts.deferred_adds, 3);
    cr_assert_eq(f->shard[1].counts.deferred_adds, 3);
    fleet_close(f);
}

Test(deferred, without_memory_an_enter_changes_nothing)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    phx_attr attr = plain_attr(30, 0);
    phx_shard *shard = &f->shard[0];
    uint32_t stops = 0;
    fleet_begin(f);
    for (uint64_t id = 1; id < 600; id++) {
        for (uint64_t calls = 0;; calls++) {
            uint32_t slots = shard->store.slots, own = shard->store.own_count, waiting = shard->deferred.count;
            fleet_memory_for(calls);
            uint32_t slot = phx_shard_enter(shard, id, (uint32_t)id, id, &attr, 1, 1, 1);
            fleet_memory_enough();
            if (slot != PHX_SLOT_NONE) break;
            cr_assert_eq(shard->store.slots, slots);
            cr_assert_eq(shard->store.own_count, own);
            cr_assert_eq(shard->deferred.count, waiting);
            cr_assert_eq(shard->observing_count, own);
            stops++;
        }
    }
    cr_assert_gt(stops, 10);
    fleet_close(f);
}

#ifndef NDEBUG
Test(deferred, the_index_phase_is_for_the_outermost_only, .signal = SIGABRT)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    fleet_begin(f);
    phx_deferred_begin(&f->shard[0].deferred);
    (void)phx_shard_index(&f->shard[0], &f->directory, &f->renames);
}

Test(deferred, no_add_outside_of_an_iteration, .signal = SIGABRT)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    fleet_enter(f, 1, plain_attr(30, 0), 100, 100);
}
#endif
