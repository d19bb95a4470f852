/*
 * base/directory: against a naive model, with and without each of its columns, and as the ids' high halves come
 * in; the end of the table, growing, failure. Several threads are in concurrency/stress_directory.c.
 */
#include <criterion/criterion.h>

#include <signal.h>

#include "base/directory.h"
#include "base/rng.h"
#include "support/watched_memory.h"

static watched_memory watched;
static phx_mem mem;
static phx_directory directory;

static void open(uint32_t shards)
{
    phx_directory_init(&directory, &mem, shards);
}

static void watch(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    open(1);
}

static void all_given_back(void)
{
    phx_directory_free(&directory);
    watched_memory_all_back(&watched);
}

static void put(uint64_t id, uint64_t home)
{
    cr_assert(phx_directory_reserve(&directory, id));
    phx_directory_insert(&directory, id, home);
}

/* The table's structure: searches pass taken buckets only, the count is right, and an empty bucket ends a search. */
static void is_sound(void)
{
    uint64_t taken = 0;
    for (uint64_t i = 0; i < directory.bucket_count; i++) {
        uint64_t id = phx_directory_id(&directory, i);
        if (id == 0) {
            cr_assert_eq(directory.buckets[i].slot, 0);
            cr_assert(!directory.shard || directory.shard[i] == 0);
            continue;
        }
        taken++;
        for (uint64_t j = phx_directory_first(&directory, id); j != i; j = phx_directory_after(&directory, j)) {
            cr_assert_neq(phx_directory_id(&directory, j), 0, "a hole before id %zu", (size_t)id);
            cr_assert_neq(phx_directory_id(&directory, j), id, "twice");
        }
    }
    cr_assert_eq(taken, phx_directory_count(&directory));
    cr_assert_lt(taken, directory.bucket_count);
}

Test(directory, empty_holds_nothing, .init = watch, .fini = all_given_back)
{
    cr_assert_eq(phx_directory_find(&directory, 1), PHX_HOME_NONE);
    cr_assert_eq(phx_directory_find(&directory, 0), PHX_HOME_NONE);
    cr_assert_not(phx_directory_has(&directory, UINT64_MAX));
    phx_directory_prefetch(&directory, 1);
    is_sound();
    phx_directory_free(&directory);
    phx_directory_free(&directory);
    cr_assert_eq(atomic_load(&mem.calls), 0);
}

Test(directory, put_find_set_remove, .init = watch, .fini = all_given_back)
{
    /* low halves alike, or 0 */
    const uint64_t ids[] = {7, 1, UINT32_MAX, 1ull << 32, UINT64_MAX, 7ull << 32, (7ull << 32) + 7};
    enum { IDS = sizeof ids / sizeof *ids };
    phx_directory_free(&directory);
    open(1024);
    for (uint32_t i = 0; i < IDS; i++) put(ids[i], phx_home(1023 - i, INT32_MAX - i));
    for (uint32_t i = 0; i < IDS; i++) {
        uint64_t home = phx_home(1023 - i, INT32_MAX - i), attached = home | PHX_HOME_ATTACHED;
        cr_assert_eq(phx_directory_find(&directory, ids[i]), home);
        phx_directory_set(&directory, ids[i], attached);
        cr_assert_eq(phx_directory_find(&directory, ids[i]), attached);
        cr_assert_eq(phx_home_shard(attached), 1023 - i);
        cr_assert_eq(phx_home_slot(attached), INT32_MAX - i);
    }
    cr_assert_not(phx_directory_has(&directory, 0));
    cr_assert_not(phx_directory_has(&directory, 2ull << 32));
    cr_assert_not(phx_directory_has(&directory, (1ull << 32) + 1));
    for (uint32_t i = 0; i < IDS; i++) {
        phx_directory_remove(&directory, ids[i]);
        is_sound();
        for (uint32_t k = 0; k < IDS; k++) cr_assert_eq(phx_directory_has(&directory, ids[k]), k > i);
    }
}

