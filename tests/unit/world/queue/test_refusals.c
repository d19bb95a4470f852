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
        uint32_t capacity = bound;
        cr_assert_not(phx_refusals_take(&refusals, &nothing));
        for (int round = 0; round < 400; round++) {
            uint32_t more = phx_rng_below(&rng, capacity + 2);
            cr_assert(phx_refusals_reserve(&refusals, more, 0));
            for (uint32_t n = more; n > 0; n--) {
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
        phx_refusals_free(&refusals);
    }
}

/* Bytes follow the most refusals that waited at once, and the producer frees the legs that it has left. */
Test(queues, refusals_grow_with_what_waits)
{
    enum { BOUND = 1000, FIRST = 16, STEADY = 10000 };
    phx_refusals refusals;
    uint64_t put = 0, taken = 0;
    cr_assert(phx_refusals_init(&refusals, &memory, BOUND));
    cr_assert_lt(atomic_load(&memory.bytes), 1024);
    for (uint32_t i = 0; i < STEADY; i++) {
        cr_assert(phx_refusals_reserve(&refusals, FIRST, 0));
        for (uint32_t n = 0; n < FIRST; n++) cr_assert(phx_refusals_put(&refusals, numbered(++put)));
        while (taken < put) take_numbered(&refusals, ++taken);
    }
    cr_assert_eq(atomic_load(&memory.calls), 1);
    cr_assert(phx_refusals_reserve(&refusals, UINT32_MAX, 0));
    while (phx_refusals_put(&refusals, numbered(put + 1))) put++;
    cr_assert_eq(put - taken, BOUND);
    while (taken < put) take_numbered(&refusals, ++taken);
    uint64_t calls = atomic_load(&memory.calls), bytes = atomic_load(&memory.bytes);
    cr_assert_eq(atomic_load(&watched.blocks), 1, "the producer has moved to the last leg");
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(phx_refusals_reserve(&refusals, UINT32_MAX, 0));
        while (phx_refusals_put(&refusals, numbered(put + 1))) put++;
        cr_assert_eq(put - taken, BOUND);
        while (taken < put) take_numbered(&refusals, ++taken);
    }
    cr_assert_eq(atomic_load(&memory.calls), calls);
    cr_assert_eq(atomic_load(&memory.bytes), bytes);
    phx_refusals_free(&refusals);
}

static ph_refusal import_numbered(uint64_t sequence)
{
    ph_refusal refusal = numbered(sequence);
    refusal.command = PH_COMMAND_IMPORT;
    return refusal;
}

/* Others take no place that is kept for one of an import, whatever comes first. */
Test(queues, refusals_of_imports_have_places_beyond_the_bound)
{
    enum { BOUND = 3, IMPORTS = 40, FIRST_LEG = 16, FEW = 4 };
    phx_refusals refusals;
    uint64_t put = 0, taken = 0;
    cr_assert(phx_refusals_init(&refusals, &memory, BOUND));
    cr_assert(phx_refusals_reserve(&refusals, 2 * BOUND, IMPORTS));
    for (uint32_t i = 0; i < BOUND; i++) cr_assert(phx_refusals_put(&refusals, numbered(++put)));
    cr_assert_not(phx_refusals_put(&refusals, numbered(put + 1)));
    for (uint32_t i = 0; i < IMPORTS; i++) cr_assert(phx_refusals_put(&refusals, import_numbered(++put)));
    cr_assert(phx_refusals_reserve(&refusals, 1, 1), "more wait than the bound");
    cr_assert_not(phx_refusals_put(&refusals, numbered(put + 1)));
    cr_assert(phx_refusals_put(&refusals, import_numbered(++put)));
    while (taken < put) take_numbered(&refusals, ++taken);
    phx_refusals_free(&refusals);

    put = taken = 0;
    cr_assert(phx_refusals_init(&refusals, &memory, IMPORTS));
    cr_assert(phx_refusals_reserve(&refusals, 0, FEW));
    while (phx_refusals_put(&refusals, numbered(put + 1))) put++;
    cr_assert_eq(put, FIRST_LEG - FEW);
    for (uint32_t i = 0; i < FEW; i++) cr_assert(phx_refusals_put(&refusals, import_numbered(++put)));
    while (taken < put) take_numbered(&refusals, ++taken);
    phx_refusals_free(&refusals);
}

Test(queues, refusals_without_memory)
{
    phx_refusals refusals;
    uint64_t calls = 0, put = 0, taken = 0;
    for (;; calls++) {
        memory_for(calls);
        if (phx_refusals_init(&refusals, &memory, 100)) break;
        cr_assert_eq(atomic_load(&watched.blocks), 0);
    }
    cr_assert_eq(calls, 1);
    while (phx_refusals_reserve(&refusals, 1, 0)) cr_assert(phx_refusals_put(&refusals, numbered(++put)));
    cr_assert_geq(put, 1);
    cr_assert_lt(put, 100);
    cr_assert_not(phx_refusals_put(&refusals, numbered(put + 1)), "no room was reserved");
    take_numbered(&refusals, ++taken);
    cr_assert(phx_refusals_reserve(&refusals, 1, 0), "the leg has a place again");
    cr_assert(phx_refusals_put(&refusals, numbered(++put)));
    cr_assert_not(phx_refusals_reserve(&refusals, 1, 0));
    memory_enough();
    cr_assert(phx_refusals_reserve(&refusals, 1000, 0));
    while (phx_refusals_put(&refusals, numbered(put + 1))) put++;
    cr_assert_eq(put - taken, 100);
    while (taken < put) take_numbered(&refusals, ++taken);
    phx_refusals_free(&refusals);
}
