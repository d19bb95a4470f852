/*
 * The key of a world's hash tables changes no result: the same script with several seeds, one from the system
 * among them, has the same events, ph_world_hash() and counts, whatever the index.
 *
 * options: --seed S, --count N small worlds of every profile (default by PHAROS_TEST_PERCENT)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/indexes.h"
#include "support/run.h"
#include "support/script_gen.h"

enum { SMALL_WORLDS = 4, BIG_ENTITIES = 1500, BIG_TICKS = 10 };

/* Two known seeds, one of other bits, and the system's. */
static const uint64_t seeds[] = {1, 2, UINT64_C(0x9e3779b97f4a7c15), 0};

/* Times are no counts; and with several workers, the bytes held depend on which work it was fast enough to get. */
static ph_stats counts_of(const run_result *result, uint32_t workers)
{
    ph_stats s = result->stats;
    s.ingest_ns = s.exchange_ns = s.index_ns = s.interest_ns = s.publish_ns = 0;
    s.ingest_ns_sum = s.exchange_ns_sum = s.index_ns_sum = s.interest_ns_sum = s.publish_ns_sum = 0;
    s.tick_ns = s.tick_ns_sum = s.tick_ns_max = 0;
    if (workers > 1) s.bytes = 0;
    return s;
}

static size_t differs_at(const void *a, const void *b, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && ((const char *)a)[at] == ((const char *)b)[at]) at++;
    return at;
}

static void expect_alike(const script *s, ph_index index, run_result *first, run_result *other)
{
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        run_result *result = i == 0 ? first : other;
        ph_world_def def = s->def;
        const run_options options = {.no_model = true, .def = &def};
        def.index = index;
        def.hash_seed = seeds[i];
        run_script(s, &options, result);
        CHECK(!result->failed, "seed %" PRIu64 " profile %s index %s: %s", s->seed, s->profile, index_name(index),
              result->report);
        ph_stats a = counts_of(first, def.workers), b = counts_of(result, def.workers);
        CHECK(first->event_hash == result->event_hash && first->activation_hash == result->activation_hash,
              "seed %" PRIu64 " profile %s index %s hash_seed %" PRIu64 ": other events", s->seed, s->profile,
              index_name(index), seeds[i]);
        CHECK(first->world_hash == result->world_hash,
              "seed %" PRIu64 " profile %s index %s hash_seed %" PRIu64 ": another ph_world_hash()", s->seed,
              s->profile, index_name(index), seeds[i]);
        CHECK(memcmp(&a, &b, sizeof a) == 0,
              "seed %" PRIu64 " profile %s index %s hash_seed %" PRIu64 ": other counts, from byte %zu of ph_stats on",
              s->seed, s->profile, index_name(index), seeds[i], differs_at(&a, &b, sizeof a));
    }
}

static void all_indexes(const script *s, run_result *first, run_result *other)
{
    for (int index = 0; index < INDEX_COUNT; index++)
        if (index_serves(&s->def, (ph_index)index)) expect_alike(s, (ph_index)index, first, other);
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(SMALL_WORLDS));
    run_result *first = check_zalloc(sizeof *first), *other = check_zalloc(sizeof *other);
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t profile = 0; profile < ops_profile_count(); profile++) {
            script *s = ops_script(seed + i, profile);
            all_indexes(s, first, other);
            script_free(s);
        }
    }
    for (int calm = 0; calm < 2; calm++) {
        script *s = ops_script_big(seed, BIG_ENTITIES, BIG_TICKS, PH_RANGE_RADIUS, PH_SHAPE_CIRCLE, calm != 0);
        all_indexes(s, first, other);
        script_free(s);
    }
    free(first);
    free(other);
    return check_failures() == 0 ? 0 : 1;
}
