/*
 * shards/state/outbox.c: a bounded pool, filled per destination, free again after each round.
 */
#include "unit/shards/shard_case.h"

#include <stddef.h>

#include "shards/state/outbox.h"

enum { SHARDS = 5, BLOCK = PHX_RECORD_BLOCK_RECORDS };

static phx_outbox outbox;

static void set_up(void)
{
    memory_set_up();
    phx_outbox_init(&outbox, &memory, SHARDS);
}

static void tear_down(void)
{
    phx_outbox_free(&outbox);
    memory_tear_down();
}

TestSuite(outbox, .init = set_up, .fini = tear_down);

/* Puts numbered records until it is full; returns how many. */
static uint64_t fill(uint32_t destination)
{
    uint64_t put = 0;
    for (phx_record *record; (record = phx_outbox_put(&outbox, destination)) != NULL;) record->id = ++put;
    return put;
}

Test(outbox, blocks_are_made_as_they_are_needed_and_stay)
{
    enum { BLOCKS = 100 };
    cr_assert_eq(atomic_load(&watched.bytes), 0);
    cr_assert(phx_outbox_ready(&outbox, BLOCKS * 4096 + 4095));
    cr_assert_eq(outbox.block_count, BLOCKS);
    cr_assert_leq(atomic_load(&watched.bytes), 4096 + 256);
    for (uint32_t i = 0; i < 3 * BLOCK; i++) cr_assert_not_null(phx_outbox_put(&outbox, 1));
    cr_assert_leq(atomic_load(&watched.bytes), 3 * 4096 + 256);
    phx_outbox_reset(&outbox);
    const uint64_t calls = atomic_load(&memory.calls);
    for (uint32_t i = 0; i < 3 * BLOCK; i++) cr_assert_not_null(phx_outbox_put(&outbox, 2));
    cr_assert(phx_outbox_ready(&outbox, BLOCKS * 4096));
    cr_assert_eq(atomic_load(&memory.calls), calls);
}

Test(outbox, a_full_pool_says_so_and_a_reset_frees_it)
{
    cr_assert(phx_outbox_ready(&outbox, 4 * 4096));
    for (int round = 0; round < 3; round++) {
        cr_assert_eq(fill(2), 4 * BLOCK);
        cr_assert_null(phx_outbox_put(&outbox, 2));
        cr_assert_null(phx_outbox_put(&outbox, 1), "no block is left for another");
        cr_assert_eq(outbox.used, 4);
        for (uint32_t b = 0; b < 4; b++) {
            cr_assert_eq(outbox.blocks[b]->destination, 2);
            cr_assert_eq(outbox.blocks[b]->count, BLOCK);
            for (uint32_t i = 0; i < BLOCK; i++) cr_assert_eq(outbox.blocks[b]->records[i].id, b * BLOCK + i + 1);
        }
        phx_outbox_reset(&outbox);
        cr_assert_eq(outbox.used, 0);
    }
}

Test(outbox, each_destination_fills_its_own_block)
{
    cr_assert(phx_outbox_ready(&outbox, 4 * 4096));
    for (uint64_t id = 1; id <= 12; id++) phx_outbox_put(&outbox, (uint32_t)(id % 4))->id = id;
    cr_assert_eq(outbox.used, 4);
    cr_assert_null(phx_outbox_put(&outbox, 4), "four are open");
    for (uint32_t b = 0; b < 4; b++) {
        const phx_record_block *block = outbox.blocks[b];
        cr_assert_eq(block->count, 3);
        cr_assert_eq(block->destination, (b + 1) % 4, "in the order of opening");
        for (uint32_t i = 0; i < 3; i++) cr_assert_eq(block->records[i].id % 4, block->destination);
    }
    for (uint32_t destination = 0; destination < SHARDS; destination++) {
        phx_outbox_reset(&outbox);
        phx_outbox_put(&outbox, destination)->id = 1;
        cr_assert_eq(outbox.used, 1);
        cr_assert_eq(outbox.blocks[0]->count, 1, "nothing of the last round is left");
        cr_assert_eq(outbox.blocks[0]->destination, destination);
    }
}

