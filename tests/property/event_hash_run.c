/*
 * Prints one hash over all events and world states of fixed seeded runs: the same for
 * every index, compiler, optimisation level and machine. scripts/determinism.sh compares builds.
 *
 * options: --seed S, --count N small worlds of every profile (default by PHAROS_TEST_PERCENT)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/indexes.h"
#include "support/run.h"
#include "support/script_gen.h"

enum { SMALL_WORLDS = 10, BIG_ENTITIES = 1500, BIG_TICKS = 10 };

static uint64_t hash_with(const script *s, ph_index index, run_result *result)
{
    ph_world_def def = s->def;
    const run_options options = {.no_model = true, .def = &def};
    def.index = index;
    run_script(s, &options, result);
    CHECK(!result->failed, "seed %" PRIu64 " profile %s index %s: %s", s->seed, s->profile, index_name(index),
          result->report);
    return phx_mix64(result->event_hash + phx_mix64(result->world_hash));
}

static uint64_t hash_of(const script *s, run_result *result)
{
    uint64_t hash = hash_with(s, PH_INDEX_LIGHTHOUSE, result);
    for (int index = PH_INDEX_LIGHTHOUSE + 1; index < INDEX_COUNT; index++) {
        if (index_serves(&s->def, (ph_index)index)) {
            CHECK(hash_with(s, (ph_index)index, result) == hash, "seed %" PRIu64 " profile %s: index %s differs",
                  s->seed, s->profile, index_name((ph_index)index));
        }
    }
    return hash;
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(SMALL_WORLDS));
    run_result *result = check_zalloc(sizeof *result);
    uint64_t hash = 0;
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t profile = 0; profile < ops_profile_count(); profile++) {
            script *s = ops_script(seed + i, profile);
            hash = phx_mix64(hash + hash_of(s, result));
            script_free(s);
        }
    }
    for (int shape = PH_SHAPE_CIRCLE; shape <= PH_SHAPE_SPHERE; shape++) {
        for (int calm = 0; calm < 2; calm++) {
            script *s = ops_script_big(seed + (uint64_t)shape, BIG_ENTITIES, BIG_TICKS, PH_RANGE_RADIUS,
                                       (ph_shape)shape, calm != 0);
            hash = phx_mix64(hash + hash_of(s, result));
            script_free(s);
        }
    }
    free(result);
    (void)printf("%016" PRIx64 "\n", hash);
    return check_failures() == 0 ? 0 : 1;
}
