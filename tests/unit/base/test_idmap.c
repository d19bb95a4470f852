/*
 * base/idmap: against a naive model, long runs of one home bucket, the end of the table,
 * growing, failure.
 */
#include <criterion/criterion.h>

#include <signal.h>

#include "base/idmap.h"
#include "base/rng.h"
#include "support/watched_memory.h"

static watched_memory watched;
static phx_mem mem;
static phx_idmap map;

static void watch(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    phx_idmap_init(&map, &mem);
}

static void all_given_back(void)
{
    phx_idmap_free(&map);
    watched_memory_all_back(&watched);
}

static void put(uint64_t id, uint64_t value)
{
    cr_assert(phx_idmap_reserve(&map, phx_idmap_count(&map) + 1));
    phx_idmap_insert(&map, id, value);
}

/*
 * Every entry is reached from its home over taken buckets only, the count is right, and
 * there is always an empty bucket to end a search.
 */
static void is_sound(void)
{
    uint64_t taken = 0;

    for (uint64_t i = 0; i < phx_idmap_bucket_count(&map); i++) {
        const phx_idmap_bucket *bucket = phx_idmap_bucket_at(&map, i);

        if (bucket->id == 0) {
            cr_assert_eq(bucket->value, 0);
            continue;
        }
        taken++;
        for (uint64_t j = phx_idmap_home(&map, bucket->id); j != i; j = phx_idmap_after(&map, j)) {
            cr_assert_neq(phx_idmap_bucket_at(&map, j)->id, 0, "a hole before entry %zu", (size_t)bucket->id);
            cr_assert_neq(phx_idmap_bucket_at(&map, j)->id, bucket->id, "twice");
        }
    }
    cr_assert_eq(taken, phx_idmap_count(&map));
    cr_assert_lt(taken, phx_idmap_bucket_count(&map));
}

Test(idmap, empty_holds_nothing, .init = watch, .fini = all_given_back)
{
    cr_assert_null(phx_idmap_find(&map, 1));
    cr_assert_null(phx_idmap_find(&map, 0));
    cr_assert_not(phx_idmap_remove(&map, 1));
    cr_assert_eq(phx_idmap_count(&map), 0);
    is_sound();
    phx_idmap_clear(&map);
    phx_idmap_free(&map);
    phx_idmap_free(&map);
    cr_assert_eq(atomic_load(&mem.calls), 0);
}

Test(idmap, insert_find_write_remove, .init = watch, .fini = all_given_back)
{
    put(7, 70);
    put(UINT64_MAX, 1);
    cr_assert_eq(*phx_idmap_find(&map, 7), 70);
    cr_assert_eq(*phx_idmap_find(&map, UINT64_MAX), 1);
    cr_assert_null(phx_idmap_find(&map, 8));
    cr_assert_null(phx_idmap_find(&map, 0));
    *phx_idmap_find(&map, 7) = 71;
    cr_assert_eq(*phx_idmap_find(&map, 7), 71);
    cr_assert(phx_idmap_remove(&map, 7));
    cr_assert_not(phx_idmap_remove(&map, 7));
    cr_assert_null(phx_idmap_find(&map, 7));
    cr_assert_eq(phx_idmap_count(&map), 1);
    is_sound();
}

Test(idmap, clear_keeps_the_room, .init = watch, .fini = all_given_back)
{
    uint64_t calls;

    for (uint64_t id = 1; id <= 1000; id++) {
        put(id, id);
    }
    calls = atomic_load(&mem.calls);
    phx_idmap_clear(&map);
    cr_assert_eq(phx_idmap_count(&map), 0);
    is_sound();
    for (uint64_t id = 1; id <= 1000; id++) {
        cr_assert_null(phx_idmap_find(&map, id));
        put(id, id);
    }
    cr_assert_eq(atomic_load(&mem.calls), calls);
    is_sound();
}

