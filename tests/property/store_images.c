/*
 * Images in files: what was saved is recovered; old files go; damaged ones are passed over with a reason; whatever call
 * of the disk fails, the world goes on, and the image before it is there; a disk that stalls holds no tick up.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "store/folder.h"
#include "store/store.h"
#include "support/check.h"
#include "support/damaged_file.h"
#include "support/exposition.h"
#include "support/fail_alloc.h"
#include "support/fault_disk.h"
#include "support/script_gen.h"
#include "support/subject.h"
#include "support/temp_path.h"

enum { EVERY = 5, KEPT = 2 };

/* A world with some entities, which goes on: each tick moves one of them. */
typedef struct subject_world {
    ph_world world;
    ph_producer producer;
    uint64_t tick;
} subject_world;

static subject_world make_world(fail_alloc *memory)
{
    enum { ENTITIES = 40 };
    subject_world at = {.tick = 0};
    ph_world_def def = ph_world_def_default();
    def.consumers = 0; /* one that takes nothing has memory of its own */
    if (memory) def.allocator = fail_alloc_hooks(memory);
    REQUIRE(ph_world_create(&def, &at.world) == PH_OK && ph_producer_open(at.world, &at.producer) == PH_OK);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const ph_attrs attrs = {.given = PH_POSITION | PH_VIEW | PH_MARGIN,
                                .x = 7.0f * (float)id,
                                .y = 3.0f * (float)(id % 8),
                                .view = 30.0f,
                                .margin = 5.0f};
        CHECK_OK(ph_enter(at.producer, id, &attrs));
    }
    CHECK_OK(ph_tick(at.world, &at.tick));
    return at;
}

static void go_on(subject_world *at)
{
    CHECK_OK(ph_move(at->producer, 1 + at->tick % 40, (float)(at->tick * 13 % 300), 20.0f, 0.0f));
    CHECK_OK(ph_tick(at->world, &at->tick));
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(world, &hash));
    return hash;
}

static ph_store_def def_in(const char *folder)
{
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = "world-1";
    def.image_ticks = EVERY;
    def.images_kept = KEPT;
    return def;
}

static ph_store *open_on(const phx_disk *disk, const ph_store_def *def, ph_world world)
{
    ph_store *store = NULL;
    char reason[PH_STORE_REASON_SIZE] = "";
    CHECK(phx_store_open_on(disk, def, world, &store, reason, sizeof reason) == PH_OK, "%s", reason);
    REQUIRE(store);
    return store;
}

static ph_store_stats stats_of(const ph_store *store)
{
    ph_store_stats stats = {0};
    CHECK_OK(ph_store_stats_get(store, &stats));
    return stats;
}

/* Until no image is on its way: no statement about time. */
static void await_writer(const ph_store *store)
{
    while (stats_of(store).writing) (void)usleep(100);
}

static void remove_files(const char *folder)
{
    const phx_folder at = {(char *)(uintptr_t)folder, (char *)(uintptr_t) "world-1"};
    char path[TEMP_PATH_SIZE + 32];
    phx_folder_prune(&at, &phx_disk_posix, PHX_STORE_IMAGE, 0);
    phx_folder_prune(&at, &phx_disk_posix, PHX_STORE_PART, 0);
    (void)snprintf(path, sizeof path, "%s/world-1.lock", folder);
    (void)remove(path);
    CHECK(rmdir(folder) == 0, "%s: %s", folder, strerror(errno));
}

static size_t count_files(const char *folder, const char *ending)
{
    const phx_folder at = {(char *)(uintptr_t)folder, (char *)(uintptr_t) "world-1"};
    phx_ticks ticks;
    CHECK(phx_folder_list(&at, ending, &ticks) == 0, "%s", folder);
    free(ticks.at);
    return ticks.count;
}

