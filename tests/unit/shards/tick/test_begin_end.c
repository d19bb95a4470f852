/*
 * shards/tick/begin_end.c: a tick's adds wait for the index phase, and the dead keep their names to the tick's end.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/tick/begin_end.h"

Test(begin_end, an_entity_that_left_keeps_its_name_to_the_tick_end_and_its_slot_is_free_then)
{
    fleet *f = fleet_open(plain_rules(10, 16), 1, 1, 64);
    phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 0), 50, 50);
    fleet_enter(f, 2, plain_attr(0, 0), 51, 50);
    fleet_end(f);
    const uint32_t slot = fleet_slot(f, 0, 2), slots = shard->store.slots;
    fleet_begin(f);
    fleet_leave(f, 2);
    cr_assert_eq(shard->store.name[slot].id, 2, "leave events name it");
    cr_assert_not(shard->store.body[slot].state & PHX_SLOT_LIVE);
    fleet_enter(f, 3, plain_attr(0, 0), 52, 50);
    cr_assert_neq(fleet_slot(f, 0, 3), slot, "the slot of a dead entity is not free in its tick");
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    fleet_begin(f);
    fleet_enter(f, 4, plain_attr(0, 0), 53, 50);
    cr_assert_eq(fleet_slot(f, 0, 4), slot, "then it is");
    fleet_end(f);
    cr_assert_eq(shard->store.slots, slots + 1);
    fleet_close(f);
}

Test(begin_end, an_entity_that_entered_has_no_entry_before_the_index_phase)
{
    fleet *f = fleet_open(plain_rules(10, 16), 1, 1, 64);
    phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(20, 0), 50, 50);
    const uint32_t slot = fleet_slot(f, 0, 1);
    cr_assert_not(shard->store.body[slot].state & PHX_SLOT_ROW);
    cr_assert_eq(shard->deferred.count, 1);
    fleet_end(f);
    cr_assert(shard->store.body[slot].state & PHX_SLOT_ROW);
    cr_assert_eq(shard->deferred.count, 0);
    fleet_close(f);
}

Test(begin_end, no_count_of_a_tick_stays_for_the_next_one)
{
    fleet *f = fleet_open(plain_rules(10, 16), 1, 1, 64);
    phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    for (uint32_t id = 1; id <= 40; id++) fleet_enter(f, id, plain_attr(20, 0), 40 + (float)id, 50);
    fleet_end(f);
    cr_assert_gt(f->enters, 0);
    fleet_tick(f);
    cr_assert_eq(f->enters + f->leaves + f->changes, 0);
    cr_assert_not(shard->changed || shard->all_dirty);
    cr_assert_eq(shard->counts.resets, 0);
    fleet_close(f);
}
