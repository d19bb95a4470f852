/*
 * src/world/state/producer.c: a slot goes from free to open to draining and is free again once a tick has read all its
 * commands; refusals of calls and of ticks come back in the order of their commands.
 */
#include "unit/shards/shard_case.h"

#include "world/state/producer.h"

enum { SLOTS = 3, BOUND = 40 };

static phx_producer producers[SLOTS];
static const ph_world_def def = {
    .producers_max = SLOTS, .producer_bytes = PHX_COMMAND_QUEUE_BLOCK_BYTES, .refusals_max = BOUND};

static void set_up(void)
{
    memory_set_up();
    memset(producers, 0, sizeof producers);
}

static void tear_down(void)
{
    for (int i = 0; i < SLOTS; i++) phx_producer_free(&producers[i], &memory);
    memory_tear_down();
}

TestSuite(producer, .init = set_up, .fini = tear_down);

static phx_slot_state state_of(uint32_t i)
{
    return (phx_slot_state)atomic_load(&producers[i].state);
}

/* Opens a slot, which has to be this one. Returns the generation of the handle. */
static uint16_t open_slot(uint32_t expected)
{
    uint32_t index = SLOTS;
    uint16_t generation = 0;
    cr_assert_eq(phx_producer_open(producers, &memory, &def, &index, &generation), PH_OK);
    cr_assert_eq(index, expected);
    cr_assert_eq(state_of(index), PHX_OPEN);
    return generation;
}

static void submit_commands(phx_producer *producer, uint32_t count)
{
    void *at;
    for (uint32_t i = 0; i < count; i++) {
        ph_status status;
        cr_assert_eq(
            phx_command_queue_reserve(producer->queue, 1, sizeof(uint64_t), ++producer->sequence, 1, &at, &status), 1);
        memcpy(at, &producer->sequence, sizeof(uint64_t));
        phx_command_queue_publish(producer->queue, 1);
    }
}

/* A tick's part: the commands that it has read. */
static uint32_t pass_tick(phx_producer *producer)
{
    phx_command_run run;
    uint32_t count = 0;
    if (!phx_producer_snapshot(producer)) return 0;
    while (phx_command_queue_next(producer->queue, &run)) count += run.count;
    phx_producer_release(producer, true);
    return count;
}

Test(producer, slots_are_given_out_once_each_and_then_all_are_taken)
{
    uint32_t index;
    uint16_t generation;
    for (uint32_t i = 0; i < SLOTS; i++) (void)open_slot(i);
    cr_assert_eq(phx_producer_open(producers, &memory, &def, &index, &generation), PH_TAKEN);
    phx_producer_close(&producers[1]);
    cr_assert_eq(phx_producer_open(producers, &memory, &def, &index, &generation), PH_TAKEN, "it drains");
    cr_assert_eq(pass_tick(&producers[1]), 0);
    (void)open_slot(1);
}

Test(producer, a_closed_slot_is_free_once_a_tick_has_read_its_commands)
{
    const uint16_t first = open_slot(0);
    submit_commands(&producers[0], 2);
    cr_assert(phx_producer_snapshot(&producers[0]));
    submit_commands(&producers[0], 3); /* behind the snapshot */
    phx_producer_close(&producers[0]);
    phx_command_run run;
    uint32_t read = 0;
    while (phx_command_queue_next(producers[0].queue, &run)) read += run.count;
    cr_assert_eq(read, 2);
    phx_producer_release(&producers[0], true);
    cr_assert_eq(state_of(0), PHX_DRAINING, "three commands wait");
    cr_assert_eq(pass_tick(&producers[0]), 3);
    cr_assert_eq(state_of(0), PHX_FREE);
    cr_assert_neq(open_slot(0), first, "an outlived handle is known by its generation");
    cr_assert_eq(producers[0].sequence, 0, "the next owner counts from 1");
}

Test(producer, an_apply_that_has_read_all_commands_keeps_a_closed_slot_for_the_tick)
{
    phx_command_run run;
    (void)open_slot(0);
    submit_commands(&producers[0], 2);
    phx_producer_close(&producers[0]);
    cr_assert(phx_producer_snapshot(&producers[0]));
    while (phx_command_queue_next(producers[0].queue, &run)) continue;
    phx_producer_release(&producers[0], false);
    cr_assert_eq(state_of(0), PHX_DRAINING, "the tick may refuse what the apply took");
    cr_assert_eq(pass_tick(&producers[0]), 0);
    cr_assert_eq(state_of(0), PHX_FREE);
}

Test(producer, a_slot_that_was_never_used_has_no_part_in_a_tick)
{
    cr_assert_not(phx_producer_snapshot(&producers[0]));
    phx_producer_release(&producers[0], true);
    cr_assert_eq(state_of(0), PHX_FREE);
}

