/*
 * base/mem.c and base/mem_jemalloc.c: alignment, counters, failure, growing arrays.
 */
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/mem_jemalloc.h"
#include "base/rng.h"
#include "unit/base/watched_mem.h"

static bool is_aligned(const void *memory, size_t alignment)
{
    return (uintptr_t)memory % alignment == 0;
}

/* ---- the allocators ---- */

static void try_allocator(ph_allocator allocator)
{
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        const size_t sizes[] = {1, 7, 8, 63, 64, 65, 4096, 1000003};

        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            char *memory = allocator.allocate(allocator.user, sizes[i], alignment);

            cr_assert_not_null(memory);
            cr_assert(is_aligned(memory, alignment), "%zu bytes to %zu", sizes[i], alignment);
            memset(memory, 0x3c, sizes[i]);
            allocator.release(allocator.user, memory, sizes[i], alignment);
        }
    }
}

Test(mem, libc_allocator)
{
    try_allocator(phx_allocator_libc());
}

Test(mem, jemalloc_allocator_or_none)
{
    ph_allocator allocator = phx_allocator_jemalloc();

    cr_assert_eq(allocator.allocate == NULL, allocator.release == NULL);
    if (allocator.allocate != NULL) {
        try_allocator(allocator);
    }
}

Test(mem, zero_allocator_stands_for_the_default)
{
    ph_allocator jemalloc = phx_allocator_jemalloc();
    ph_allocator expected = jemalloc.allocate != NULL ? jemalloc : phx_allocator_libc();
    void *memory;

    phx_mem_init(&mem, (ph_allocator){0});
    cr_assert(mem.allocator.allocate == expected.allocate);
    cr_assert(mem.allocator.release == expected.release);
    memory = phx_alloc(&mem, 100, 64);
    cr_assert_not_null(memory);
    phx_free(&mem, memory, 100, 64);
    cr_assert_eq(atomic_load(&mem.bytes), 0);
}

/* ---- counters and failure ---- */

Test(mem, counts_bytes_and_calls, .init = watch, .fini = all_given_back)
{
    void *first = phx_alloc(&mem, 100, 8);
    void *second = phx_alloc(&mem, 28, 4096);

    cr_assert(is_aligned(second, 4096));
    cr_assert_eq(atomic_load(&mem.bytes), 128);
    cr_assert_eq(atomic_load(&mem.calls), 2);
    phx_free(&mem, first, 100, 8);
    cr_assert_eq(atomic_load(&mem.bytes), 28);
    phx_free(&mem, second, 28, 4096);
    phx_free(&mem, NULL, 1000, 8);
    cr_assert_eq(atomic_load(&mem.calls), 2);
}

Test(mem, a_part_counts_its_own_and_for_the_whole, .init = watch, .fini = all_given_back)
{
    phx_mem parts[2];
    for (uint32_t i = 0; i < 2; i++) phx_mem_init_part(&parts[i], &mem);
    void *own = phx_alloc(&mem, 1000, 8);
    void *first = phx_alloc(&parts[0], 100, 8), *second = phx_alloc(&parts[1], 20, 8);
    watched_memory_fail_after(&watched, 0);
    cr_assert_null(phx_alloc(&parts[0], 100, 8));
    cr_assert(atomic_load(&parts[0].bytes) == 100 && atomic_load(&parts[0].calls) == 2);
    cr_assert(atomic_load(&parts[1].bytes) == 20 && atomic_load(&parts[1].calls) == 1);
    cr_assert(atomic_load(&mem.bytes) == 1120 && atomic_load(&mem.calls) == 4);
    phx_free(&parts[0], first, 100, 8);
    phx_free(&parts[1], second, 20, 8);
    cr_assert(atomic_load(&parts[0].bytes) == 0 && atomic_load(&parts[1].bytes) == 0);
    cr_assert_eq(atomic_load(&mem.bytes), 1000);
    phx_free(&mem, own, 1000, 8);
}

Test(mem, zeroes_when_asked, .init = watch, .fini = all_given_back)
{
    unsigned char *zeroed = phx_alloc_zero(&mem, 1000, 16);
    unsigned char *plain = phx_alloc(&mem, 1000, 16);

    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(zeroed[i], 0);
        cr_assert_neq(plain[i], 0, "phx_alloc() does not pay for clearing");
    }
    phx_free(&mem, zeroed, 1000, 16);
    phx_free(&mem, plain, 1000, 16);
}

