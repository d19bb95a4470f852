/*
 * The world's bounded queue of refusals on their way to a producer, from one thread. Two
 * threads are in concurrency/stress_refusals.c.
 */
#include "unit/shards/shard_case.h"

#include "world/queue/refusals.h"

TestSuite(queues, .init = memory_set_up, .fini = memory_tear_down);

static ph_refusal numbered(uint64_t sequence)
{
    return (ph_refusal){.sequence = sequence,
                        .tick = sequence * 3,
                        .id = sequence * 5,
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
