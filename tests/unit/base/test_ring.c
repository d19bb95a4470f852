/*
 * base/ring.c from one thread: capacities, order, full, empty, the wrap of the counters.
 * Two threads are in concurrency/stress_ring.c.
 */
#include <criterion/criterion.h>

#include <signal.h>
#include <stdlib.h>

#include "base/ring.h"
#include "base/rng.h"
#include "unit/base/watched_mem.h"

/* Items are places in this array: nothing is behind them. */
static char items[4096];

Test(ring, capacity_is_a_power_of_two_less_one, .init = watch, .fini = all_given_back)
{
    const uint32_t asked[] = {1, 2, 3, 4, 7, 8, 10, 15, 16, 1000, 1023, 1024};
    const uint32_t given[] = {1, 3, 3, 7, 7, 15, 15, 15, 31, 1023, 1023, 2047};

    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        phx_ring *ring = phx_ring_create(&mem, asked[i]);

        cr_assert_not_null(ring);
        cr_assert_eq((uintptr_t)ring % PHX_CACHE_LINE, 0);
        cr_assert_eq(phx_ring_capacity(ring), given[i], "asked for %u, got %u", asked[i], phx_ring_capacity(ring));
        cr_assert_eq(phx_ring_count(ring), 0);
        phx_ring_destroy(&mem, ring);
    }
    phx_ring_destroy(&mem, NULL);
}

Test(ring, too_many_are_refused_unasked, .init = watch, .fini = all_given_back)
{
    const uint32_t asked[] = {1u << 29, (1u << 29) + 1, 1u << 30, 1u << 31, UINT32_MAX};

    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        cr_assert_null(phx_ring_create(&mem, asked[i]));
    }
    cr_assert_eq(atomic_load(&mem.calls), 0);
}

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif

#ifndef UNDER_ASAN /* would write the 512 MiB of its notes about a block like this */

/* The last slots are 4 GiB behind the first; libc's memory of it is never touched but there. */
Test(ring, the_largest_keeps_order_around_its_end)
{
    void *volatile probe = malloc((size_t)5 << 30);
    phx_ring *ring;
    phx_mem plain;

    if (probe == NULL) {
        cr_skip_test("no 4 GiB of address space here");
    }
    free(probe);
    phx_mem_init(&plain, phx_allocator_libc());
    ring = phx_ring_create(&plain, (1u << 29) - 1);
    cr_assert_not_null(ring);
    cr_assert_eq(phx_ring_capacity(ring), (1u << 29) - 1);
    phx_ring_start_at(ring, (1u << 29) - 4);
    for (int i = 0; i < 8; i++) {
        cr_assert(phx_ring_put(ring, &items[i]));
    }
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(phx_ring_take(ring), (void *)&items[i]);
    }
    cr_assert_null(phx_ring_take(ring));
    phx_ring_destroy(&plain, ring);
}

#endif

Test(ring, no_memory, .init = watch, .fini = all_given_back)
{
    watched_memory_fail_after(&watched, 0);
    cr_assert_null(phx_ring_create(&mem, 10));
}

/* Fills, is refused, empties, is refused; every order and count checked; so often that every slot is used. */
static void fill_and_empty(uint32_t asked, uint32_t start)
{
    phx_ring *ring = phx_ring_create(&mem, asked);
    uint32_t capacity = phx_ring_capacity(ring);

    phx_ring_start_at(ring, start);
    cr_assert_eq(phx_ring_count(ring), 0);
    for (int round = 0; round < 5; round++) {
        cr_assert_null(phx_ring_take(ring));
        for (uint32_t i = 0; i < capacity; i++) {
            cr_assert(phx_ring_put(ring, &items[i]));
            cr_assert_eq(phx_ring_count(ring), i + 1);
        }
        cr_assert_not(phx_ring_put(ring, &items[4000]));
        cr_assert_eq(phx_ring_count(ring), capacity);
        for (uint32_t i = 0; i < capacity; i++) {
            cr_assert_eq(phx_ring_take(ring), (void *)&items[i]);
            cr_assert_eq(phx_ring_count(ring), capacity - i - 1);
        }
    }
    phx_ring_destroy(&mem, ring);
}

Test(ring, order_full_and_empty, .init = watch, .fini = all_given_back)
{
    for (uint32_t asked = 1; asked <= 40; asked++) {
        fill_and_empty(asked, 0);
    }
}

Test(ring, order_full_and_empty_over_the_wrap, .init = watch, .fini = all_given_back)
{
    for (uint32_t asked = 1; asked <= 40; asked++) {
        for (uint32_t back = 1; back <= 70; back += 3) {
            fill_and_empty(asked, 0u - back);
        }
        fill_and_empty(asked, 0xfffffff0u);
        fill_and_empty(asked, 0x7ffffff0u);
    }
}

/* Random puts and takes against two counters. */
Test(ring, random_against_a_model, .init = watch, .fini = all_given_back)
{
    const uint64_t seed = 20261121;
    uint64_t rng = seed;

    for (uint32_t asked = 1; asked < 20; asked++) {
        phx_ring *ring = phx_ring_create(&mem, asked);
        uint32_t capacity = phx_ring_capacity(ring);
        uint32_t put = 0;
        uint32_t taken = 0;

        phx_ring_start_at(ring, 0u - phx_rng_below(&rng, 5000));
        for (int i = 0; i < 20000; i++) {
            if (phx_rng_below(&rng, 2) == 0) {
                bool fits = put - taken < capacity;

                cr_assert_eq(phx_ring_put(ring, &items[put % sizeof(items)]), fits, "seed %zu", (size_t)seed);
                put += fits;
            } else {
                void *expected = put != taken ? &items[taken % sizeof(items)] : NULL;

                cr_assert_eq(phx_ring_take(ring), expected, "seed %zu", (size_t)seed);
                taken += expected != NULL;
            }
            cr_assert_eq(phx_ring_count(ring), put - taken);
        }
        phx_ring_destroy(&mem, ring);
    }
}

#ifndef NDEBUG

Test(ring, null_is_no_item, .init = watch, .signal = SIGABRT)
{
    (void)phx_ring_put(phx_ring_create(&mem, 3), NULL);
}

Test(ring, capacity_zero_is_a_bug, .init = watch, .signal = SIGABRT)
{
    (void)phx_ring_create(&mem, 0);
}

Test(ring, only_an_empty_one_starts_elsewhere, .init = watch, .signal = SIGABRT)
{
    phx_ring *ring = phx_ring_create(&mem, 3);

    (void)phx_ring_put(ring, &items[0]);
    phx_ring_start_at(ring, 5);
}

#endif