/* Recovers, and compares the world with the hash. */
static void expect_recovered(const ph_store_def *def, uint64_t tick, uint64_t hash)
{
    const ph_load_options options = {.given = PH_LOAD_SHARDS | PH_LOAD_WORKERS, .shards = {3, 2}, .workers = 2};
    char reason[PH_STORE_REASON_SIZE] = "";
    uint64_t found = 0;
    ph_world world;
    const ph_status status = ph_store_recover(def, &options, &world, &found, reason, sizeof reason);
    if (!CHECK(status == PH_OK, "%s: %s", ph_status_name(status), reason)) return;
    CHECK(found == tick, "tick %" PRIu64 ", expected %" PRIu64, found, tick);
    CHECK(hash_of(world) == hash, "tick %" PRIu64 ": another world", found);
    CHECK_OK(ph_world_destroy(world));
}

/* ---- what is kept ---- */

static void test_kept(void)
{
    enum { TICKS = 23 };
    char folder[TEMP_PATH_SIZE], part[TEMP_PATH_SIZE + 64];
    uint64_t hash = 0, images = 0;
    temp_folder(folder, "pharos_store");
    const ph_store_def def = def_in(folder);
    (void)snprintf(part, sizeof part, "%s/world-1.%020d.part", folder, 3);
    FILE *stale = fopen(part, "w");
    REQUIRE(stale && fclose(stale) == 0);
    subject_world at = make_world(NULL);
    ph_world none;
    CHECK_STATUS(ph_store_recover(&def, NULL, &none, NULL, NULL, 0), PH_EMPTY);
    ph_store *store = open_on(&phx_disk_posix, &def, at.world), *second;
    CHECK(count_files(folder, "part") == 0, "a part of a crash is left");
    CHECK_STATUS(ph_store_open(&def, at.world, &second, NULL, 0), PH_TAKEN);
    for (uint32_t i = 0; i < TICKS; i++) {
        const uint64_t tick = at.tick;
        CHECK_OK(ph_store_tick(store));
        if (i % EVERY == 0) hash = hash_of(at.world), images++;
        await_writer(store);
        const ph_store_stats stats = stats_of(store);
        CHECK(stats.images == images && stats.durable_tick == tick - (tick - 1) % EVERY && stats.failed == 0 &&
                  stats.late == 0 && stats.short_of == 0 && stats.error == 0 && stats.image_bytes > 0 &&
                  stats.plain_bytes > stats.image_bytes,
              "tick %" PRIu64 ": %" PRIu64 " images, the last of tick %" PRIu64, tick, stats.images,
              stats.durable_tick);
        const size_t kept = images < KEPT ? images : KEPT;
        CHECK(count_files(folder, PHX_STORE_IMAGE) == kept, "%zu files", count_files(folder, PHX_STORE_IMAGE));
        go_on(&at);
    }
    CHECK_OK(ph_store_save(store));
    const uint64_t saved = at.tick;
    hash = hash_of(at.world);
    CHECK_OK(ph_store_close(store));
    expect_recovered(&def, saved, hash);
    CHECK_OK(ph_world_destroy(at.world));
    remove_files(folder);
}

/* ---- faults of the disk ---- */

/* The nth call of the disk fails while the second image is written. Returns whether there was such a call. */
static bool fail_call(uint64_t nth, int error, bool sticky)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_store");
    ph_store_def def = def_in(folder);
    def.images_kept = 1;
    subject_world at = make_world(NULL);
    fault_disk_order(0, 0, false);
    ph_store *store = open_on(&fault_disk, &def, at.world);
    CHECK_OK(ph_store_tick(store));
    await_writer(store);
    const uint64_t first = at.tick, first_hash = hash_of(at.world);
    fault_disk_order(nth, error, sticky);
    for (uint32_t i = 0; i < EVERY; i++) {
        go_on(&at);
        CHECK_OK(ph_store_tick(store));
    }
    const uint64_t second = at.tick, second_hash = hash_of(at.world);
    await_writer(store);
    const ph_store_stats stats = stats_of(store);
    const bool called = fault_disk_calls() >= nth, lost = stats.failed == 1;
    CHECK(stats.failed <= 1 && stats.images == 2 - stats.failed && (stats.error == error) == lost,
          "call %" PRIu64 ": %" PRIu64 " lost, errno %d", nth, stats.failed, stats.error);
    CHECK(stats.durable_tick == (lost ? first : second), "call %" PRIu64, nth);
    /* a lost image may stand under its name already: only the folder was not synced */
    const bool named = !lost || count_files(folder, PHX_STORE_IMAGE) == 2;
    expect_recovered(&def, named ? second : first, named ? second_hash : first_hash);
    fault_disk_order(0, 0, false);
    for (uint32_t i = 0; i < EVERY; i++) {
        go_on(&at);
        CHECK_OK(ph_store_tick(store));
    }
    const uint64_t third = at.tick, third_hash = hash_of(at.world);
    CHECK_OK(ph_store_close(store));
    expect_recovered(&def, third, third_hash);
    CHECK(count_files(folder, PHX_STORE_IMAGE) == 1, "call %" PRIu64 ": old files are left", nth);
    CHECK_OK(ph_world_destroy(at.world));
    remove_files(folder);
    return called;
}

