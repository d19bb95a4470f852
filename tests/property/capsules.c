/*
 * Capsules against the model: two worlds of different layouts, between which entities go back and forth with all that
 * is known of them, tell the same as the model of one world: events, edges, broadcasts, updates, refusals, lists. Seeds
 * are the generator's, all its profiles by turns.
 *
 * options: --seed S the first seed, --count N scripts, --profile P only this one, --print the script of a failure
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/run.h"
#include "support/script_gen.h"
#include "support/subject_pair.h"

enum { SCRIPTS = 1500 };

/* Two worlds have twice the bounds of one tick: none is reached. */
static void lift_bounds(script *s)
{
    enum { BYTES = 1 << 28 };
    s->eager = true;
    s->def.events_max = 0;
    s->def.broadcast_bytes = BYTES;
    s->def.crew = (ph_crew){0};
    for (size_t i = 0; i < s->steps.count; i++) {
        step *at = &s->steps.items[i];
        if (at->type != STEP_RELOAD) continue;
        at->as.reload.events_max = 0;
        at->as.reload.broadcast_bytes = BYTES;
    }
}

static bool is_command(const step *at, command_type type)
{
    return at->type == STEP_COMMAND && at->as.command.type == type;
}

/* A remote entity of the script is remote in both worlds: one of them would attach it to what the other one owns. */
static void spare_remotes(script *s)
{
    bool any_remote = false;
    for (size_t i = 0; i < s->steps.count && !any_remote; i++)
        any_remote = s->steps.items[i].type == STEP_COMMAND && (s->steps.items[i].as.command.attrs.given & PH_REMOTE);
    for (size_t i = 0; i < s->steps.count && any_remote; i++)
        if (is_command(&s->steps.items[i], COMMAND_ATTACH)) s->steps.items[i].as.command.type = COMMAND_DETACH;
}

/*
 * A family that goes to one world does so in the tick that attaches it. So no one of it leaves in that tick, nor is
 * anything asked for behind an apply: a tick more stands between.
 */
static void part_ticks(script *s)
{
    const step tick = {.type = STEP_TICK};
    bool attaches = false, ends = false;
    for (size_t i = 0; i < s->steps.count; i++) {
        const step *at = &s->steps.items[i];
        const bool is_attach = is_command(at, COMMAND_ATTACH);
        const bool is_end = is_command(at, COMMAND_LEAVE) || at->type == STEP_APPLY;
        const bool is_parted = (is_attach && ends) || (is_end && attaches);
        if (at->type == STEP_TICK || is_parted) attaches = ends = false;
        attaches |= is_attach;
        ends |= is_end;
        if (is_parted) VEC_INSERT(&s->steps, i++, tick);
    }
}

static void play(uint64_t seed, uint32_t profile, bool print, run_result *result)
{
    static const uint32_t shards[][2] = {{1, 1}, {2, 2}, {3, 1}, {1, 1}, {4, 4}, {2, 3}};
    enum { LAYOUTS = sizeof shards / sizeof *shards };
    script *s = ops_script(seed, profile);
    lift_bounds(s);
    spare_remotes(s);
    part_ticks(s);
    const pair_options pair = {.seed = phx_mix64(seed + profile),
                               .played = s,
                               .shards = {{shards[seed % LAYOUTS][0], shards[seed % LAYOUTS][1]},
                                          {shards[(seed + 1) % LAYOUTS][0], shards[(seed + 1) % LAYOUTS][1]}},
                               .often = 2 + (uint32_t)(seed % 5) * 3};
    const run_options options = {.subject = subject_pair(&pair)};
    run_script(s, &options, result);
    CHECK(!result->failed, "seed %" PRIu64 " profile %s: %s", seed, s->profile, result->report);
    if (result->failed && print) script_print(stdout, s);
    script_free(s);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(SCRIPTS));
    const uint64_t only = option_number(argc, argv, "--profile", UINT64_MAX);
    const bool print = option_flag(argc, argv, "--print");
    uint64_t events = 0, edges = 0, due = 0;
    run_result *result = check_zalloc(sizeof *result);
    play(543, (uint32_t)ops_profile_find("settings"), print, result); /* open towers, too large for the other shards */
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        const uint64_t profile = only != UINT64_MAX ? only : i % ops_profile_count();
        play(only != UINT64_MAX ? seed + i : seed + i / ops_profile_count(), (uint32_t)profile, print, result);
        events += result->events;
        edges += result->edges;
        due += result->due;
    }
    free(result);
    const pair_counts counts = pair_counts_take();
    (void)printf("%" PRIu64 " scripts: %" PRIu64 " capsules (%" PRIu64 " families, %" PRIu64 " gathered, %" PRIu64
                 " bytes), %" PRIu64 " left at once, %" PRIu64 " events, %" PRIu64 " edges, %" PRIu64 " updates\n",
                 count, counts.moved, counts.families, counts.gathered, counts.bytes, counts.left, events, edges, due);
    CHECK(count < ops_profile_count() || (counts.moved > 0 && counts.families > 0 && counts.left > 0),
          "no capsule was tried");
    return check_done("capsules");
}
