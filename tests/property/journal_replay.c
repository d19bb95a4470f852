/*
 * Journals: the commands of a world that are recorded, replayed on its image with 1, 4 and 16 workers and other shards,
 * give the same world after every tick, and, of single calls, the same records once more. The image is taken at a
 * random tick; consumers of the recorded world fall behind, those of the replayed one never open. Seeds are the
 * generator's, all its profiles by turns; and bigger worlds with calls for many moves.
 *
 * options: --seed S the first seed, --count N worlds
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/image_bytes.h"
#include "support/script_gen.h"
#include "support/tape.h"
#include "world/journal/head.h"

enum { WORLDS = 600, BIG_WORLDS = 6, BIG_ENTITIES = 3000, BIG_TICKS = 12, REASON = 256 };

typedef struct recording {
    tape records;
    image_bytes image;
    size_t first;      /* record behind the image */
    uint64_t saved_at; /* tick of it */
    uint64_t commands;
} recording;

/* Plays a script; the image is of the first tick from `wanted` on at which the world can be saved. */
static void record_script(const script *s, uint64_t wanted, recording *to)
{
    tape_player player;
    tape_begin(&player, s, &to->records);
    bool saved = wanted == 0 && ph_save(player.world, image_bytes_write, &to->image) == PH_OK;
    for (size_t i = 0; i < s->steps.count; i++) {
        tape_play(&player, s, i, &to->records);
        if (saved || s->steps.items[i].type != STEP_TICK || player.ticks < wanted) continue;
        to->image.count = 0;
        saved = ph_save(player.world, image_bytes_write, &to->image) == PH_OK;
        to->saved_at = player.ticks;
        to->first = to->records.records.count;
    }
    REQUIRE(saved || player.ticks < wanted);
    tape_end(&player);
}

static ph_world load_image(recording *from, const ph_world_def *def, uint32_t workers, uint64_t *rng)
{
    enum { SHARDS_MAX = 4 };
    ph_world world = {0};
    char reason[REASON] = "";
    ph_load_options options = {.given = PH_LOAD_SHARDS | PH_LOAD_WORKERS | PH_LOAD_REPLAY, .workers = workers};
    for (uint32_t i = 0; i < 2; i++) {
        const float towers = def->world_size[i] / def->tower_size; /* a shard has one or more */
        options.shards[i] =
            1 + phx_rng_below(rng, towers < SHARDS_MAX ? (uint32_t)towers + (towers < 1.0f) : SHARDS_MAX);
    }
    from->image.at = 0;
    const ph_status status = ph_load(&options, image_bytes_read, &from->image, &world, reason, sizeof reason);
    CHECK(status == PH_OK, "load: %s %s", ph_status_name(status), reason);
    return world;
}

/*
 * Have two records the same tick, flags and counts of entities, commands and events? Their runs and bytes may differ: a
 * run of moves ends with its block of the queue, and blocks of the replay end elsewhere.
 */
static bool heads_agree(const tape_record *record, const tape_record *copy)
{
    phx_record_head a, b;
    memcpy(&a, record->bytes, sizeof a);
    memcpy(&b, copy->bytes, sizeof b);
    b.runs = a.runs, b.bytes = a.bytes;
    return memcmp(&a, &b, sizeof a) == 0;
}

static void replay_all(recording *from, const script *s, uint32_t workers, uint64_t seed)
{
    uint64_t rng = seed;
    tape again = {0};
    const ph_journal journal = tape_journal(&again);
    const char *profile = s->profile;
    const ph_world world = load_image(from, &s->def, workers, &rng);
    CHECK_OK(ph_journal_set(world, &journal));
    for (size_t i = from->first; i < from->records.records.count && check_failures() == 0; i++) {
        const tape_record *record = &from->records.records.items[i];
        char reason[REASON] = "";
        uint64_t hash = 0;
        const ph_status status = ph_journal_replay(world, record->bytes, record->size, reason, sizeof reason);
        if (!CHECK(status == PH_OK && record->done && record->whole,
                   "seed %" PRIu64 " %s, image of tick %" PRIu64 ", tick %" PRIu64 ": %s '%s'", seed, profile,
                   from->saved_at, record->tick, ph_status_name(status), reason))
            break;
        if (record->hash != 0) CHECK_OK(ph_world_hash(world, &hash));
        CHECK(hash == record->hash,
              "seed %" PRIu64 " %s, image of tick %" PRIu64 ", %" PRIu32 " workers, tick %" PRIu64 ": another world",
              seed, profile, from->saved_at, workers, record->tick);
        const tape_record *copy = &again.records.items[again.records.count - 1];
        CHECK(heads_agree(record, copy), "seed %" PRIu64 " %s, tick %" PRIu64 ": the record of the replay differs",
              seed, profile, record->tick);
    }
    tape_free(&again);
    CHECK_OK(ph_world_destroy(world));
}

static uint64_t test_script(script *s, uint64_t seed, uint64_t wanted)
{
    static const uint32_t workers[] = {1, 4, 16};
    recording of = {.first = 0};
    uint64_t bytes = 0;
    record_script(s, wanted, &of);
    for (size_t i = 0; i < sizeof workers / sizeof *workers && of.image.count > 0; i++)
        replay_all(&of, s, workers[i], seed + i);
    for (size_t i = 0; i < of.records.records.count; i++) bytes += of.records.records.items[i].size;
    free(of.image.items);
    tape_free(&of.records);
    return bytes;
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(WORLDS));
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        uint64_t rng = seed + i;
        script *s = ops_script(seed + i / ops_profile_count(), (uint32_t)(i % ops_profile_count()));
        bytes += test_script(s, seed + i, phx_rng_below(&rng, 12));
        script_free(s);
    }
    for (uint64_t i = 0; i < test_amount(BIG_WORLDS) && check_failures() == 0; i++) {
        script *s = ops_script_big(seed + i, BIG_ENTITIES, BIG_TICKS, i % 2 ? PH_RANGE_TOWERS : PH_RANGE_RADIUS,
                                   PH_SHAPE_CIRCLE, i % 3 == 0);
        bytes += test_script(s, seed + i, i % 3);
        script_free(s);
    }
    (void)printf("%" PRIu64 " worlds, %" PRIu64 " bytes of records\n", count, bytes);
    return check_done("journal_replay");
}
