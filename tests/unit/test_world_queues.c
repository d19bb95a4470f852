/*
 * The world's bounded queues from one thread: lanes between shards, refusals on their way
 * to a producer. Two threads are in concurrency/stress_refusals.c.
 */
#include "unit/shard_case.h"

#include "world/lanes.h"
#include "world/refusals.h"

TestSuite(queues, .init = memory_set_up, .fini = memory_tear_down);

/* ---- lanes ---- */

enum { SHARDS = 3, POOL_BLOCKS = 70 };

static phx_outbox outbox[SHARDS];
static phx_lanes lanes;

static void lanes_open(void)
{
    cr_assert(phx_lanes_init(&lanes, &memory, SHARDS));
    for (uint32_t i = 0; i < SHARDS; i++) {
        cr_assert(phx_outbox_init(&outbox[i], &memory, SHARDS));
        cr_assert(phx_outbox_ready(&outbox[i], &memory, POOL_BLOCKS * PHX_RECORD_BLOCK_BYTES));
    }
}

static void lanes_close(void)
{
    phx_lanes_free(&lanes, &memory);
    for (uint32_t i = 0; i < SHARDS; i++) phx_outbox_free(&outbox[i], &memory);
}

/* Puts records with rising ids until the lane is full; returns how many. */
static uint64_t fill(uint32_t source, uint32_t destination)
{
    uint64_t put = 0;
    for (phx_record *record; (record = phx_outbox_put(&outbox[source], destination)) != NULL;) record->id = ++put;
    return put;
}

static uint64_t drain(uint32_t source, uint32_t destination)
{
    uint64_t taken = 0;
    for (const phx_record_block *block; (block = phx_lanes_take(&lanes, source, destination)) != NULL;) {
        cr_assert_eq(block->destination, destination);
        for (uint32_t i = 0; i < block->count; i++) cr_assert_eq(block->records[i].id, ++taken, "in order");
    }
    return taken;
}

Test(queues, a_lane_takes_all_that_an_outbox_can_hold_for_it)
{
    lanes_open();
    for (int round = 0; round < 5; round++) { /* the rings come round */
        uint32_t sent = 0;
        uint64_t to_0 = fill(1, 0), to_2 = fill(1, 2);
        cr_assert_eq(to_0, (uint64_t)PHX_LANE_BLOCKS * PHX_RECORD_BLOCK_RECORDS);
        cr_assert(phx_lanes_send(&lanes, &memory, 1, &outbox[1], &sent));
        cr_assert_eq(sent, outbox[1].used);
        cr_assert_null(phx_lanes_take(&lanes, 0, 1));
        cr_assert_null(phx_lanes_take(&lanes, 2, 0));
        cr_assert_eq(drain(1, 0), to_0);
        cr_assert_eq(drain(1, 2), to_2);
        cr_assert_eq(drain(1, 0), 0);
        phx_outbox_reset(&outbox[1]);
    }
    lanes_close();
}

Test(queues, each_pair_of_shards_has_its_own_lane)
{
    lanes_open();
    for (uint32_t source = 0; source < SHARDS; source++) {
        uint32_t sent = 0;
        for (uint32_t destination = 0; destination < SHARDS; destination++)
            for (uint64_t id = 1; destination != source && id <= source * 10 + destination + 1; id++)
                phx_outbox_put(&outbox[source], destination)->id = id;
        cr_assert(phx_lanes_send(&lanes, &memory, source, &outbox[source], &sent));
    }
    for (uint32_t source = 0; source < SHARDS; source++)
        for (uint32_t destination = 0; destination < SHARDS; destination++)
            cr_assert_eq(drain(source, destination), destination == source ? 0 : source * 10 + destination + 1);
    lanes_close();
}

Test(queues, a_send_without_memory_goes_on_where_it_stopped)
{
    lanes_open();
    for (uint64_t calls = 0;; calls++) {
        uint32_t sent = 0;
        for (uint64_t id = 1; id <= 3; id++)
            for (uint32_t to = 0; to < 2; to++) phx_outbox_put(&outbox[2], to)->id = id;
        memory_for(calls);
        bool done = phx_lanes_send(&lanes, &memory, 2, &outbox[2], &sent);
        memory_enough();
        if (!done) {
            cr_assert_lt(sent, outbox[2].used);
            cr_assert(phx_lanes_send(&lanes, &memory, 2, &outbox[2], &sent));
        }
        cr_assert_eq(drain(2, 0), 3, "no block twice, none left out");
        cr_assert_eq(drain(2, 1), 3);
        phx_outbox_reset(&outbox[2]);
        if (done) break;
        phx_lanes_free(&lanes, &memory);
        cr_assert(phx_lanes_init(&lanes, &memory, SHARDS));
    }
    lanes_close();
}

Test(queues, one_shard_needs_no_lane)
{
    phx_lanes alone;
    memory_for(0);
    cr_assert(phx_lanes_init(&alone, &memory, 1));
    cr_assert_not(phx_lanes_init(&lanes, &memory, 2));
    phx_lanes_free(&alone, &memory);
}

/* ---- refusals ---- */

static ph_refusal numbered(uint64_t sequence)
{
    return (ph_refusal){.sequence = sequence, .tick = sequence * 3, .id = sequence * 5,
                        .status = (ph_status)(sequence % PH_STATUS_COUNT)};
}

static void take_numbered(phx_refusals *refusals, uint64_t sequence)
{
    ph_refusal taken, expected = numbered(sequence);
    cr_assert(phx_refusals_take(refusals, &taken));
    cr_assert_eq(taken.sequence, expected.sequence);
    cr_assert_eq(taken.tick, expected.tick);
    cr_assert_eq(taken.id, expected.id);
    cr_assert_eq(taken.status, expected.status);
}

Test(queues, refusals_wait_up_to_the_bound_and_come_in_order)
{
    for (uint32_t bound = 1; bound < 200; bound = bound * 3 / 2 + 1) {
        phx_refusals refusals;
        ph_refusal nothing;
        uint64_t put = 0, taken = 0, rng = bound;
        uint32_t full = 0;
        cr_assert(phx_refusals_init(&refusals, &memory, bound));
        phx_refusals_start_at(&refusals, UINT32_MAX - bound * 20); /* over the end of the counters */
        uint32_t capacity = bound;
        cr_assert_not(phx_refusals_take(&refusals, &nothing));
        for (int round = 0; round < 400; round++) {
            for (uint32_t n = phx_rng_below(&rng, capacity + 2); n > 0; n--) {
                bool done = phx_refusals_put(&refusals, numbered(put + 1));
                cr_assert_eq(done, put - taken < capacity);
                put += done;
                full += !done;
            }
            for (uint32_t n = phx_rng_below(&rng, capacity + 2); n > 0 && taken < put; n--)
                take_numbered(&refusals, ++taken);
            if (taken == put) cr_assert_not(phx_refusals_take(&refusals, &nothing));
        }
        cr_assert_gt(full, 0);
        phx_refusals_free(&refusals, &memory);
    }
}

Test(queues, refusals_without_memory)
{
    phx_refusals refusals;
    uint64_t calls = 0;
    for (;; calls++) {
        memory_for(calls);
        if (phx_refusals_init(&refusals, &memory, 100)) break;
        cr_assert_eq(atomic_load(&watched.blocks), 0);
    }
    cr_assert_eq(calls, 1);
    phx_refusals_free(&refusals, &memory);
}
