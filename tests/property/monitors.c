/*
 * Monitors: each frame against the readers after the same tick, by brute force, and the same events and hashes as
 * without; over profiles, workers, shards and indexes.
 *
 * options: --seed N, --count N, --profile NAME
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/monitor.h>

#include "support/indexes.h"
#include "support/run.h"
#include "support/script_gen.h"
#include "support/watch.h"

/* A layout for this number; the script's own for 0. */
static ph_world_def layout_of(const script *s, uint64_t number)
{
    ph_world_def def = s->def;
    if (number == 0) return def;
    def.shards[0] = 1 + (uint32_t)(number % 3);
    def.shards[1] = 1 + (uint32_t)(number / 3 % 3);
    def.workers = 1 + (uint32_t)(number / 9 % 3);
    def.share_min = 0;
    return ph_world_def_check(&def, NULL, 0) == PH_OK ? def : s->def;
}

static void compare_runs(uint64_t seed, uint32_t profile)
{
    static run_result with, without;
    script *s = ops_script(seed, profile);
    const ph_world_def def = layout_of(s, seed);
    const run_options plain = {.no_model = true, .def = &def};
    run_options watching = plain;
    const unsigned failures = check_failures();
    run_script(s, &plain, &without);
    watching.subject = watch_engine(s, seed);
    run_script(s, &watching, &with);
    CHECK(with.event_hash == without.event_hash && with.activation_hash == without.activation_hash &&
              with.world_hash == without.world_hash && with.events == without.events && !with.failed,
          "other events with a monitor\n%s", with.report);
    if (check_failures() > failures)
        (void)printf("repeat: monitors --seed %" PRIu64 " --profile %s --count 1\n", seed, s->profile);
    script_free(s);
}

int main(int argc, char **argv)
{
    const char *profile = option_text(argc, argv, "--profile");
    const uint64_t seed = option_number(argc, argv, "--seed", 1), count = option_number(argc, argv, "--count", 0);
    const uint64_t runs = count ? count : test_amount(600);
    const int only = profile ? ops_profile_find(profile) : -1;
    for (uint64_t i = 0; i < runs && check_failures() < 20; i++)
        compare_runs(seed + i, only >= 0 ? (uint32_t)only : (uint32_t)((seed + i) % ops_profile_count()));
    const watch_sums sums = watch_done();
    (void)printf("%" PRIu64 " frames, %" PRIu64 " points, %" PRIu64 " sampled frames, %" PRIu64 " targets, %" PRIu64
                 " events, %" PRIu64 " answers, %" PRIu64 " skipped\n",
                 sums.frames, sums.points, sums.samples, sums.targets, sums.events, sums.answers, sums.skipped);
    CHECK(count || (sums.points > 0 && sums.samples > 0 && sums.targets > 0 && sums.events > 0 && sums.answers > 0 &&
                    sums.skipped > 0),
          "nothing is compared");
    return check_done("monitors");
}