Test(idmap, only_reserve_allocates, .init = watch, .fini = all_given_back)
{
    const uint32_t counts[] = {1, 48, 49, 96, 97, 1000, 98304, 98305};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        phx_idmap_free(&map);
        cr_assert(phx_idmap_reserve(&map, counts[i]));
        watched_memory_fail_after(&watched, 0);
        for (uint64_t id = 1; id <= counts[i]; id++) {
            phx_idmap_insert(&map, id, id);
        }
        cr_assert(phx_idmap_reserve(&map, counts[i]));
        cr_assert_leq(phx_idmap_count(&map) * 4, phx_idmap_bucket_count(&map) * 3);
        cr_assert(phx_idmap_bucket_count(&map) == 64 || (counts[i] + 3) * 4 > phx_idmap_bucket_count(&map) * 3,
                  "four buckets less would not do for %u", counts[i]);
        for (uint64_t id = 1; id <= counts[i]; id++) {
            cr_assert_eq(*phx_idmap_find(&map, id), id);
        }
        watched_memory_fail_after(&watched, UINT64_MAX);
    }
}

/* One by one, as entities enter: seldom, and never much more than is needed; every entry stays found. */
Test(idmap, grows_by_a_quarter, .init = watch, .fini = all_given_back)
{
    enum { COUNT = 100000 };
    uint64_t seed = 9, first = phx_rng_next(&seed), calls;

    put(first, 0);
    for (uint64_t i = 1; i < COUNT; i++) {
        put(first + i * i, i);
        cr_assert(phx_idmap_bucket_count(&map) == 64 ||
                      phx_idmap_bucket_count(&map) * 3 <= ((uint64_t)phx_idmap_count(&map) + 3) * 5,
                  "%zu buckets for %u", (size_t)phx_idmap_bucket_count(&map), phx_idmap_count(&map));
    }
    calls = atomic_load(&mem.calls);
    cr_assert_lt(calls, 40, "%zu times", (size_t)calls); /* log(100,000 / 48) / log(5 / 4) is 34 */
    for (uint64_t i = 0; i < COUNT; i++) {
        cr_assert_eq(*phx_idmap_find(&map, first + i * i), i);
    }
    is_sound();
}

Test(idmap, failed_reserve_changes_nothing, .init = watch, .fini = all_given_back)
{
    uint64_t buckets;

    watched_memory_fail_after(&watched, 0);
    cr_assert_not(phx_idmap_reserve(&map, 1));
    cr_assert_not(phx_idmap_reserve(&map, UINT32_MAX));
    cr_assert_null(phx_idmap_find(&map, 1));
    watched_memory_fail_after(&watched, 1);
    for (uint64_t id = 1; id <= 48; id++) {
        put(id, id * 2);
    }
    buckets = phx_idmap_bucket_count(&map);
    cr_assert_not(phx_idmap_reserve(&map, 49));
    cr_assert_eq(phx_idmap_bucket_count(&map), buckets);
    for (uint64_t id = 1; id <= 48; id++) {
        cr_assert_eq(*phx_idmap_find(&map, id), id * 2);
    }
    is_sound();
}

/* The n-th id (from 1) with this home bucket. */
static uint64_t id_at_home(uint64_t home, uint32_t nth)
{
    for (uint64_t id = 1;; id++) {
        if (phx_idmap_home(&map, id) == home && --nth == 0) {
            return id;
        }
    }
}

/* Runs that cross the end of the table, taken down in every order of their first and every other entry. */
Test(idmap, long_runs_around_the_end, .init = watch, .fini = all_given_back)
{
    uint64_t ids[24];

    cr_assert(phx_idmap_reserve(&map, 48));
    for (uint32_t first = 0; first < 24; first++) {
        for (uint32_t step = 1; step < 24; step++) {
            for (uint32_t i = 0; i < 24; i++) { /* homes 60 .. 63, then 0, 1: one run over the end */
                ids[i] = id_at_home((60 + i / 4) % map.bucket_count, i % 4 + 1);
                phx_idmap_insert(&map, ids[i], i);
            }
            for (uint32_t i = 0, at = first; i < 24; i++, at = (at + step) % 24) {
                (void)phx_idmap_remove(&map, ids[at]); /* steps that divide 24 come by twice */
                cr_assert_null(phx_idmap_find(&map, ids[at]));
                is_sound();
            }
            phx_idmap_clear(&map);
        }
    }
}

/* ---- against a model ---- */

enum { MODEL_IDS = 400 };

