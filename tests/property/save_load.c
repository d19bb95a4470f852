/*
 * Continuation: a world that is saved at a random tick and loaded in another layout (shards, workers, index, SIMD) goes
 * on as the world that never was: all events, edges and world hashes of all ticks are equal. Seeds are the generator's,
 * all its profiles by turns.
 *
 * options: --seed S the first seed, --count N worlds
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/run.h"
#include "support/script_gen.h"

enum { WORLDS = 3400 }; /* 30 percent in the release leg: more than 1,000 */

static uint64_t count_ticks(const script *s)
{
    uint64_t ticks = 0;
    for (size_t i = 0; i < s->steps.count; i++) ticks += s->steps.items[i].type == STEP_TICK;
    return ticks;
}

/* Plays a script without and with a save. Returns the events behind it. */
static uint64_t continue_world(uint64_t seed, uint32_t profile, run_result *base, run_result *saved)
{
    script *s = ops_script(seed, profile);
    uint64_t rng = seed, ticks = count_ticks(s), events = 0;
    s->eager = true;
    if (ticks > 0) {
        run_options options = {.no_model = true};
        run_script(s, &options, base);
        options.heavy = true;
        options.heavy_tick = 1 + phx_rng_below(&rng, (uint32_t)ticks);
        run_script(s, &options, saved);
        CHECK(!base->failed && !saved->failed, "seed %" PRIu64 " profile %s: %s%s", seed, s->profile, base->report,
              saved->report);
        CHECK(base->event_hash == saved->event_hash && base->events == saved->events &&
                  base->activation_hash == saved->activation_hash && base->world_hash == saved->world_hash &&
                  base->edges == saved->edges && base->due == saved->due && base->heard == saved->heard,
              "seed %" PRIu64 " profile %s, saved at tick %" PRIu64 " of %" PRIu64 ": %" PRIu64 " events, %" PRIu64
              " edges, expected %" PRIu64 ", %" PRIu64 "; hashes %s",
              seed, s->profile, options.heavy_tick, ticks, saved->events, saved->edges, base->events, base->edges,
              base->world_hash == saved->world_hash ? "equal" : "differ");
        events = base->events;
    }
    script_free(s);
    return events;
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(WORLDS));
    uint64_t events = 0;
    run_result *base = check_zalloc(sizeof *base), *saved = check_zalloc(sizeof *saved);
    for (uint64_t i = 0; i < count && check_failures() == 0; i++)
        events += continue_world(seed + i / ops_profile_count(), (uint32_t)(i % ops_profile_count()), base, saved);
    free(base);
    free(saved);
    (void)printf("%" PRIu64 " worlds, %" PRIu64 " events compared\n", count, events);
    return check_done("save_load");
}
