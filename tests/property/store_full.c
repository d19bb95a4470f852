/*
 * A store on a real file system that gets full (ENOSPC): a small tmpfs, mounted in a namespace of this process alone,
 * so that it goes with it. Ticks go on; losses are counted and told; no part and no journal without a tick is left;
 * what was told to be safe is recovered, also from the full disk; behind it, images and journal go on. Where nothing
 * can be mounted (no root), the test is skipped, and says so.
 *
 * options: --seed S, --count N disks
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* unshare() */
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/rng.h"
#include "store/folder.h"
#include "support/check.h"
#include "support/journal_history.h"
#include "support/temp_path.h"

enum { EVERY = 25, DISKS = 40, DISK_PAGES = 96, PAGE = 4096 };

/* ---- disk ---- */

static bool mount_disk(const char *folder)
{
    char options[32];
    (void)snprintf(options, sizeof options, "size=%d", DISK_PAGES * PAGE);
    return mount("pharos", folder, "tmpfs", 0, options) == 0;
}

/* A namespace of its own, in which a disk can be mounted. false: not here. */
static bool may_mount(void)
{
    char folder[TEMP_PATH_SIZE];
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
    temp_folder(folder, "pharos_full");
    const bool mounted = mount_disk(folder);
    const int why = errno;
    if (mounted) REQUIRE(umount(folder) == 0);
    temp_remove(folder);
    errno = why; /* the caller says it */
    return mounted;
}

static void ballast_path(char path[TEMP_PATH_SIZE + 16], const char *folder)
{
    (void)snprintf(path, TEMP_PATH_SIZE + 16, "%s/ballast", folder);
}

/* Fills the disk up to so many pages. */
static void fill_disk(const char *folder, uint64_t free_pages)
{
    static const char page[PAGE];
    char path[TEMP_PATH_SIZE + 16];
    ballast_path(path, folder);
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    REQUIRE(file >= 0);
    uint64_t pages = 0;
    while (write(file, page, PAGE) == PAGE) pages++;
    REQUIRE(errno == ENOSPC && pages > free_pages);
    REQUIRE(ftruncate(file, (off_t)((pages - free_pages) * PAGE)) == 0 && close(file) == 0);
}

static void free_disk(const char *folder)
{
    char path[TEMP_PATH_SIZE + 16];
    ballast_path(path, folder);
    REQUIRE(unlink(path) == 0);
}

/* ---- store ---- */

/* Lines of the log; by the store's threads, relaxed: they are counted. */
static _Atomic uint64_t image_lines, journal_lines;

static void count_line(void *user, ph_log_level level, const char *line)
{
    (void)user;
    (void)level;
    CHECK(strstr(line, strerror(ENOSPC)) != NULL, "'%s'", line);
    atomic_fetch_add_explicit(strstr(line, "the image of tick") ? &image_lines : &journal_lines, 1,
                              memory_order_relaxed);
}

typedef struct running {
    ph_world world;
    ph_producer producer;
    ph_store *store;
    ph_store_def def;
    const uint64_t *hashes;
    uint64_t tick;
} running;

static ph_store_def def_in(const char *folder, uint32_t image_ticks)
{
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = "w";
    def.image_ticks = image_ticks;
    def.images_kept = 2;
    def.sync_ms = 1;
    def.ring_bytes = 1 << 20;
    def.file_bytes = 16 << 10;
    def.log = count_line;
    image_lines = journal_lines = 0;
    return def;
}

static void open_store(running *at)
{
    char reason[PH_STORE_REASON_SIZE] = "";
    at->world = history_world(NULL);
    at->tick = 0;
    CHECK(ph_store_open(&at->def, at->world, &at->store, reason, sizeof reason) == PH_OK, "%s", reason);
    REQUIRE(at->store && ph_producer_open(at->world, &at->producer) == PH_OK);
}

static void run_ticks(running *at, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        history_tick(at->world, at->producer, ++at->tick);
        CHECK_OK(ph_store_tick(at->store));
        if (i % 5 == 0) (void)usleep(200); /* the disk's turn */
    }
}

/* Until no image is on its way, and the last tick is safe or a gap is counted. No statement about time. */
static void await_disk(const running *at)
{
    for (;;) {
        CHECK_OK(ph_store_tick(at->store)); /* counts losses of the disk */
        const ph_store_stats stats = history_stats(at->store);
        if (!stats.writing && (stats.gaps > 0 || history_durable(at->store) >= at->tick)) return;
        (void)usleep(1000);
    }
}

