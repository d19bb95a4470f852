/*
 * shards/tick: blind ticks, observers that are set aside, and the copy of positions to rows.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/query/seen.h"
#include "shards/storage/bare_storage.h"
#include "shards/tick/blind_tick.h"
#include "shards/tick/row_positions.h"
#include "shards/tick/set_aside.h"

enum { ENTITIES = 240, IN_A_TICK = 30, VIEW = 20 }; /* few in a tick: the room for adds is less than all */

/* Entities around one point, every second one an observer; they entered in a few ticks. */
static fleet *open_crowd(ph_range range)
{
    uint64_t rng = 17;
    phx_rules rules = plain_rules(10, 16);
    rules.range = range;
    fleet *f = fleet_open(rules, 1, 1, 64);
    for (uint32_t id = 1; id <= ENTITIES;) {
        fleet_begin(f);
        for (uint32_t end = id + IN_A_TICK; id < end; id++)
            fleet_enter(f, id, plain_attr(id % 2 ? VIEW : 0, 0), float_between(&rng, 40, 120),
                        float_between(&rng, 40, 120));
        fleet_end(f);
    }
    cr_assert_gt(phx_shard_count_entries(&f->shard[0]), ENTITIES);
    return f;
}

Test(blind_tick, every_list_is_owed_and_no_list_holds_memory)
{
    for (ph_range range = PH_RANGE_RADIUS; range <= PH_RANGE_TOWERS; range++) {
        fleet *f = open_crowd(range);
        phx_shard *shard = &f->shard[0];
        fleet_begin(f);
        fleet_memory_for(0); /* it needs none */
        phx_shard_index_blind(shard, &phx_storage_bare);
        cr_assert_eq(shard->storage, &phx_storage_bare);
        for (uint32_t id = 1; id <= ENTITIES; id++) {
            const uint32_t slot = fleet_slot(f, 0, id);
            const phx_list *list = &shard->store.tail[slot].list;
            cr_assert_eq(list->owed, id % 2 == 1, "entity %u", id);
            cr_assert(!list->derived && list->size_class == PHX_LIST_NONE);
            cr_assert_eq(shard->store.name[slot].fresh && (shard->store.body[slot].state & PHX_SLOT_PARTIAL),
                         id % 2 == 1);
        }
        cr_assert_eq(phx_shard_count_entries(shard), 0);
        cr_assert_eq(shard->counts.resets, ENTITIES / 2);
        fleet_memory_enough();
        fleet_close(f);
    }
}

Test(blind_tick, the_index_comes_back_whole_once_there_is_memory)
{
    for (ph_range range = PH_RANGE_RADIUS; range <= PH_RANGE_TOWERS; range++) {
        fleet *f = open_crowd(range);
        phx_shard *shard = &f->shard[0];
        const phx_storage *own = shard->storage;
        uint64_t calls = 0;
        fleet_begin(f);
        phx_shard_index_blind(shard, &phx_storage_bare);
        for (bool restored = false; !restored; calls++) {
            fleet_memory_for(calls);
            restored = phx_shard_restore_index(shard);
            fleet_memory_enough();
            cr_assert_eq(shard->storage, restored ? own : &phx_storage_bare);
            for (uint32_t slot = 0; slot < shard->store.slots; slot++)
                if (shard->store.body[slot].state & PHX_SLOT_LIVE)
                    cr_assert_eq(!(shard->store.body[slot].state & PHX_SLOT_ROW), restored);
        }
        cr_assert_gt(calls, 1, "range %d", (int)range);
        cr_assert_eq(shard->deferred.count, ENTITIES, "all are to be added");
        cr_assert(shard->all_dirty && shard->changed && shard->far.stale);
        fleet_close(f);
    }
}

Test(set_aside, an_observer_is_set_aside_once_a_tick)
{
    fleet *f = open_crowd(PH_RANGE_RADIUS);
    phx_shard *shard = &f->shard[0];
    const uint32_t slot = fleet_slot(f, 0, 1), other = fleet_slot(f, 0, 3);
    const uint64_t entries = phx_shard_count_entries(shard);
    const uint32_t own = phx_shard_list_count(shard, slot), others = phx_shard_list_count(shard, other);
    cr_assert(own > 0 && others > 0);
    fleet_begin(f);
    phx_shard_set_aside(shard, slot);
    phx_shard_set_aside(shard, slot);
    cr_assert_eq(shard->counts.resets, 1);
    cr_assert_eq(phx_shard_list_count(shard, slot), 0);
    cr_assert_eq(phx_shard_list_count(shard, other), others, "no other observer is touched");
    cr_assert_eq(phx_shard_count_entries(shard), entries - own);
    cr_assert(shard->owes_lists && shard->store.tail[slot].list.owed && shard->store.name[slot].fresh);
    fleet_close(f);
}

Test(row_positions, any_parts_together_copy_every_row_once)
{
    fleet *f = open_crowd(PH_RANGE_RADIUS);
    phx_shard *shard = &f->shard[0];
    phx_grid *grid = &shard->grid;
    uint64_t rng = 23;
    cr_assert_not(grid->needs_rebuild);
    for (uint32_t parts = 1; parts <= 40; parts += 13) {
        uint32_t copied_before = 0;
        for (uint32_t slot = 0; slot < shard->store.slots; slot++)
            shard->store.body[slot].x = float_between(&rng, 40, 120);
        grid->positions_stale = true;
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t copied = 0;
            phx_rows_copy_positions(shard, part, parts);
            for (uint32_t row = 0; row < grid->row_end; row++) {
                if (phx_row_word_is_gap(phx_row_word_at(grid->rows.slot, row))) continue;
                const phx_body *body = &shard->store.body[phx_row_slot(&grid->rows, row)];
                copied += grid->rows.x[row] == body->x && grid->rows.y[row] == body->y;
            }
            cr_assert_geq(copied, copied_before, "a part undoes another");
            copied_before = copied;
            cr_assert(grid->positions_stale, "the owner says that all are copied");
        }
        cr_assert_eq(copied_before, ENTITIES);
        phx_rows_copied(shard);
        cr_assert_not(grid->positions_stale);
    }
    fleet_close(f);
}
