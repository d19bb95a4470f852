/*
 * shards/outbox.c: a bounded pool, filled per destination, free again after each round.
 */
#include "unit/shard_case.h"

#include <stddef.h>

#include "shards/outbox.h"

enum { SHARDS = 5, BLOCK = PHX_RECORD_BLOCK_RECORDS };

static phx_outbox outbox;

static void set_up(void)
{
    memory_set_up();
    cr_assert(phx_outbox_init(&outbox, &memory, SHARDS));
}

static void tear_down(void)
{
    phx_outbox_free(&outbox, &memory);
    memory_tear_down();
}

TestSuite(outboxes, .init = set_up, .fini = tear_down);

/* Puts numbered records until it is full; returns how many. */
static uint64_t fill(uint32_t destination)
{
    uint64_t put = 0;
    for (phx_record *record; (record = phx_outbox_put(&outbox, destination)) != NULL;) record->id = ++put;
    return put;
}

Test(outboxes, a_pool_is_made_at_its_first_use_and_once)
{
    uint64_t before = atomic_load(&watched.bytes);
    cr_assert_null(outbox.blocks);
    cr_assert(phx_outbox_ready(&outbox, &memory, 4 * 4096 + 4095));
    cr_assert_eq(outbox.block_count, 4);
    cr_assert_leq(atomic_load(&watched.bytes) - before, 4 * 4096);
    const phx_record_block *blocks = outbox.blocks;
    cr_assert(phx_outbox_ready(&outbox, &memory, 8 * 4096));
    cr_assert_eq(outbox.blocks, blocks);
}

Test(outboxes, a_full_pool_says_so_and_a_reset_frees_it)
{
    cr_assert(phx_outbox_ready(&outbox, &memory, 4 * 4096));
    for (int round = 0; round < 3; round++) {
        cr_assert_eq(fill(2), 4 * BLOCK);
        cr_assert_null(phx_outbox_put(&outbox, 2));
        cr_assert_null(phx_outbox_put(&outbox, 1), "no block is left for another");
        cr_assert_eq(outbox.used, 4);
        for (uint32_t b = 0; b < 4; b++) {
            cr_assert_eq(outbox.blocks[b].destination, 2);
            cr_assert_eq(outbox.blocks[b].count, BLOCK);
            for (uint32_t i = 0; i < BLOCK; i++) cr_assert_eq(outbox.blocks[b].records[i].id, b * BLOCK + i + 1);
        }
        phx_outbox_reset(&outbox);
        cr_assert_eq(outbox.used, 0);
    }
}

Test(outboxes, each_destination_fills_its_own_block)
{
    cr_assert(phx_outbox_ready(&outbox, &memory, 4 * 4096));
    for (uint64_t id = 1; id <= 12; id++) phx_outbox_put(&outbox, (uint32_t)(id % 4))->id = id;
    cr_assert_eq(outbox.used, 4);
    cr_assert_null(phx_outbox_put(&outbox, 4), "four are open");
    for (uint32_t b = 0; b < 4; b++) {
        const phx_record_block *block = &outbox.blocks[b];
        cr_assert_eq(block->count, 3);
        cr_assert_eq(block->destination, (b + 1) % 4, "in the order of opening");
        for (uint32_t i = 0; i < 3; i++) cr_assert_eq(block->records[i].id % 4, block->destination);
    }
    for (uint32_t destination = 0; destination < SHARDS; destination++) {
        phx_outbox_reset(&outbox);
        phx_outbox_put(&outbox, destination)->id = 1;
        cr_assert_eq(outbox.used, 1);
        cr_assert_eq(outbox.blocks[0].count, 1, "nothing of the last round is left");
        cr_assert_eq(outbox.blocks[0].destination, destination);
    }
}

Test(outboxes, the_head_of_a_record_begins_cleared)
{
    cr_assert(phx_outbox_ready(&outbox, &memory, 4 * 4096));
    static const phx_record zero;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2 * BLOCK; i++) {
            phx_record *record = phx_outbox_put(&outbox, 0);
            cr_assert_arr_eq(record, &zero, offsetof(phx_record, as));
            memset(record, 0xff, sizeof *record);
        }
        phx_outbox_reset(&outbox);
    }
}