Test(producer, refusals_of_calls_and_ticks_come_in_the_order_of_commands)
{
    uint64_t rng = 5;
    (void)open_slot(0);
    for (int round = 0; round < 100; round++) {
        ph_refusal got[BOUND];
        uint64_t first = producers[0].sequence, last = first + 1 + phx_rng_below(&rng, 30);
        cr_assert(phx_refusals_reserve(&producers[0].tick_refusals, BOUND, 0));
        for (uint64_t sequence = first + 1; sequence <= last; sequence++) {
            const ph_refusal refusal = {.sequence = sequence, .id = sequence * 3};
            if (phx_rng_below(&rng, 2)) cr_assert(phx_producer_refuse(&producers[0], &memory, BOUND, refusal));
            else cr_assert(phx_refusals_put(&producers[0].tick_refusals, refusal));
        }
        producers[0].sequence = last;
        uint64_t sequence = first;
        while (sequence < last) {
            const uint32_t count = phx_producer_take_refusals(&producers[0], got, 1 + phx_rng_below(&rng, 7));
            cr_assert_gt(count, 0, "refusals %zu to %zu are missing", (size_t)sequence, (size_t)last);
            for (uint32_t i = 0; i < count; i++) {
                cr_assert_eq(got[i].sequence, ++sequence);
                cr_assert_eq(got[i].id, sequence * 3);
            }
        }
        cr_assert_eq(phx_producer_take_refusals(&producers[0], got, BOUND), 0);
    }
}

Test(producer, refusals_of_calls_wait_up_to_the_bound)
{
    ph_refusal got[BOUND];
    (void)open_slot(0);
    for (uint64_t i = 1; i <= BOUND; i++)
        cr_assert(phx_producer_refuse(&producers[0], &memory, BOUND, (ph_refusal){.sequence = i}));
    cr_assert_not(phx_producer_refuse(&producers[0], &memory, BOUND, (ph_refusal){.sequence = BOUND + 1}));
    cr_assert_eq(phx_producer_take_refusals(&producers[0], got, 1), 1);
    cr_assert(phx_producer_refuse(&producers[0], &memory, BOUND, (ph_refusal){.sequence = BOUND + 2}));
    cr_assert_eq(phx_producer_take_refusals(&producers[0], got, BOUND), BOUND);
    for (uint64_t i = 0; i + 1 < BOUND; i++) cr_assert_eq(got[i].sequence, i + 2);
    cr_assert_eq(got[BOUND - 1].sequence, BOUND + 2);
}

Test(producer, the_next_owner_of_a_slot_gets_no_refusal_of_the_last_one)
{
    ph_refusal got[2];
    (void)open_slot(0);
    cr_assert(phx_refusals_reserve(&producers[0].tick_refusals, 2, 0));
    for (uint64_t i = 1; i <= 2; i++)
        cr_assert(phx_refusals_put(&producers[0].tick_refusals, (ph_refusal){.sequence = i}));
    cr_assert(phx_producer_refuse(&producers[0], &memory, BOUND, (ph_refusal){.sequence = 3}));
    cr_assert_eq(phx_producer_take_refusals(&producers[0], got, 1), 1); /* and one is taken ahead */
    phx_producer_close(&producers[0]);
    (void)pass_tick(&producers[0]);
    (void)open_slot(0);
    cr_assert_eq(phx_producer_take_refusals(&producers[0], got, 2), 0);
}

Test(producer, without_memory_the_slot_stays_free)
{
    uint32_t index;
    uint16_t generation;
    uint64_t calls = 0;
    memory_for(0);
    while (phx_producer_open(producers, &memory, &def, &index, &generation) == PH_NO_MEMORY) {
        cr_assert_eq(state_of(0), PHX_FREE);
        cr_assert_lt(++calls, 100);
        memory_for(calls);
    }
    cr_assert_gt(calls, 1);
    cr_assert_eq(state_of(0), PHX_OPEN);
    memory_for(0);
    cr_assert_not(phx_producer_refuse(&producers[0], &memory, BOUND, (ph_refusal){.sequence = 1}));
}

Test(producer, a_record_that_is_dropped_leaves_no_command)
{
    for (int round = 0; round < 3; round++) {
        cr_assert(phx_producer_begin_record(&producers[0], &memory, &def));
        cr_assert_eq(producers[0].sequence, 0);
        submit_commands(&producers[0], 5);
        if (round == 1) phx_producer_drop_record(&producers[0]);
        cr_assert_eq(pass_tick(&producers[0]), round == 1 ? 0 : 5);
    }
}