/* Columns that are not needed are not there, and a wide id brings its own without another table. */
Test(directory, columns_come_when_needed, .init = watch, .fini = all_given_back)
{
    for (uint64_t id = 1; id <= 1000; id++) put(id, id);
    size_t narrow = atomic_load(&mem.bytes), buckets = directory.bucket_count;
    cr_assert_eq(narrow, buckets * 8);
    put(UINT32_MAX, 0);
    cr_assert_eq(atomic_load(&mem.bytes), narrow);
    watched_memory_fail_after(&watched, 0);
    cr_assert_not(phx_directory_reserve(&directory, 1ull << 32));
    cr_assert_null(directory.high);
    cr_assert(phx_directory_reserve(&directory, UINT32_MAX - 1), "as before");
    watched_memory_fail_after(&watched, UINT64_MAX);
    put(1ull << 32, 5);
    cr_assert_eq(directory.bucket_count, buckets);
    cr_assert_eq(atomic_load(&mem.bytes), narrow + buckets * 4);
    for (uint64_t id = 1; id <= 1000; id++) {
        cr_assert_eq(phx_directory_find(&directory, id), id);
        cr_assert_not(phx_directory_has(&directory, id << 32 | id));
    }
    cr_assert_eq(phx_directory_find(&directory, 1ull << 32), 5);
    is_sound();
    phx_directory_free(&directory);
    open(2);
    put(1, phx_home(1, 1));
    cr_assert_eq(atomic_load(&mem.bytes), directory.bucket_count * 10);
}

/* One by one, as entities enter: seldom, and never much more than is needed; every entry stays found. */
Test(directory, grows_by_an_eighth, .init = watch, .fini = all_given_back)
{
    enum { COUNT = 100000 };
    for (uint64_t i = 1; i <= COUNT; i++) {
        put(i * i, i);
        uint64_t needed = (i * 5 + 3) / 4;
        cr_assert(directory.bucket_count <= 128 || directory.bucket_count <= (needed + 8) * 9 / 8 + 8, "%u for %zu",
                  directory.bucket_count, (size_t)i);
    }
    size_t calls = atomic_load(&mem.calls);
    cr_assert_lt(calls, 120, "%zu times", calls); /* log(100,000 / 100) / log(9 / 8) is 59, twice for two columns */
    for (uint64_t i = 1; i <= COUNT; i++) cr_assert_eq(phx_directory_find(&directory, i * i), i);
    is_sound();
}

Test(directory, failed_reserve_changes_nothing, .init = watch, .fini = all_given_back)
{
    phx_directory_free(&directory);
    open(2);
    for (uint64_t id = 1; phx_directory_count(&directory) < 100; id++) put(id, phx_home(id & 1, (uint32_t)id));
    cr_assert_eq(directory.limit, 100);
    for (uint64_t allowed = 0; allowed < 3; allowed++) { /* each of the columns */
        watched_memory_fail_after(&watched, allowed);
        cr_assert_not(phx_directory_reserve(&directory, 5ull << 32));
        cr_assert_eq(directory.bucket_count, 128);
        for (uint64_t id = 1; id <= 100; id++)
            cr_assert_eq(phx_directory_find(&directory, id), phx_home(id & 1, (uint32_t)id));
        is_sound();
    }
    watched_memory_fail_after(&watched, 3);
    cr_assert(phx_directory_reserve(&directory, 5ull << 32));
}

/* The n-th id (from 1) with a search that begins at this bucket. */
static uint64_t id_from(uint64_t first, uint32_t nth)
{
    for (uint64_t id = 1;; id++)
        if (phx_directory_first(&directory, id) == first && --nth == 0) return id;
}

/* Runs that cross the end of the table, taken down in every order of their first and every other entry. */
Test(directory, long_runs_around_the_end, .init = watch, .fini = all_given_back)
{
    uint64_t ids[24];
    for (uint32_t first = 0; first < 24; first++) {
        for (uint32_t step = 1; step < 24; step += 2) {
            phx_directory_free(&directory);
            cr_assert(phx_directory_reserve(&directory, 1));
            for (uint32_t i = 0; i < 24; i++) { /* the last four buckets, then the first two: one run over the end */
                ids[i] = id_from((124 + i / 4) % directory.bucket_count, i % 4 + 1);
                phx_directory_insert(&directory, ids[i], i);
            }
            for (uint32_t i = 0, at = first; i < 24; i++, at = (at + step) % 24) {
                if (phx_directory_has(&directory, ids[at])) phx_directory_remove(&directory, ids[at]);
                cr_assert_not(phx_directory_has(&directory, ids[at])); /* a step of 3 comes by again */
                is_sound();
            }
        }
    }
}

/* ---- against a model ---- */

enum { MODEL_IDS = 400, STEPS = 4000, WIDE_FROM = 1000 };

typedef struct model {
    uint64_t id[MODEL_IDS], home[MODEL_IDS]; /* PHX_HOME_NONE: it is not in */
    uint32_t shards, count;
} model;