Test(mem, failure_holds_nothing, .init = watch, .fini = all_given_back)
{
    watched_memory_fail_after(&watched, 0);
    cr_assert_null(phx_alloc(&mem, 100, 8));
    cr_assert_null(phx_alloc_zero(&mem, 100, 8));
    cr_assert_eq(atomic_load(&mem.bytes), 0);
}

/* ---- large pages ---- */

enum { LARGE_PAGE = 2 << 20 };

/* Is the system asked for large pages where this byte is? By the flags of its mapping. */
static bool is_advised(const void *byte)
{
    char line[512];
    bool inside = false, advised = false;
    FILE *maps = fopen("/proc/self/smaps", "re");
    cr_assert_not_null(maps);
    while (fgets(line, sizeof line, maps)) {
        char *behind;
        const uintptr_t first = (uintptr_t)strtoull(line, &behind, 16);
        if (*behind == '-') inside = (uintptr_t)byte >= first && (uintptr_t)byte < strtoull(behind + 1, NULL, 16);
        else if (inside && strncmp(line, "VmFlags:", strlen("VmFlags:")) == 0) advised = strstr(line, " hg") != NULL;
    }
    (void)fclose(maps);
    return advised;
}

static void large_from_two_megabytes_on(void)
{
    const size_t sizes[] = {LARGE_PAGE - 1, LARGE_PAGE, 3 * LARGE_PAGE + 5};
    const bool known = access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0; /* by the system */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const bool large = sizes[i] >= LARGE_PAGE;
        char *memory = phx_alloc(&mem, sizes[i], 64);
        cr_assert_not_null(memory);
        cr_assert(!large || is_aligned(memory, LARGE_PAGE), "%zu bytes", sizes[i]);
        cr_assert(!large || !known || is_advised(memory), "%zu bytes", sizes[i]);
        cr_assert(!large || !known || is_advised(memory + sizes[i] / LARGE_PAGE * LARGE_PAGE - 1), "%zu", sizes[i]);
        phx_free(&mem, memory, sizes[i], 64);
    }
}

Test(mem, large_pages, .init = watch, .fini = all_given_back)
{
    large_from_two_megabytes_on(); /* and blocks are given back with the alignment that they were asked with */
}

Test(mem, large_pages_of_the_default)
{
    phx_mem_init(&mem, (ph_allocator){0});
    large_from_two_megabytes_on();
}

Test(mem, small_blocks_are_aligned_as_asked, .init = watch, .fini = all_given_back)
{
    enum { BLOCKS = 4 };
    void *blocks[BLOCKS];
    bool all = true;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        blocks[i] = phx_alloc(&mem, LARGE_PAGE - 1, 64);
        all = all && is_aligned(blocks[i], LARGE_PAGE);
    }
    cr_assert(!all);
    for (uint32_t i = 0; i < BLOCKS; i++) phx_free(&mem, blocks[i], LARGE_PAGE - 1, 64);
}

/* ---- growing arrays ---- */

typedef struct odd_item {
    unsigned char bytes[24];
} odd_item;

Test(grow, keeps_the_wanted_items, .init = watch, .fini = all_given_back)
{
    uint32_t *items = NULL;
    uint32_t capacity = 0;

    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, 10, sizeof(*items)));
    for (uint32_t i = 0; i < 10; i++) {
        items[i] = i * 3 + 1;
    }
    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 7, 1000, sizeof(*items)));
    cr_assert_geq(capacity, 1000);
    for (uint32_t i = 0; i < 7; i++) {
        cr_assert_eq(items[i], i * 3 + 1);
    }
    cr_assert_neq(items[7], 22, "beyond `keep` nothing is copied");
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
    cr_assert_null(items);
    cr_assert_eq(capacity, 0);
}

Test(grow, enough_is_left_alone, .init = watch, .fini = all_given_back)
{
    uint64_t *items = NULL;
    uint64_t *before;
    uint32_t capacity = 0;
    uint64_t calls;

    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, 0, sizeof(*items)));
    cr_assert_null(items, "nothing needed, nothing allocated");
    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, 5, sizeof(*items)));
    before = items;
    calls = atomic_load(&mem.calls);
    for (size_t needed = 0; needed <= capacity; needed++) {
        cr_assert(phx_grow(&mem, (void **)&items, &capacity, capacity, needed, sizeof(*items)));
    }
    cr_assert_eq(items, before);
    cr_assert_eq(atomic_load(&mem.calls), calls);
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
}