static void test_faults(void)
{
    static const int errors[] = {ENOSPC, EIO, EDQUOT, EROFS};
    uint64_t calls = 0;
    for (bool more = true; more && check_failures() == 0;) {
        calls++;
        more = fail_call(calls, errors[calls % 4], false);
        if (more) (void)fail_call(calls, errors[calls % 4], true);
    }
    CHECK(calls > 7, "%" PRIu64 " calls", calls); /* create, write, sync, close, rename, sync of the folder, remove */
    (void)printf("%" PRIu64 " calls of the disk failed in turn\n", calls - 1);
}

static void test_short_writes(void)
{
    char folder[TEMP_PATH_SIZE];
    for (size_t bytes = 1; bytes < 100; bytes += 49) {
        temp_folder(folder, "pharos_store");
        const ph_store_def def = def_in(folder);
        subject_world at = make_world(NULL);
        fault_disk_order(0, 0, false);
        fault_disk_short(bytes);
        ph_store *store = open_on(&fault_disk, &def, at.world);
        CHECK_OK(ph_store_save(store));
        CHECK_OK(ph_store_close(store));
        fault_disk_short(0);
        expect_recovered(&def, at.tick, hash_of(at.world));
        CHECK_OK(ph_world_destroy(at.world));
        remove_files(folder);
    }
}

/*
 * A crowd with lists that a cap cut: 4,200 lists of nearly the same targets, 67 MB that compress 1,000 times. What is
 * written is read: the reader's bound on the bytes that come of a file holds for no file of the writer.
 */
static void test_alike(void)
{
    enum { CROWD = 4200, CUT = 10, TICKS = 5 /* by events_max */, PLAIN_BYTES = 64 << 20, PER_BYTE = 64 };
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_store");
    const ph_store_def def = def_in(folder);
    subject_world at = {.tick = 0};
    ph_world_def world = ph_world_def_default();
    world.consumers = 0;
    REQUIRE(ph_world_create(&world, &at.world) == PH_OK && ph_producer_open(at.world, &at.producer) == PH_OK);
    const ph_attrs attrs = {.given = PH_POSITION | PH_VIEW | PH_MARGIN | PH_CAP,
                            .x = 50.0f,
                            .y = 50.0f,
                            .view = 30.0f,
                            .margin = 5.0f,
                            .cap = CROWD - CUT};
    for (uint64_t id = 1; id <= CROWD; id++) CHECK_OK(ph_enter(at.producer, id, &attrs));
    for (uint32_t i = 0; i < TICKS; i++) CHECK_OK(ph_tick(at.world, &at.tick));
    ph_store *store = open_on(&phx_disk_posix, &def, at.world);
    CHECK_OK(ph_store_save(store));
    await_writer(store);
    const ph_store_stats stats = stats_of(store);
    CHECK(stats.plain_bytes > PLAIN_BYTES && stats.plain_bytes / stats.image_bytes <= PER_BYTE,
          "%" PRIu64 " bytes of %" PRIu64, stats.image_bytes, stats.plain_bytes);
    CHECK_OK(ph_store_close(store));
    expect_recovered(&def, at.tick, hash_of(at.world));
    CHECK_OK(ph_world_destroy(at.world));
    remove_files(folder);
}

