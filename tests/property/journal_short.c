/*
 * Worlds that lack memory while they are recorded: at random allocations of a tick or an apply, once or from there on,
 * and go on behind it, some by ph_tick_finish(). A second world follows the records: a whole one leads to the same
 * world; one that is not whole is followed by an image of that tick or a later one, from which the second world goes
 * on. So no command that was refused for want of memory is replayed as one that was applied.
 *
 * options: --seed S the first seed, --count N worlds
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/fail_alloc.h"
#include "support/image_bytes.h"
#include "support/script_gen.h"
#include "support/tape.h"

enum { WORLDS = 900, CALLS_MAX = 40, REASON = 256, TRIES = 100 };

/* Over all worlds. */
static uint64_t whole_ticks, short_ticks, refusals, loads;

/* The recorded world, and the one that follows. */
typedef struct following {
    const script *s;
    fail_alloc memory;
    tape_player player;
    tape records;
    size_t followed; /* records */
    ph_world world;  /* it follows */
    bool waits;      /* ... for an image: a record was not whole */
    uint64_t rng;
} following;

/* ---- the recorded world ---- */

static void lack_memory(following *at)
{
    if (phx_rng_below(&at->rng, 3) == 0)
        fail_alloc_order(&at->memory, 1 + phx_rng_below(&at->rng, CALLS_MAX), phx_rng_below(&at->rng, 3) == 0);
}

static void run_apply(following *at)
{
    lack_memory(at);
    const ph_status status = ph_apply(at->player.world);
    fail_alloc_order(&at->memory, 0, false);
    if (status == PH_NO_MEMORY) CHECK_OK(ph_apply(at->player.world));
    else CHECK_OK(status);
}

static void run_tick(following *at)
{
    const bool finishes = phx_rng_below(&at->rng, 2) == 0;
    lack_memory(at);
    ph_status status = ph_tick(at->player.world, NULL);
    if (!finishes) fail_alloc_order(&at->memory, 0, false);
    for (uint32_t i = 0; status == PH_NO_MEMORY && i < TRIES; i++)
        status = finishes ? ph_tick_finish(at->player.world, NULL) : ph_tick(at->player.world, NULL);
    fail_alloc_order(&at->memory, 0, false);
    CHECK_OK(status);
    at->player.ticks++;
}

static void play_step(following *at, size_t i)
{
    const step_type type = at->s->steps.items[i].type;
    if (type == STEP_TICK) run_tick(at);
    else if (type == STEP_APPLY) run_apply(at);
    else tape_play(&at->player, at->s, i, &at->records);
}

/* ---- the following one ---- */

static ph_world first_world(const script *s)
{
    ph_world world;
    ph_world_def def = s->def;
    def.simd = PH_SIMD_AUTO;
    def.workers = 1;
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    return world;
}

/* An image of the recorded world, if it can be saved: it may owe lists that it had no memory for. */
static void load_again(following *at)
{
    const ph_load_options options = {.given = PH_LOAD_WORKERS | PH_LOAD_REPLAY, .workers = 1};
    image_bytes image = {0};
    char reason[REASON] = "";
    const ph_status saved = ph_save(at->player.world, image_bytes_write, &image);
    if (saved == PH_OK) {
        CHECK_OK(ph_world_destroy(at->world));
        CHECK(ph_load(&options, image_bytes_read, &image, &at->world, reason, sizeof reason) == PH_OK, "%s", reason);
        at->waits = false;
        loads++;
    } else CHECK_STATUS(saved, PH_BUSY);
    free(image.items);
}

/* Replays the records of the last tick, if all of them are whole. */
static void follow_tick(following *at)
{
    uint64_t recorded = 0, replayed = 0;
    for (; at->followed < at->records.records.count; at->followed++) {
        const tape_record *record = &at->records.records.items[at->followed];
        char reason[REASON] = "";
        at->waits |= !record->whole;
        if (at->waits) continue;
        const ph_status status = ph_journal_replay(at->world, record->bytes, record->size, reason, sizeof reason);
        if (!CHECK(status == PH_OK, "seed %" PRIu64 " %s, tick %" PRIu64 ": %s '%s'", at->s->seed, at->s->profile,
                   record->tick, ph_status_name(status), reason))
            return;
    }
    whole_ticks += !at->waits;
    short_ticks += at->waits;
    if (at->waits) load_again(at);
    if (at->waits) return;
    CHECK_OK(ph_world_hash(at->player.world, &recorded));
    CHECK_OK(ph_world_hash(at->world, &replayed));
    CHECK(recorded == replayed, "seed %" PRIu64 " %s, tick %" PRIu64 ": another world", at->s->seed, at->s->profile,
          at->player.ticks);
}

static void test_script(uint64_t seed, uint32_t profile)
{
    script *s = ops_script(seed, profile);
    following at = {.s = s, .rng = seed * 31 + profile};
    ph_stats stats;
    at.world = first_world(s);
    s->def.allocator = fail_alloc_hooks(&at.memory);
    tape_begin(&at.player, s, &at.records);
    for (size_t i = 0; i < s->steps.count && check_failures() == 0; i++) {
        play_step(&at, i);
        if (s->steps.items[i].type == STEP_TICK) follow_tick(&at);
    }
    CHECK_OK(ph_world_stats(at.player.world, &stats));
    refusals += stats.refused[PH_NO_MEMORY];
    tape_end(&at.player);
    CHECK_OK(ph_world_destroy(at.world));
    CHECK(fail_alloc_clean(&at.memory), "seed %" PRIu64 " %s: memory is left", seed, s->profile);
    tape_free(&at.records);
    script_free(s);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(WORLDS));
    for (uint64_t i = 0; i < count && check_failures() == 0; i++)
        test_script(seed + i / ops_profile_count(), (uint32_t)(i % ops_profile_count()));
    (void)printf("%" PRIu64 " ticks were replayed, %" PRIu64 " were not whole (%" PRIu64 " commands refused), %" PRIu64
                 " images\n",
                 whole_ticks, short_ticks, refusals, loads);
    CHECK(check_failures() > 0 || count < 20 || (whole_ticks > 0 && short_ticks > 0 && refusals > 0 && loads > 0),
          "too little happened");
    return check_done("journal_short");
}