Test(outboxes, no_lane_gets_more_blocks_than_it_holds)
{
    cr_assert(phx_outbox_ready(&outbox, &memory, 100 * 4096));
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(fill(3), (uint64_t)PHX_LANE_BLOCKS * BLOCK);
        cr_assert_eq(fill(1), (uint64_t)PHX_LANE_BLOCKS * BLOCK, "another lane has its own bound");
        cr_assert_eq(outbox.used, 2 * PHX_LANE_BLOCKS);
        cr_assert_null(phx_outbox_put(&outbox, 3));
        phx_outbox_reset(&outbox);
    }
}

Test(outboxes, no_memory)
{
    cr_assert(phx_outbox_ready(&outbox, &memory, 4096)); /* this one stays as it is */
    phx_outbox other;
    for (uint64_t calls = 0; calls < 2; calls++) {
        memory_for(calls);
        cr_assert_not(phx_outbox_init(&other, &memory, SHARDS));
    }
    memory_enough();
    cr_assert(phx_outbox_init(&other, &memory, SHARDS));
    memory_for(0);
    cr_assert_not(phx_outbox_ready(&other, &memory, 4 * 4096));
    memory_enough();
    cr_assert_null(other.blocks);
    cr_assert(phx_outbox_ready(&other, &memory, 4 * 4096));
    cr_assert_eq(other.block_count, 4);
    phx_outbox_free(&other, &memory);
}

/* Lists lie side by side and stay where they are while rounds come and go; the next tick's begin where they did. */
Test(outboxes, lists_lie_beside_the_blocks_of_all_rounds)
{
    uint64_t id = 0;
    cr_assert(phx_outbox_ready(&outbox, &memory, 4096));
    for (uint32_t i = 0; i < 3; i++) {
        phx_listed *list = phx_outbox_list(&outbox, &memory, 100 + i);
        cr_assert_not_null(list);
        for (uint32_t j = 0; j < 100 + i; j++) list[j] = (phx_listed){.id = ++id};
    }
    const phx_listed *lists = outbox.lists;
    cr_assert_eq(outbox.list_count, 303);
    for (int round = 0; round < 3; round++) {
        phx_outbox_reset(&outbox);
        cr_assert_eq(fill(1), BLOCK);
        cr_assert_eq(outbox.lists, lists);
        for (uint32_t i = 0; i < 303; i++) cr_assert_eq(lists[i].id, i + 1);
    }
    phx_outbox_reset(&outbox);
    phx_outbox_lists_begin(&outbox);
    cr_assert_eq(phx_outbox_list(&outbox, &memory, 1), outbox.lists);
}

Test(outboxes, no_memory_for_a_list_leaves_those_that_there_are)
{
    cr_assert_not_null(phx_outbox_list(&outbox, &memory, 10));
    memory_for(0);
    cr_assert_null(phx_outbox_list(&outbox, &memory, 100000));
    cr_assert_eq(outbox.list_count, 10);
}

Test(outboxes, what_lists_of_a_storm_took_goes_some_ticks_after_it)
{
    enum { TICKS = 20 };
    cr_assert_not_null(phx_outbox_list(&outbox, &memory, 100000));
    const uint64_t storm = atomic_load(&watched.bytes);
    for (int tick = 0; tick < TICKS; tick++) {
        phx_outbox_lists_end(&outbox, &memory);
        cr_assert_eq(outbox.list_count, 0);
        cr_assert_not_null(phx_outbox_list(&outbox, &memory, 10));
    }
    cr_assert_lt(atomic_load(&watched.bytes), storm / 100);
}

Test(outboxes, lists_that_come_in_waves_allocate_nothing)
{
    enum { WAVES = 10, TICKS = 20, LONG = 10000 };
    cr_assert_not_null(phx_outbox_list(&outbox, &memory, LONG));
    const uint64_t calls = atomic_load(&memory.calls);
    for (int tick = 0; tick < WAVES * TICKS; tick++) {
        phx_outbox_lists_end(&outbox, &memory);
        if (tick % TICKS == 0) cr_assert_not_null(phx_outbox_list(&outbox, &memory, LONG));
    }
    cr_assert_eq(atomic_load(&memory.calls), calls);
}