/* A disk that stalls: ticks go on, one image is on its way, one more is late; memory stays bounded. */
static void test_stall(void)
{
    enum { TICKS = 200, GROWTH = 16 }; /* of arrays of the world; an image has more */
    char folder[TEMP_PATH_SIZE];
    fail_alloc memory = {0};
    temp_folder(folder, "pharos_store");
    const ph_store_def def = def_in(folder);
    subject_world at = make_world(&memory);
    fault_disk_order(0, 0, false);
    ph_store *store = open_on(&fault_disk, &def, at.world);
    fault_disk_stall();
    CHECK_OK(ph_store_tick(store));
    fault_disk_await_stall();
    go_on(&at); /* beyond the first growth of arrays */
    const uint64_t blocks = memory.blocks;
    for (uint32_t i = 0; i < TICKS; i++) {
        go_on(&at);
        CHECK_OK(ph_store_tick(store));
        CHECK(memory.blocks <= blocks + GROWTH, "tick %u: %" PRIu64 " blocks more", i, memory.blocks - blocks);
    }
    CHECK_STATUS(ph_store_save(store), PH_BUSY);
    ph_store_stats stats = stats_of(store);
    CHECK(stats.writing && stats.images == 0 && stats.late == 1 && stats.durable_tick == 0,
          "%" PRIu64 " images, %" PRIu64 " late", stats.images, stats.late);
    fault_disk_go();
    await_writer(store);
    CHECK_OK(ph_store_tick(store));
    const uint64_t tick = at.tick, hash = hash_of(at.world);
    CHECK_OK(ph_store_close(store));
    expect_recovered(&def, tick, hash);
    CHECK_OK(ph_world_destroy(at.world));
    CHECK(fail_alloc_clean(&memory), "memory is left");
    remove_files(folder);
}

/* ---- damage ---- */

static uint8_t *read_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file && fseek(file, 0, SEEK_END) == 0);
    *count = (size_t)ftell(file);
    uint8_t *bytes = check_zalloc(*count + 1);
    rewind(file);
    REQUIRE(fread(bytes, 1, *count, file) == *count && fclose(file) == 0);
    return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* The only image is damaged: refused, with a reason that names the file. */
static void expect_refusal(const ph_store_def *def, const char *path, const char *what, size_t at)
{
    fail_alloc memory = {0};
    const ph_load_options options = {.allocator = fail_alloc_hooks(&memory)};
    char reason[PH_STORE_REASON_SIZE] = "";
    ph_world world;
    const ph_status status = ph_store_recover(def, &options, &world, NULL, reason, sizeof reason);
    CHECK(status == PH_BAD_IMAGE && world.index1 == 0 && strncmp(reason, path, strlen(path)) == 0 &&
              strlen(reason) > strlen(path) + 8,
          "%s %zu: %s '%s'", what, at, ph_status_name(status), reason);
    CHECK(fail_alloc_clean(&memory) && memory.peak < 4u << 20, "%s %zu: memory", what, at);
}