static void agree(const model *expected, uint64_t seed)
{
    cr_assert_eq(phx_directory_count(&directory), expected->count, "seed %zu", (size_t)seed);
    for (uint32_t i = 0; i < MODEL_IDS; i++)
        cr_assert_eq(phx_directory_find(&directory, expected->id[i]), expected->home[i], "seed %zu", (size_t)seed);
    is_sound();
}

static uint64_t draw_home(const model *expected, uint64_t *rng)
{
    uint64_t home = phx_home(phx_rng_below(rng, expected->shards), phx_rng_below(rng, 1u << 31));
    return phx_rng_below(rng, 4) == 0 ? home | PHX_HOME_ATTACHED : home;
}

/* ids: the first so many may come in. */
static void random_step(model *expected, uint64_t *rng, uint32_t ids, uint32_t insert_percent)
{
    uint32_t i = phx_rng_below(rng, ids);
    bool in = expected->home[i] != PHX_HOME_NONE;
    if (phx_rng_below(rng, 100) >= insert_percent) {
        if (in) phx_directory_remove(&directory, expected->id[i]);
        expected->home[i] = PHX_HOME_NONE;
        expected->count -= in;
        return;
    }
    expected->home[i] = draw_home(expected, rng);
    if (in) phx_directory_set(&directory, expected->id[i], expected->home[i]);
    else put(expected->id[i], expected->home[i]);
    expected->count += !in;
}

/* Dense ids, as hosts number them, or scattered ones; in the upper half, which comes later, with high halves. */
static uint64_t draw_id(uint64_t seed, uint64_t *rng, uint32_t i)
{
    uint64_t id = seed % 2 == 1 ? phx_rng_next(rng) >> 32 | 1 : i % (MODEL_IDS / 2) + 1;
    if (i < MODEL_IDS / 2) return id;
    return id | (1 + phx_rng_next(rng) % (seed % 3 == 0 ? 1 : UINT32_MAX)) << 32;
}

static bool is_among(const uint64_t *ids, uint32_t count, uint64_t id)
{
    while (count > 0 && ids[count - 1] != id) count--;
    return count > 0;
}

Test(directory, random_against_a_model, .init = watch, .fini = all_given_back)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t rng = seed;
        model expected = {.shards = seed % 4 < 2 ? 1 : 1024};
        phx_directory_free(&directory);
        open(expected.shards);
        for (uint32_t i = 0; i < MODEL_IDS; i++) {
            expected.id[i] = draw_id(seed, &rng, i);
            expected.home[i] = PHX_HOME_NONE;
            while (is_among(expected.id, i, expected.id[i])) expected.id[i]++;
        }
        for (uint32_t step = 0; step < STEPS; step++) {
            uint32_t ids = step < WIDE_FROM ? MODEL_IDS / 2 : MODEL_IDS;
            random_step(&expected, &rng, ids, step < STEPS / 2 ? 70 : 35); /* fills up, then empties */
            if (step % 97 == 0 || step == WIDE_FROM) agree(&expected, seed);
        }
        agree(&expected, seed);
        cr_assert_not_null(directory.high);
    }
}

Test(directory, stays_fast_under_churn, .init = watch, .fini = all_given_back)
{
    enum { LIVE = 3000, CHURN = 300000 };
    uint64_t distance = 0;
    for (uint64_t id = 1; id <= CHURN; id++) {
        if (id > LIVE) phx_directory_remove(&directory, id - LIVE);
        put(id, id);
    }
    for (uint64_t i = 0; i < directory.bucket_count; i++) {
        uint64_t id = phx_directory_id(&directory, i);
        for (uint64_t j = id ? phx_directory_first(&directory, id) : i; j != i; j = phx_directory_after(&directory, j))
            distance++;
    }
    /* 3 of 4 taken: (1/(1-a) - 1)/2 = 1.5 from their first bucket on average; twice that would be decay. */
    cr_assert_lt(distance, LIVE * 3, "%zu in all", (size_t)distance);
}

#ifndef NDEBUG

Test(directory, the_same_id_twice_is_a_bug, .init = watch, .signal = SIGABRT)
{
    put(5, 1);
    put(5, 2);
}

Test(directory, id_zero_is_a_bug, .init = watch, .signal = SIGABRT)
{
    put(0, 1);
}

Test(directory, a_wide_id_without_room_is_a_bug, .init = watch, .signal = SIGABRT)
{
    put(1, 1);
    phx_directory_insert(&directory, 1ull << 32, 1);
}

#endif
