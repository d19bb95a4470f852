/*
 * A journal that is read while it is written: whatever the moment of each look, every tick is given once, in order, and
 * a world that replays it is the recorded one at every tick. A world that goes on from an earlier tick is noticed. And
 * a piece that is cut out of a store is a store.
 *
 * options: --seed S
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "base/rng.h"
#include "store/image_load.h"
#include "store/journal_cut.h"
#include "store/journal_walk.h"
#include "support/check.h"
#include "support/temp_path.h"

enum { ENTITIES = 50, TICKS = 400, PATH_SIZE = TEMP_PATH_SIZE + 64 };

static char name[] = "w";
static uint64_t hashes[TICKS + 1]; /* of the recorded world behind each tick */

static phx_folder folder_at(char *path)
{
    return (phx_folder){path, name};
}

static ph_store_def def_in(const char *folder)
{
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = name;
    def.image_ticks = 40;
    def.images_kept = 100;
    def.sync_ms = 1;
    def.ring_bytes = 1 << 20;
    def.file_bytes = PH_STORE_RING_MIN;
    return def;
}

/* The commands of a tick: they follow from its number. */
static void run_tick(ph_world world, ph_producer producer, uint64_t tick)
{
    uint64_t rng = tick * 6151;
    for (uint32_t i = 0; i < 10; i++) {
        const uint64_t id = 1 + phx_rng_below(&rng, ENTITIES);
        const float x = 200.0f * phx_rng_unit(&rng), y = 200.0f * phx_rng_unit(&rng);
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_VIEW | PH_MARGIN, .x = x, .y = y, .view = 30.0f, .margin = 6.0f};
        if (phx_rng_below(&rng, 3) == 0) CHECK_OK(ph_enter(producer, id, &attrs));
        else CHECK_OK(ph_move(producer, id, x, y, 0.0f));
        if (i == 4 && tick % 3 == 0) CHECK_OK(ph_apply(world));
    }
    CHECK_OK(ph_tick(world, NULL));
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(world, &hash));
    return hash;
}

static ph_world load_first(const phx_folder *folder, uint64_t *tick)
{
    phx_ticks images;
    char reason[PH_STORE_REASON_SIZE];
    ph_world world = {0};
    const ph_load_options options = {.given = PH_LOAD_REPLAY | PH_LOAD_SHARDS, .shards = {2, 1}};
    REQUIRE(phx_folder_list(folder, PHX_STORE_IMAGE, &images) == 0 && images.count > 0);
    *tick = images.at[images.count - 1];
    char *path = phx_folder_file(folder, *tick, PHX_STORE_IMAGE);
    CHECK(path && phx_image_file_load(path, *tick, &options, &world, reason, sizeof reason) == PH_OK, "%s", reason);
    free(path);
    free(images.at);
    return world;
}

/* A world behind a walk. */
typedef struct shadow {
    phx_journal_walk walk;
    ph_world world;
    uint64_t tick, ticks;
} shadow;

/* Replays all that there is; each tick is the next one, and the world that of the history. */
static ph_status catch_up(shadow *at)
{
    ph_status status;
    char reason[PH_STORE_REASON_SIZE];
    while ((status = phx_journal_walk_next(&at->walk)) == PH_OK) {
        CHECK(at->walk.tick == at->tick + 1, "tick %" PRIu64 " behind %" PRIu64, at->walk.tick, at->tick);
        for (size_t i = 0; i < at->walk.record_count; i++)
            CHECK(ph_journal_replay(at->world, at->walk.records[i].bytes, at->walk.records[i].size, reason,
                                    sizeof reason) == PH_OK,
                  "tick %" PRIu64 ": %s", at->walk.tick, reason);
        at->tick = at->walk.tick;
        at->ticks++;
        CHECK(hash_of(at->world) == hashes[at->tick], "tick %" PRIu64 ": another world", at->tick);
    }
    return status;
}

static shadow begin_shadow(const phx_folder *folder)
{
    shadow at = {.tick = 0};
    at.world = load_first(folder, &at.tick);
    phx_journal_walk_begin(&at.walk, folder, at.tick, UINT64_MAX);
    return at;
}

static void end_shadow(shadow *at)
{
    phx_journal_walk_free(&at->walk);
    CHECK_OK(ph_world_destroy(at->world));
}