static void test_damage(void)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_store");
    const ph_store_def def = def_in(folder);
    subject_world at = make_world(NULL);
    ph_store *store = open_on(&phx_disk_posix, &def, at.world);
    CHECK_OK(ph_store_save(store));
    CHECK_OK(ph_store_close(store));
    const phx_folder place = {(char *)(uintptr_t)folder, (char *)(uintptr_t) "world-1"};
    char *path = phx_folder_file(&place, at.tick, PHX_STORE_IMAGE);
    size_t count;
    uint8_t *bytes = read_file(path, &count);
    write_file(path, bytes, count + 1);
    expect_refusal(&def, path, "one byte more than", count);
    write_file(path, bytes, count);
    for (size_t bit = 0; bit < count * 8 && check_failures() == 0; bit++) {
        damage_flip(path, bit);
        expect_refusal(&def, path, "flipped bit", bit);
        damage_flip(path, bit);
    }
    for (size_t cut = count; cut-- > 0 && check_failures() == 0;) {
        damage_cut(path, cut);
        expect_refusal(&def, path, "cut at byte", cut);
    }
    /* an older image takes the place of a damaged one, and the reason says so */
    write_file(path, bytes, count);
    char *newer = phx_folder_file(&place, at.tick + 1, PHX_STORE_IMAGE);
    write_file(newer, bytes, count / 2);
    char reason[PH_STORE_REASON_SIZE] = "";
    uint64_t tick = 0;
    ph_world world;
    CHECK_OK(ph_store_recover(&def, NULL, &world, &tick, reason, sizeof reason));
    CHECK(tick == at.tick && strncmp(reason, newer, strlen(newer)) == 0, "%s", reason);
    CHECK_OK(ph_world_destroy(world));
    (void)printf("a file of %zu bytes: each cut, each bit\n", count);
    free(bytes);
    free(path);
    free(newer);
    CHECK_OK(ph_world_destroy(at.world));
    remove_files(folder);
}

/* ---- arguments, memory ---- */

static void expect_bad_def(const ph_store_def *def, ph_world world, const char *word)
{
    ph_store *store;
    char reason[PH_STORE_REASON_SIZE] = "";
    CHECK_STATUS(ph_store_open(def, world, &store, reason, sizeof reason), PH_BAD_DEF);
    CHECK(store == NULL && strncmp(reason, word, strlen(word)) == 0, "'%s', expected %s", reason, word);
}