Test(grow, fills_cache_lines_at_any_item_size, .init = watch, .fini = all_given_back)
{
    for (size_t item = 1; item <= 300; item++) {
        void *items = NULL;
        uint32_t capacity = 0;

        for (uint32_t step = 0; step < 12; step++) {
            size_t needed = (size_t)capacity + 1;
            uint64_t bytes;

            cr_assert(phx_grow(&mem, &items, &capacity, capacity, needed, item));
            bytes = atomic_load(&mem.bytes);
            cr_assert(is_aligned(items, PHX_CACHE_LINE));
            cr_assert_eq(bytes % PHX_CACHE_LINE, 0);
            cr_assert_leq(capacity * item, bytes);
            cr_assert_gt((capacity + 1) * item, bytes, "no room for a whole item is left out");
            memset(items, 0x11, capacity * item);
        }
        phx_release(&mem, &items, &capacity, item); /* the watched allocator checks the size */
    }
}

Test(grow, one_by_one_is_cheap, .init = watch, .fini = all_given_back)
{
    odd_item *items = NULL;
    uint32_t capacity = 0;

    for (uint32_t count = 0; count < 1000000; count++) {
        cr_assert(phx_grow(&mem, (void **)&items, &capacity, count, (size_t)count + 1, sizeof(*items)));
    }
    /* From 2 items (one line) by a half each time: log(500000) / log(1.5) = 33. */
    cr_assert_leq(atomic_load(&mem.calls), 36);
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
}

Test(grow, failure_changes_nothing, .init = watch, .fini = all_given_back)
{
    uint32_t *items = NULL;
    uint32_t *before;
    uint32_t capacity = 0;
    uint32_t capacity_before;

    watched_memory_fail_after(&watched, 0);
    cr_assert_not(phx_grow(&mem, (void **)&items, &capacity, 0, 1, sizeof(*items)));
    cr_assert_null(items);
    cr_assert_eq(capacity, 0);
    watched_memory_fail_after(&watched, 1);
    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, 100, sizeof(*items)));
    before = items;
    capacity_before = capacity;
    items[99] = 77;
    cr_assert_not(phx_grow(&mem, (void **)&items, &capacity, 100, 10000, sizeof(*items)));
    cr_assert_eq(items, before);
    cr_assert_eq(capacity, capacity_before);
    cr_assert_eq(items[99], 77);
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
}

/* ---- after a storm ---- */

enum { STORM = 1 << 20, CALM = 1000, TICKS = 8 };

Test(trim, memory_of_a_storm_goes_some_ticks_after_it, .init = watch, .fini = all_given_back)
{
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    phx_high_water use = {0};

    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, STORM, sizeof(*items)));
    phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), STORM, &use);
    for (uint32_t tick = 1; tick < TICKS; tick++) {
        phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), CALM, &use);
        cr_assert_geq(capacity, STORM, "tick %u", tick);
    }
    phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), CALM, &use);
    cr_assert(capacity >= CALM + CALM / 16 && capacity < CALM + CALM / 8, "%u", capacity);
    uint64_t calls = atomic_load(&mem.calls);
    for (uint32_t tick = 0; tick < 10 * TICKS; tick++)
        phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), CALM + tick / 2, &use);
    cr_assert_eq(atomic_load(&mem.calls), calls, "it is small now, and stays");
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
}

Test(trim, waves_and_small_arrays_keep_theirs, .init = watch, .fini = all_given_back)
{
    uint64_t *items = NULL, *few = NULL;
    uint32_t capacity = 0, few_capacity = 0;
    phx_high_water use = {0}, few_use = {0};

    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, STORM, sizeof(*items)));
    cr_assert(phx_grow(&mem, (void **)&few, &few_capacity, 0, CALM, sizeof(*few)));
    uint64_t calls = atomic_load(&mem.calls);
    for (uint32_t tick = 0; tick < 10 * TICKS; tick++) {
        phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), tick % TICKS == 3 ? STORM / 3 * 2 : 1, &use);
        phx_trim(&mem, (void **)&few, &few_capacity, sizeof(*few), 0, &few_use);
    }
    cr_assert_eq(atomic_load(&mem.calls), calls);
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
    phx_release(&mem, (void **)&few, &few_capacity, sizeof(*few));
}