static size_t count_files(const char *folder, const char *ending)
{
    const phx_folder at = {(char *)(uintptr_t)folder, (char *)(uintptr_t) "w"};
    phx_ticks ticks;
    CHECK(phx_folder_list(&at, ending, &ticks) == 0, "%s", folder);
    free(ticks.at);
    return ticks.count;
}

/* The store of a full disk: what it says, and what is recovered, while it is full. */
static void check_full(const running *at, uint64_t safe)
{
    const ph_store_stats stats = history_stats(at->store);
    CHECK(stats.failed == image_lines, "%" PRIu64 " images lost, %" PRIu64 " lines", stats.failed,
          (uint64_t)image_lines);
    CHECK(stats.error == 0 || stats.error == ENOSPC, "errno %d", stats.error);
    CHECK(stats.failed > 0 || stats.gaps > 0 || history_durable(at->store) == at->tick, "tick %" PRIu64 ": no loss",
          at->tick);
    CHECK(journal_lines == 0 || stats.gaps > 0 || stats.recording, "the journal's loss is not counted");
    CHECK(count_files(at->def.folder, PHX_STORE_PART) == 0, "a part is left");
    /* of before, of what had room since, and the open one */
    const size_t journals = count_files(at->def.folder, PHX_STORE_JOURNAL);
    CHECK(journals <= DISK_PAGES / 4, "%zu journal files on a disk that is full", journals);
    history_expect(&at->def, at->hashes, safe, at->tick);
}

/* The disk has room again: images and journal go on. */
static void expect_going_on(running *at)
{
    const uint64_t images = history_stats(at->store).images;
    for (uint32_t i = 0; i < 10000; i++) {
        const ph_store_stats stats = history_stats(at->store);
        if (stats.recording && stats.images > images && stats.journal_tick == at->tick) break;
        const bool nothing_behind_image = stats.durable_tick == at->tick && stats.journal_tick == 0;
        const bool room = at->tick + 3 < HISTORY_TICKS;
        if (room && (!stats.recording || stats.images == images || nothing_behind_image)) run_ticks(at, 1);
        (void)usleep(1000);
    }
    CHECK(history_stats(at->store).journal_tick == at->tick, "tick %" PRIu64 ": the journal does not go on", at->tick);
    run_ticks(at, 3);
    CHECK_OK(ph_store_close(at->store));
    CHECK_OK(ph_world_destroy(at->world));
    history_expect(&at->def, at->hashes, at->tick, at->tick);
}

/* One disk, that gets full behind some ticks up to some pages. Returns the images and gaps that it cost. */
static ph_store_stats fill_and_free(const uint64_t *hashes, uint64_t seed)
{
    char folder[TEMP_PATH_SIZE];
    uint64_t rng = seed;
    temp_folder(folder, "pharos_full");
    REQUIRE(mount_disk(folder));
    running at = {.def = def_in(folder, phx_rng_below(&rng, 4) == 0 ? 0 : EVERY), .hashes = hashes};
    const bool from_begin = phx_rng_below(&rng, 5) == 0;
    if (from_begin) fill_disk(folder, phx_rng_below(&rng, 4));
    open_store(&at);
    if (!from_begin) {
        run_ticks(&at, 1 + phx_rng_below(&rng, 3 * EVERY));
        await_disk(&at);
        fill_disk(folder, phx_rng_below(&rng, 12));
    }
    const uint64_t safe = history_durable(at.store);
    CHECK(from_begin || safe == at.tick, "seed %" PRIu64 ": tick %" PRIu64 " of %" PRIu64 " is safe", seed, safe,
          at.tick);
    run_ticks(&at, 12 * EVERY);
    await_disk(&at);
    const ph_store_stats full = history_stats(at.store);
    check_full(&at, safe);
    check_full(&at, history_durable(at.store));
    free_disk(folder);
    expect_going_on(&at);
    REQUIRE(umount(folder) == 0);
    temp_remove(folder);
    return full;
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", 4 + test_amount(DISKS));
    uint64_t failed = 0, gaps = 0, lost = 0;
    if (!may_mount()) {
        (void)printf("store_full: skipped: no tmpfs can be mounted here (%s)\n", strerror(errno));
        return 0;
    }
    uint64_t *hashes = history_hashes();
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        const ph_store_stats full = fill_and_free(hashes, seed + i);
        failed += full.failed;
        gaps += full.gaps;
        lost += full.lost;
    }
    (void)printf("%" PRIu64 " disks got full: %" PRIu64 " images, %" PRIu64 " gaps, %" PRIu64 " records lost\n", count,
                 failed, gaps, lost);
    CHECK(check_failures() > 0 || (failed > 0 && gaps > 0 && lost > 0), "no disk was full");
    free(hashes);
    return check_done("store_full");
}