typedef struct model {
    bool in[MODEL_IDS];
    uint64_t value[MODEL_IDS];
    uint64_t id[MODEL_IDS];
    uint32_t count;
} model;

static void agree(const model *expected, uint64_t seed)
{
    uint32_t walked = 0;

    cr_assert_eq(phx_idmap_count(&map), expected->count, "seed %zu", (size_t)seed);
    for (uint32_t i = 0; i < MODEL_IDS; i++) {
        uint64_t *value = phx_idmap_find(&map, expected->id[i]);

        cr_assert_eq(value != NULL, expected->in[i], "seed %zu", (size_t)seed);
        cr_assert(value == NULL || *value == expected->value[i], "seed %zu", (size_t)seed);
    }
    for (uint64_t i = 0; i < phx_idmap_bucket_count(&map); i++) {
        walked += phx_idmap_bucket_at(&map, i)->id != 0;
    }
    cr_assert_eq(walked, expected->count, "seed %zu", (size_t)seed);
}

static void random_step(model *expected, uint64_t *rng, uint32_t insert_percent)
{
    uint32_t i = phx_rng_below(rng, MODEL_IDS);
    uint64_t value = phx_rng_next(rng);

    if (phx_rng_below(rng, 100) >= insert_percent) {
        cr_assert_eq(phx_idmap_remove(&map, expected->id[i]), expected->in[i]);
        expected->count -= expected->in[i];
        expected->in[i] = false;
    } else if (expected->in[i]) {
        *phx_idmap_find(&map, expected->id[i]) = value;
        expected->value[i] = value;
    } else {
        put(expected->id[i], value);
        expected->in[i] = true;
        expected->value[i] = value;
        expected->count++;
    }
}

Test(idmap, random_against_a_model, .init = watch, .fini = all_given_back)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t rng = seed;
        model expected = {.count = 0};

        phx_idmap_free(&map);
        for (uint32_t i = 0; i < MODEL_IDS; i++) {
            /* odd seeds: scattered ids, even seeds: dense ones, as hosts number them */
            expected.id[i] = seed % 2 == 1 ? phx_rng_next(&rng) | 1 : i + 1;
        }
        for (uint32_t step = 0; step < 4000; step++) {
            random_step(&expected, &rng, step < 2000 ? 70 : 35); /* fills up, then empties */
            if (step % 97 == 0) {
                agree(&expected, seed);
                is_sound();
            }
        }
        agree(&expected, seed);
    }
}

Test(idmap, stays_fast_under_churn, .init = watch, .fini = all_given_back)
{
    enum { LIVE = 3000, CHURN = 300000 };
    uint64_t distance = 0;
    uint64_t calls;

    cr_assert(phx_idmap_reserve(&map, LIVE));
    calls = atomic_load(&mem.calls);
    for (uint64_t id = 1; id <= CHURN; id++) {
        if (id > LIVE) {
            cr_assert(phx_idmap_remove(&map, id - LIVE));
        }
        phx_idmap_insert(&map, id, id);
    }
    for (uint64_t i = 0; i < phx_idmap_bucket_count(&map); i++) {
        const phx_idmap_bucket *bucket = phx_idmap_bucket_at(&map, i);

        uint64_t home = bucket->id != 0 ? phx_idmap_home(&map, bucket->id) : i;

        for (uint64_t j = home; j != i; j = phx_idmap_after(&map, j)) {
            distance++;
        }
    }
    cr_assert_eq(atomic_load(&mem.calls), calls);
    /* 3 of 4 taken: (1/(1-a) - 1)/2 = 1.5 from home on average; twice that would be decay. */
    cr_assert_lt(distance, LIVE * 3, "%zu from home in all", (size_t)distance);
}

#ifndef NDEBUG

Test(idmap, the_same_id_twice_is_a_bug, .init = watch, .signal = SIGABRT)
{
    put(5, 1);
    put(5, 2);
}

Test(idmap, id_zero_is_a_bug, .init = watch, .signal = SIGABRT)
{
    put(0, 1);
}

Test(idmap, an_entry_beyond_the_room_is_a_bug, .init = watch, .signal = SIGABRT)
{
    phx_idmap_insert(&map, 1, 1);
}

#endif