/* A tenth more is asked for than is used: that is one growth behind the storm, and one trim before. */
Test(trim, room_that_is_asked_for_and_not_used_stays, .init = watch, .fini = all_given_back)
{
    enum { USED = STORM / 3, ASKED = USED + USED / 10 };
    uint64_t *items = NULL, calls = 0;
    uint32_t capacity = 0;
    phx_high_water use = {0};

    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, STORM, sizeof(*items)));
    for (uint32_t tick = 0; tick < 20 * TICKS; tick++) {
        if (tick == 4 * TICKS) calls = atomic_load(&mem.calls);
        cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, ASKED, sizeof(*items)));
        phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), USED, &use);
    }
    cr_assert_eq(atomic_load(&mem.calls), calls);
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
}

/* The kept memory has room for an eighth more; if that is not enough, one growth is. */
Test(trim, settles_under_any_load, .init = watch, .fini = all_given_back)
{
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    phx_high_water use = {0};

    for (uint32_t load = STORM; load > STORM / 64; load /= 3) {
        uint64_t seed = load, calls = 0;
        for (uint32_t tick = 0; tick < 20 * TICKS; tick++) {
            uint32_t used = load - phx_rng_below(&seed, load / 4);
            cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, used, sizeof(*items)));
            phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), used, &use);
            if (tick == 4 * TICKS) calls = atomic_load(&mem.calls);
        }
        cr_assert_eq(atomic_load(&mem.calls), calls, "load %u", load);
        cr_assert_leq(capacity, 2 * load, "load %u", load);
    }
    phx_release(&mem, (void **)&items, &capacity, sizeof(*items));
}

Test(trim, without_memory_the_large_array_stays, .init = watch, .fini = all_given_back)
{
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    phx_high_water use = {0};

    cr_assert(phx_grow(&mem, (void **)&items, &capacity, 0, STORM, sizeof(*items)));
    watched_memory_fail_after(&watched, 0);
    for (uint32_t tick = 0; tick < TICKS; tick++)
        phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), CALM, &use);
    cr_assert_geq(capacity, STORM);
    items[STORM - 1] = 77;
    cr_assert_eq(items[STORM - 1], 77);
    watched_memory_fail_after(&watched, UINT64_MAX);
    for (uint32_t tick = 0; tick < TICKS; tick++) phx_trim(&mem, (void **)&items, &capacity, sizeof(*items), 0, &use);
    cr_assert_null(items, "of an array that is not used nothing is left, and nothing is asked for");
    cr_assert_eq(capacity, 0);
}

Test(grow, impossible_sizes_are_refused_unasked, .init = watch, .fini = all_given_back)
{
    void *items = NULL;
    uint32_t capacity = 0;

    cr_assert_not(phx_grow(&mem, &items, &capacity, 0, (size_t)UINT32_MAX + 1, 1));
    cr_assert_not(phx_grow(&mem, &items, &capacity, 0, SIZE_MAX, 8));
    cr_assert_not(phx_grow(&mem, &items, &capacity, 0, 3, SIZE_MAX / 2));
    cr_assert_not(phx_grow(&mem, &items, &capacity, 0, 1, SIZE_MAX));
    cr_assert_eq(atomic_load(&mem.calls), 0);
    cr_assert_null(items);
    cr_assert_eq(capacity, 0);
}

#ifndef NDEBUG

Test(mem, alignment_that_is_no_power_of_two_is_a_bug, .init = watch, .signal = SIGABRT)
{
    (void)phx_alloc(&mem, 8, 24);
}

Test(mem, no_bytes_is_a_bug, .init = watch, .signal = SIGABRT)
{
    (void)phx_alloc(&mem, 0, 8);
}

Test(mem, giving_back_more_than_is_held_is_a_bug, .init = watch, .signal = SIGABRT)
{
    phx_free(&mem, phx_alloc(&mem, 8, 8), 16, 8);
}

static void *misaligned(void *user, size_t bytes, size_t alignment)
{
    (void)bytes;
    (void)alignment;
    return (char *)user + 1;
}

static void ignore(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    (void)memory;
    (void)bytes;
    (void)alignment;
}

Test(mem, host_memory_that_is_not_aligned_is_a_bug, .signal = SIGABRT)
{
    static _Alignas(64) char memory[256];

    phx_mem_init(&mem, (ph_allocator){.allocate = misaligned, .release = ignore, .user = memory});
    (void)phx_alloc(&mem, 8, 8);
}

#endif