static void remove_files(char *path)
{
    char lock[PATH_SIZE];
    const phx_folder folder = folder_at(path);
    static const char *const endings[] = {PHX_STORE_IMAGE, PHX_STORE_PART, PHX_STORE_JOURNAL, "phj.old", "phs.old"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        phx_folder_prune(&folder, &phx_disk_posix, endings[i], 0);
    (void)snprintf(lock, sizeof lock, "%s/w.lock", path);
    (void)remove(lock);
    CHECK(rmdir(path) == 0, "%s", path);
}

/* ---- a writer at work ---- */

/* Records ticks of a world into the folder; looks at the journal now and then. Leaves the files there. */
static void test_writer(char *path, uint64_t *rng)
{
    const ph_store_def def = def_in(path);
    const phx_folder folder = folder_at(path);
    const ph_world_def world_def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    ph_store *store;
    REQUIRE(ph_world_create(&world_def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_store_open(&def, world, &store, NULL, 0) == PH_OK);
    for (ph_store_stats stats = {.images = 0}; stats.images == 0; (void)usleep(100))
        CHECK_OK(ph_store_stats_get(store, &stats));
    shadow at = begin_shadow(&folder);
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        run_tick(world, producer, tick);
        hashes[tick] = hash_of(world);
        CHECK_OK(ph_store_tick(store));
        if (phx_rng_below(rng, 4) == 0) (void)usleep(500);
        if (phx_rng_below(rng, 3) > 0) CHECK_STATUS(catch_up(&at), PH_EMPTY);
    }
    CHECK_OK(ph_store_close(store));
    CHECK_STATUS(catch_up(&at), PH_EMPTY);
    CHECK(at.tick == TICKS && at.ticks == TICKS && at.walk.reason[0] == '\0', "tick %" PRIu64 ": %s", at.tick,
          at.walk.reason);
    end_shadow(&at);
    CHECK_OK(ph_world_destroy(world));
}

/* ---- files that grow by bytes ---- */

typedef struct growing {
    FILE *from, *to;
} growing;

static growing begin_growing(const phx_folder *whole, const phx_folder *copy, uint64_t tick)
{
    char *from = phx_folder_file(whole, tick, PHX_STORE_JOURNAL), *to = phx_folder_file(copy, tick, PHX_STORE_JOURNAL);
    growing at = {from ? fopen(from, "rbe") : NULL, to ? fopen(to, "wbe") : NULL};
    REQUIRE(at.from && at.to);
    free(from);
    free(to);
    return at;
}

/* Copies some bytes. false: the file is whole. */
static bool grow(growing *at, size_t bytes)
{
    char piece[4096];
    const size_t count = fread(piece, 1, bytes, at->from);
    REQUIRE(fwrite(piece, 1, count, at->to) == count && fflush(at->to) == 0);
    return count == bytes;
}

/* The image of the first tick and the journal, which comes a few bytes at a time. */
static void test_growing(char *path, uint64_t *rng)
{
    char other[TEMP_PATH_SIZE], reason[PH_STORE_REASON_SIZE];
    phx_ticks files;
    phx_journal_cut cut;
    temp_folder(other, "pharos_follow");
    const phx_folder whole = folder_at(path), copy = folder_at(other);
    CHECK_OK(phx_journal_cut_copy(&whole, &copy, &phx_disk_posix, 0, 0, &cut, reason, sizeof reason));
    REQUIRE(phx_folder_list(&whole, PHX_STORE_JOURNAL, &files) == 0 && files.count > 3);
    shadow at = begin_shadow(&copy);
    CHECK_STATUS(catch_up(&at), PH_EMPTY);
    for (size_t i = files.count; i-- > 0;) {
        growing file = begin_growing(&whole, &copy, files.at[i]);
        for (bool more = true; more && check_failures() == 0;) {
            more = grow(&file, 1 + phx_rng_below(rng, 1500));
            if (phx_rng_below(rng, 2) == 0) CHECK_STATUS(catch_up(&at), PH_EMPTY);
        }
        (void)fclose(file.from);
        (void)fclose(file.to);
    }
    CHECK_STATUS(catch_up(&at), PH_EMPTY);
    CHECK(at.tick == TICKS && at.ticks == TICKS && at.walk.reason[0] == '\0', "tick %" PRIu64 ": %s", at.tick,
          at.walk.reason);
    end_shadow(&at);
    free(files.at);
    remove_files(other);
}

/* ---- an earlier tick ---- */

/* The recorded world ends, and goes on from its first image: the shadow is further than that. */
static void test_began_again(char *path)
{
    const phx_folder folder = folder_at(path);
    const ph_store_def def = def_in(path);
    shadow at = begin_shadow(&folder);
    uint64_t tick;
    ph_store *store;
    ph_producer producer;
    CHECK_STATUS(catch_up(&at), PH_EMPTY);
    const ph_world world = load_first(&folder, &tick);
    REQUIRE(tick < at.tick && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_store_open(&def, world, &store, NULL, 0) == PH_OK);
    run_tick(world, producer, tick + 1);
    CHECK_OK(ph_store_close(store));
    CHECK_OK(ph_world_destroy(world));
    CHECK_STATUS(catch_up(&at), PH_BAD_RECORD);
    CHECK(strstr(at.walk.reason, "began again"), "'%s'", at.walk.reason);
    end_shadow(&at);
}

/* ---- cut ---- */

static uint64_t newest_image(const phx_folder *folder, uint64_t most)
{
    phx_ticks images;
    uint64_t tick = UINT64_MAX;
    REQUIRE(phx_folder_list(folder, PHX_STORE_IMAGE, &images) == 0);
    for (size_t i = images.count; i-- > 0 && images.at[i] <= most;) tick = images.at[i];
    free(images.at);
    return tick;
}

static void expect_cut(const phx_folder *whole, uint64_t from, uint64_t to)
{
    char other[TEMP_PATH_SIZE], reason[PH_STORE_REASON_SIZE] = "";
    phx_journal_cut cut, again;
    uint64_t tick = 0;
    ph_world world;
    temp_folder(other, "pharos_cut");
    const phx_folder piece = folder_at(other);
    const ph_store_def def = def_in(other);
    CHECK_OK(phx_journal_cut_copy(whole, &piece, &phx_disk_posix, from, to, &cut, reason, sizeof reason));
    CHECK(cut.image_tick == newest_image(whole, from), "tick %" PRIu64, cut.image_tick);
    const uint64_t last = to < TICKS ? to : TICKS;
    CHECK(cut.last_tick == (last > cut.image_tick ? last : cut.image_tick), "last tick %" PRIu64, cut.last_tick);
    CHECK_STATUS(phx_journal_cut_copy(whole, &piece, &phx_disk_posix, from, to, &again, reason, sizeof reason),
                 PH_TAKEN);
    CHECK(strncmp(reason, other, strlen(other)) == 0 && strstr(reason, "there already"), "'%s'", reason);
    CHECK(ph_store_recover(&def, NULL, &world, &tick, reason, sizeof reason) == PH_OK && reason[0] == '\0', "%s",
          reason);
    CHECK(tick == cut.last_tick && hash_of(world) == hashes[tick], "tick %" PRIu64, tick);
    CHECK_OK(ph_world_destroy(world));
    remove_files(other);
}

static void test_cut(char *path, uint64_t *rng)
{
    char nowhere[] = "/nowhere/at/all", reason[PH_STORE_REASON_SIZE];
    phx_journal_cut cut;
    const phx_folder whole = folder_at(path), none = folder_at(nowhere);
    for (uint32_t i = 0; i < 10; i++) {
        const uint64_t from = 1 + phx_rng_below(rng, TICKS);
        expect_cut(&whole, from, from + phx_rng_below(rng, 60));
    }
    expect_cut(&whole, TICKS, UINT64_MAX);
    CHECK_STATUS(phx_journal_cut_copy(&none, &whole, &phx_disk_posix, 1, 1, &cut, reason, sizeof reason), PH_IO);
    CHECK_STATUS(phx_journal_cut_copy(&whole, &none, &phx_disk_posix, 1, 1, &cut, reason, sizeof reason), PH_IO);
    CHECK(strncmp(reason, nowhere, strlen(nowhere)) == 0, "'%s'", reason);
}

int main(int argc, char **argv)
{
    uint64_t rng = option_number(argc, argv, "--seed", 1);
    char path[TEMP_PATH_SIZE];
    temp_folder(path, "pharos_follow");
    test_writer(path, &rng);
    test_growing(path, &rng);
    test_cut(path, &rng);
    test_began_again(path);
    remove_files(path);
    return check_done("store_follow");
}