static void test_arguments(void)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_store");
    const ph_store_def good = def_in(folder);
    ph_store_def def = good;
    subject_world at = make_world(NULL);
    ph_store *store;
    ph_store_stats stats;
    char reason[PH_STORE_REASON_SIZE], name[PH_STORE_NAME_MAX + 2];
    expect_bad_def(&(ph_store_def){.name = "a"}, at.world, "folder");
    expect_bad_def(&(ph_store_def){.folder = folder}, at.world, "name");
    def.name = "a/b";
    expect_bad_def(&def, at.world, "name");
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    def.name = name;
    expect_bad_def(&def, at.world, "name");
    def = good, def.images_kept = 0;
    expect_bad_def(&def, at.world, "images_kept = 0");
    def = good, def.level = PH_STORE_LEVEL_MAX + 1;
    expect_bad_def(&def, at.world, "level = 20");
    def = good, def.reserved[7] = 1;
    expect_bad_def(&def, at.world, "reserved");
    def = good, def.folder = "/nowhere/at/all";
    CHECK_STATUS(ph_store_open(&def, at.world, &store, reason, sizeof reason), PH_IO);
    CHECK(strncmp(reason, "/nowhere/at/all: ", 17) == 0, "'%s'", reason);
    ph_world none;
    CHECK_STATUS(ph_store_recover(&def, NULL, &none, NULL, reason, sizeof reason), PH_IO);
    CHECK_STATUS(ph_store_recover(NULL, NULL, &none, NULL, NULL, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_recover(&good, NULL, NULL, NULL, NULL, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_open(&good, (ph_world){0}, &store, NULL, 0), PH_BAD_HANDLE);
    CHECK_STATUS(ph_store_open(NULL, at.world, &store, NULL, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_open(&good, at.world, NULL, NULL, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_tick(NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_save(NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_close(NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_stats_get(NULL, &stats), PH_BAD_ARGUMENT);
    store = open_on(&phx_disk_posix, &good, at.world);
    CHECK_STATUS(ph_store_stats_get(store, NULL), PH_BAD_ARGUMENT);
    CHECK_OK(ph_apply(at.world)); /* no image behind an apply: it stays due */
    CHECK_OK(ph_store_tick(store));
    CHECK_STATUS(ph_store_save(store), PH_BUSY);
    CHECK(!stats_of(store).writing, "an image of a world half way");
    CHECK_OK(ph_tick(at.world, NULL));
    CHECK_OK(ph_store_tick(store));
    await_writer(store);
    CHECK(stats_of(store).images == 1, "the image that was due");
    CHECK_OK(ph_world_destroy(at.world));
    CHECK_STATUS(ph_store_tick(store), PH_BAD_HANDLE);
    CHECK_OK(ph_store_close(store));
    remove_files(folder);
}

/* Every number of the statistics is a metric; a text that is too long is cut, and its length told. */
static void test_metrics(void)
{
    char folder[TEMP_PATH_SIZE], text[4096], part[100];
    size_t length, whole;
    temp_folder(folder, "pharos_store");
    const ph_store_def def = def_in(folder);
    subject_world at = make_world(NULL);
    ph_store *store = open_on(&phx_disk_posix, &def, at.world);
    CHECK_OK(ph_store_save(store));
    await_writer(store);
    CHECK_OK(ph_store_prometheus(store, NULL, 0, &whole));
    CHECK_OK(ph_store_prometheus(store, part, sizeof part, &length));
    CHECK_OK(ph_store_prometheus(store, text, sizeof text, &length));
    CHECK(length == whole && strlen(text) == whole && whole < sizeof text, "%zu of %zu bytes", length, whole);
    CHECK(strlen(part) == sizeof part - 1 && strncmp(part, text, sizeof part - 1) == 0, "'%s'", part);
    static exposition parsed;
    const ph_store_stats stats = stats_of(store);
    exposition_parse(&parsed, text);
    CHECK(parsed.metric_count == 15 && parsed.sample_count == 15, "%u metrics", parsed.metric_count);
    CHECK(exposition_value(&parsed, "pharos_store_durable_tick{store=\"world-1\"}") == (double)at.tick, "its tick");
    CHECK(exposition_value(&parsed, "pharos_store_images_total{store=\"world-1\"}") == 1, "its images");
    CHECK(exposition_value(&parsed, "pharos_store_image_bytes{store=\"world-1\"}") == (double)stats.image_bytes,
          "bytes");
    CHECK(exposition_value(&parsed, "pharos_store_capture_seconds{store=\"world-1\"}") > 0, "time");
    CHECK(exposition_value(&parsed, "pharos_store_writing{store=\"world-1\"}") == 0, "a flag");
    CHECK_STATUS(ph_store_prometheus(store, NULL, 1, &length), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_prometheus(store, text, sizeof text, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_store_prometheus(NULL, text, sizeof text, &length), PH_BAD_ARGUMENT);
    CHECK_OK(ph_store_close(store));
    CHECK_OK(ph_world_destroy(at.world));
    remove_files(folder);
}

/* Captures without memory are counted, and tried again. */
static void test_short_of_memory(void)
{
    char folder[TEMP_PATH_SIZE];
    fail_alloc memory = {0};
    temp_folder(folder, "pharos_store");
    const ph_store_def def = def_in(folder);
    subject_world at = make_world(&memory);
    ph_store *store = open_on(&phx_disk_posix, &def, at.world);
    fail_alloc_order(&memory, 1, true);
    CHECK_OK(ph_store_tick(store));
    CHECK_STATUS(ph_store_save(store), PH_NO_MEMORY);
    fail_alloc_order(&memory, 0, false);
    CHECK(stats_of(store).short_of == 2 && !stats_of(store).writing, "%" PRIu64, stats_of(store).short_of);
    CHECK_OK(ph_store_tick(store));
    CHECK_OK(ph_store_close(store));
    expect_recovered(&def, at.tick, hash_of(at.world));
    CHECK_OK(ph_world_destroy(at.world));
    CHECK(fail_alloc_clean(&memory), "memory is left");
    remove_files(folder);
}

int main(void)
{
    test_kept();
    test_faults();
    test_short_writes();
    test_stall();
    if (!test_threads_alone()) { /* the writer's thread has no part in these, or no other one than above */
        test_alike();
        test_damage();
        test_arguments();
        test_metrics();
        test_short_of_memory();
    }
    return check_done("store_images");
}