Test(outbox, the_head_of_a_record_begins_cleared)
{
    cr_assert(phx_outbox_ready(&outbox, 4 * 4096));
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

/* Each destination gets its own records, in order, and nothing of the round before. */
Test(outbox, each_destination_reads_its_own_in_order)
{
    cr_assert_null(phx_outbox_first(&outbox, 0), "nothing was ever sent");
    cr_assert(phx_outbox_ready(&outbox, 100 * 4096));
    for (uint32_t round = 0; round < 3; round++) {
        uint64_t put[SHARDS] = {0};
        for (uint32_t i = 0; i < 20 * BLOCK; i++) {
            uint32_t destination = i * i % SHARDS; /* never 2 or 3 */
            if (destination == round) continue;
            phx_outbox_put(&outbox, destination)->id = ++put[destination];
        }
        for (uint32_t destination = 0; destination < SHARDS; destination++) {
            uint64_t read = 0;
            const phx_record_block *block = phx_outbox_first(&outbox, destination);
            for (; block; block = phx_outbox_after(&outbox, block)) {
                cr_assert_eq(block->destination, destination);
                for (uint32_t i = 0; i < block->count; i++) cr_assert_eq(block->records[i].id, ++read);
            }
            cr_assert_eq(read, put[destination]);
        }
        phx_outbox_reset(&outbox);
        for (uint32_t destination = 0; destination < SHARDS; destination++)
            cr_assert_null(phx_outbox_first(&outbox, destination));
    }
}

Test(outbox, without_memory_no_block_is_opened)
{
    for (uint64_t calls = 0; calls < 3; calls++) { /* for the table, the pool and the first block */
        phx_outbox_free(&outbox);
        memory_for(calls);
        cr_assert_not(phx_outbox_ready(&outbox, 4 * 4096));
    }
    memory_enough();
    cr_assert(phx_outbox_ready(&outbox, 4 * 4096));
    memory_for(0);
    cr_assert_eq(fill(2), BLOCK, "as if the pool were full, and never less than a block");
    phx_outbox_reset(&outbox);
    cr_assert_eq(fill(1), BLOCK);
    memory_enough();
    cr_assert_eq(fill(3), 3 * BLOCK);
}

/* Lists lie side by side and stay where they are while rounds come and go; the next tick's begin where they did. */
Test(outbox, lists_lie_beside_the_blocks_of_all_rounds)
{
    uint64_t id = 0;
    cr_assert(phx_outbox_ready(&outbox, 4096));
    for (uint32_t i = 0; i < 3; i++) {
        phx_list_record *list = phx_outbox_list(&outbox, 100 + i);
        cr_assert_not_null(list);
        for (uint32_t j = 0; j < 100 + i; j++) list[j] = (phx_list_record){.id = ++id};
    }
    const phx_list_record *lists = outbox.lists;
    cr_assert_eq(outbox.list_count, 303);
    for (int round = 0; round < 3; round++) {
        phx_outbox_reset(&outbox);
        cr_assert_eq(fill(1), BLOCK);
        cr_assert_eq(outbox.lists, lists);
        for (uint32_t i = 0; i < 303; i++) cr_assert_eq(lists[i].id, i + 1);
    }
    phx_outbox_reset(&outbox);
    phx_outbox_lists_begin(&outbox);
    cr_assert_eq(phx_outbox_list(&outbox, 1), outbox.lists);
}

Test(outbox, no_memory_for_a_list_leaves_the_existing_lists)
{
    cr_assert_not_null(phx_outbox_list(&outbox, 10));
    memory_for(0);
    cr_assert_null(phx_outbox_list(&outbox, 100000));
    cr_assert_eq(outbox.list_count, 10);
}

Test(outbox, memory_of_a_storms_lists_goes_some_ticks_after_it)
{
    enum { TICKS = 20 };
    cr_assert_not_null(phx_outbox_list(&outbox, 100000));
    const uint64_t storm = atomic_load(&watched.bytes);
    for (int tick = 0; tick < TICKS; tick++) {
        phx_outbox_lists_end(&outbox);
        cr_assert_eq(outbox.list_count, 0);
        cr_assert_not_null(phx_outbox_list(&outbox, 10));
    }
    cr_assert_lt(atomic_load(&watched.bytes), storm / 100);
}

Test(outbox, lists_that_come_in_waves_allocate_nothing)
{
    enum { WAVES = 10, TICKS = 20, LONG = 10000 };
    cr_assert_not_null(phx_outbox_list(&outbox, LONG));
    const uint64_t calls = atomic_load(&memory.calls);
    for (int tick = 0; tick < WAVES * TICKS; tick++) {
        phx_outbox_lists_end(&outbox);
        if (tick % TICKS == 0) cr_assert_not_null(phx_outbox_list(&outbox, LONG));
    }
    cr_assert_eq(atomic_load(&memory.calls), calls);
}
