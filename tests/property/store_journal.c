/*
 * Journals in files. A process is killed (SIGKILL) at a random moment while its world ticks, again and again, each one
 * going on from the last one's files: the recovered world is that of an undisturbed run at its tick, and no tick that
 * was told to be durable is lost. A full ring, a disk that fails or stalls costs a gap, never a tick; each cut and each
 * flipped bit of a file is found. Records that do not fit the image end the journal, not the recovery.
 *
 * options: --seed S, --count N kills
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "base/rng.h"
#include "store/folder.h"
#include "store/journal_file.h"
#include "store/journal_writer.h"
#include "store/store.h"
#include "support/check.h"
#include "support/damaged_file.h"
#include "support/fault_disk.h"
#include "support/journal_history.h"
#include "support/temp_path.h"

enum { KILLS = 20, EVERY = 25, REASON = PH_STORE_REASON_SIZE };

static ph_store_def def_in(const char *folder)
{
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = "w";
    def.image_ticks = EVERY;
    def.images_kept = 2;
    def.sync_ms = 1;
    def.ring_bytes = 1 << 20;
    def.file_bytes = 16 << 10;
    return def;
}

static void remove_files(const char *folder)
{
    char command[TEMP_PATH_SIZE + 16];
    const phx_folder at = {(char *)(uintptr_t)folder, (char *)(uintptr_t) "w"};
    static const char *const endings[] = {PHX_STORE_IMAGE, PHX_STORE_PART, PHX_STORE_JOURNAL, "phj.old", "phs.old"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) phx_folder_prune(&at, &phx_disk_posix, endings[i], 0);
    (void)snprintf(command, sizeof command, "%s/w.lock", folder);
    (void)remove(command);
    CHECK(rmdir(folder) == 0, "%s: %s", folder, strerror(errno));
}

/* ---- kill -9 ---- */

/* The process that is killed: says each durable tick on the pipe. */
_Noreturn static void run_until_killed(const ph_store_def *def, const uint64_t *hashes, int pipe)
{
    uint64_t tick = 0, told = 0;
    char reason[REASON];
    const ph_world world = history_recover(def, hashes, &tick, reason);
    ph_store *store;
    ph_producer producer;
    REQUIRE(ph_store_open(def, world, &store, NULL, 0) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    while (tick < HISTORY_TICKS) {
        history_tick(world, producer, ++tick);
        CHECK_OK(ph_store_tick(store));
        const uint64_t durable = history_durable(store);
        if (durable > told && write(pipe, &durable, sizeof durable) != sizeof durable) break;
        told = durable;
        (void)usleep(200); /* so that the disk has something to do in between */
    }
    _exit(check_failures() == 0 ? 0 : 3); /* with an open store, as a crash */
}

static void test_kills(const uint64_t *hashes, uint64_t seed, uint64_t kills)
{
    char folder[TEMP_PATH_SIZE];
    uint64_t rng = seed, durable = 0, last = 0;
    temp_folder(folder, "pharos_kill");
    const ph_store_def def = def_in(folder);
    for (uint64_t i = 0; i < kills && check_failures() == 0 && last < HISTORY_TICKS; i++) {
        int ends[2], status;
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            (void)close(ends[0]);
            run_until_killed(&def, hashes, ends[1]);
        }
        (void)close(ends[1]);
        uint64_t told;
        if (i % 2 == 1 && read(ends[0], &told, sizeof told) == sizeof told)
            durable = told; /* it has something to lose */
        (void)usleep(2000 + phx_rng_below(&rng, 60000));
        (void)kill(child, SIGKILL);
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(!WIFEXITED(status) || WEXITSTATUS(status) == 0, "the killed process had found failures");
        while (read(ends[0], &told, sizeof told) == sizeof told) durable = told;
        (void)close(ends[0]);
        uint64_t tick = 0;
        char reason[REASON];
        const ph_world world = history_recover(&def, hashes, &tick, reason);
        CHECK(tick >= durable && tick >= last,
              "kill %" PRIu64 ": recovered tick %" PRIu64 ", durable was %" PRIu64 "; %s", i, tick, durable, reason);
        last = tick;
        CHECK_OK(ph_world_destroy(world));
    }
    (void)printf("%" PRIu64 " kills, recovered up to tick %" PRIu64 "\n", kills, last);
    CHECK(last > 0 || kills < 5, "no kill had something to recover");
    remove_files(folder);
}

/* ---- close, gaps, faults ---- */

typedef struct journaled {
    ph_world world;
    ph_producer producer;
    ph_store *store;
    uint64_t tick;
} journaled;

static journaled begin_store(const phx_disk *disk, const ph_store_def *def)
{
    journaled at = {.world = history_world(NULL)};
    char reason[REASON] = "";
    CHECK(phx_store_open_on(disk, def, at.world, &at.store, reason, sizeof reason) == PH_OK, "%s", reason);
    REQUIRE(at.store && ph_producer_open(at.world, &at.producer) == PH_OK);
    return at;
}

static void run_ticks(journaled *at, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        history_tick(at->world, at->producer, ++at->tick);
        CHECK_OK(ph_store_tick(at->store));
    }
}

static void test_close(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    const ph_store_def def = def_in(folder);
    journaled at = begin_store(&phx_disk_posix, &def);
    run_ticks(&at, 3 * EVERY + 7);
    const ph_store_stats stats = history_stats(at.store);
    CHECK(stats.gaps == 0 && stats.lost == 0 && stats.recording, "%" PRIu64 " gaps", stats.gaps);
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    history_expect(&def, hashes, 3 * EVERY + 7, 3 * EVERY + 7);
    remove_files(folder);
}

/* A disk that stalls fills the ring: a gap, no tick waits; behind the next image the journal goes on. */
static void test_stall(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.ring_bytes = PH_STORE_RING_MIN;
    fault_disk_order(0, 0, false);
    fault_disk_stall(); /* also for the first image: else the journal might go on behind it, into a second gap */
    journaled at = begin_store(&fault_disk, &def);
    run_ticks(&at, 200);
    ph_store_stats stats = history_stats(at.store);
    CHECK(stats.gaps == 1 && stats.lost > 0 && !stats.recording, "%" PRIu64 " gaps, %" PRIu64 " lost", stats.gaps,
          stats.lost);
    fault_disk_go();
    /* the image of before is written first; the ring may fill once more meanwhile */
    for (uint32_t i = 0; i < 10000 && history_stats(at.store).journal_tick < at.tick; i++) {
        const ph_store_stats now = history_stats(at.store);
        const bool nothing_behind_image = now.durable_tick == at.tick && now.journal_tick == 0;
        if (!now.recording || nothing_behind_image) run_ticks(&at, 1);
        (void)usleep(1000);
    }
    CHECK(history_stats(at.store).journal_tick == at.tick, "the journal does not go on");
    const uint64_t tick = at.tick;
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    history_expect(&def, hashes, tick, tick);
    remove_files(folder);
}

/* A journal that ends in a gap does not reach the last tick, and close says so. */
static void test_gap_at_end(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.ring_bytes = PH_STORE_RING_MIN;
    def.image_ticks = HISTORY_TICKS;
    fault_disk_order(0, 0, false);
    fault_disk_stall();
    journaled at = begin_store(&fault_disk, &def);
    run_ticks(&at, 200);
    fault_disk_go();
    CHECK_STATUS(ph_store_close(at.store), PH_IO);
    CHECK_OK(ph_world_destroy(at.world));
    history_expect(&def, hashes, 1, 199);
    remove_files(folder);
}

/*
 * The first image is lost, and the journal has all records: they lead nowhere, and the store says so. With images by
 * ph_store_save() alone, too, one is due behind the gap, and the journal goes on.
 */
static void test_base_lost(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    enum { MANY_TICKS = 200 };
    for (uint32_t image_ticks = 0; image_ticks <= EVERY; image_ticks += EVERY) {
        temp_folder(folder, "pharos_journal");
        ph_store_def def = def_in(folder);
        def.image_ticks = image_ticks;
        const phx_folder place = {folder, (char *)(uintptr_t) "w"};
        char *path = phx_folder_file(&place, 0, PHX_STORE_IMAGE);
        REQUIRE(path && mkdir(path, 0700) == 0); /* no file takes the place of a folder */
        journaled at = begin_store(&phx_disk_posix, &def);
        while (history_stats(at.store).writing) (void)usleep(100);
        while (history_stats(at.store).journal_bytes == 0) { /* the journal's thread may wait for a processor */
            if (at.tick < MANY_TICKS / 2) history_tick(at.world, at.producer, ++at.tick);
            (void)usleep(2000);
        }
        ph_store_stats stats = history_stats(at.store);
        CHECK(stats.failed == 1 && stats.journal_bytes > 0 && stats.journal_tick == 0,
              "the journal leads to tick %" PRIu64 " without an image", stats.journal_tick);
        run_ticks(&at, 1);
        stats = history_stats(at.store);
        CHECK(stats.gaps == 1, "%" PRIu64 " gaps", stats.gaps);
        REQUIRE(rmdir(path) == 0);
        for (uint32_t i = 0; i < MANY_TICKS && !history_stats(at.store).recording; i++) run_ticks(&at, 1);
        run_ticks(&at, 2);
        const uint64_t tick = at.tick;
        CHECK_OK(ph_store_close(at.store));
        CHECK_OK(ph_world_destroy(at.world));
        history_expect(&def, hashes, tick, tick);
        free(path);
        remove_files(folder);
    }
}

/* Lines of the log; by the journal's thread. */
static _Atomic uint32_t log_lines;

static void count_line(void *user, ph_log_level level, const char *line)
{
    (void)user, (void)level, (void)line;
    log_lines++;
}

/* The disk loses the records behind the last tick: the store counts the gap also where no tick follows. */
static void test_loss_behind_ticks(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.log = count_line;
    const phx_folder place = {folder, (char *)(uintptr_t) "w"};
    char *path = phx_folder_file(&place, 1, PHX_STORE_JOURNAL);
    log_lines = 0;
    journaled at = begin_store(&phx_disk_posix, &def);
    REQUIRE(path && mkdir(path, 0700) == 0); /* no file takes the place of a folder */
    run_ticks(&at, 1);
    while (log_lines == 0) (void)usleep(100);
    CHECK_OK(ph_store_tick(at.store));
    const ph_store_stats stats = history_stats(at.store);
    CHECK(stats.gaps == 1 && !stats.recording, "%" PRIu64 " gaps", stats.gaps);
    CHECK_STATUS(ph_store_close(at.store), PH_IO);
    CHECK_OK(ph_world_destroy(at.world));
    REQUIRE(rmdir(path) == 0);
    history_expect(&def, hashes, 0, 0);
    free(path);
    remove_files(folder);
}

/* Writes of the journal before the first sync since `written` was set to 0; by the journal's thread. */
static _Atomic uint64_t written, written_at_sync;

static ssize_t count_write(int file, const void *bytes, size_t size)
{
    const ssize_t result = fault_disk.write(file, bytes, size);
    written++;
    return result;
}

static int note_sync(int file)
{
    uint64_t none = 0;
    (void)atomic_compare_exchange_strong(&written_at_sync, &none, written);
    return fault_disk.sync(file);
}

/* Where a write takes longer than sync_ms, what it wrote is synced before the records that have come meanwhile. */
static void test_sync_between_records(const uint64_t *hashes)
{
    enum { WAITING = 50 };
    char folder[TEMP_PATH_SIZE];
    phx_disk disk = fault_disk;
    disk.write = count_write;
    disk.sync = note_sync;
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.image_ticks = HISTORY_TICKS;
    def.file_bytes = def.ring_bytes;
    fault_disk_order(0, 0, false);
    journaled at = begin_store(&disk, &def);
    run_ticks(&at, 1);
    while (history_durable(at.store) < 1) (void)usleep(100);
    fault_disk_stall();
    run_ticks(&at, 1);
    fault_disk_await_stall();
    written = written_at_sync = 0;
    run_ticks(&at, WAITING);
    (void)usleep(2000 * def.sync_ms);
    fault_disk_go();
    CHECK_OK(ph_store_close(at.store));
    CHECK(written_at_sync == 1, "%" PRIu64 " records are written before a sync", (uint64_t)written_at_sync);
    CHECK_OK(ph_world_destroy(at.world));
    history_expect(&def, hashes, WAITING + 2, WAITING + 2);
    remove_files(folder);
}

/* A child was forked while a store was open, and does nothing: the lock ends with the store's close all the same. */
static void test_forked_child(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE], go;
    int ends[2], status;
    temp_folder(folder, "pharos_journal");
    const ph_store_def def = def_in(folder);
    journaled at = begin_store(&phx_disk_posix, &def);
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)close(ends[1]);
        _exit(read(ends[0], &go, 1) == 0 ? 0 : 1); /* until the parent has closed its end */
    }
    (void)close(ends[0]);
    CHECK_OK(ph_store_close(at.store));
    if (CHECK_OK(ph_store_open(&def, at.world, &at.store, NULL, 0))) CHECK_OK(ph_store_close(at.store));
    (void)close(ends[1]);
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    CHECK_OK(ph_world_destroy(at.world));
    history_expect(&def, hashes, 0, 0);
    remove_files(folder);
}

/*
 * What clients get of a recovered world: nothing of the replayed ticks, and in the first tick behind the whole list of
 * each observer.
 */
static void test_clients(const uint64_t *hashes)
{
    enum { RECORDED = 3 * EVERY - 4 };
    char folder[TEMP_PATH_SIZE], reason[REASON];
    temp_folder(folder, "pharos_journal");
    const ph_store_def def = def_in(folder);
    journaled at = begin_store(&phx_disk_posix, &def);
    run_ticks(&at, RECORDED);
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    uint64_t tick = 0;
    const ph_world world = history_recover(&def, hashes, &tick, reason);
    ph_consumer consumer;
    ph_producer producer;
    const ph_batch *batch;
    uint32_t targets = 0;
    REQUIRE(tick == RECORDED && ph_consumer_open(world, 0, &consumer) == PH_OK);
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    CHECK_STATUS(ph_batch_take(consumer, &batch), PH_EMPTY);
    history_tick(world, producer, tick + 1);
    REQUIRE(ph_batch_take(consumer, &batch) == PH_OK);
    CHECK(batch->tick_first == tick + 1 && batch->tick == tick + 1, "ticks %" PRIu64 " to %" PRIu64, batch->tick_first,
          batch->tick);
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        uint32_t count = 0;
        CHECK_OK(ph_list(world, change->observer, NULL, 0, &count));
        CHECK((change->flags & PH_CHANGE_FRESH) && change->leave_count == 0 && change->enter_count == count,
              "observer %" PRIu64 ": flags %u, %u of %u targets", change->observer, change->flags, change->enter_count,
              count);
        targets += change->enter_count;
    }
    CHECK(batch->change_count > HISTORY_ENTITIES / 2 && targets > 0, "%u changes", batch->change_count);
    (void)ph_batch_return(consumer, batch);
    CHECK_STATUS(ph_batch_take(consumer, &batch), PH_EMPTY);
    CHECK_OK(ph_world_destroy(world));
    remove_files(folder);
}

/* A world has one journal: a second store of it that wants one is refused, and the first one goes on. */
static void test_second_store(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE], second[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    temp_folder(second, "pharos_journal");
    const ph_store_def def = def_in(folder), other = def_in(second);
    journaled at = begin_store(&phx_disk_posix, &def);
    ph_store *refused;
    run_ticks(&at, 3);
    CHECK_STATUS(ph_store_open(&other, at.world, &refused, NULL, 0), PH_TAKEN);
    run_ticks(&at, 4);
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_store_open(&other, at.world, &at.store, NULL, 0));
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    history_expect(&def, hashes, 7, 7);
    remove_files(folder);
    remove_files(second);
}

/* Another process finds the store taken; it gets it once it is closed. */
static void test_other_process(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    const ph_store_def def = def_in(folder);
    for (uint32_t closed = 0; closed < 2; closed++) {
        int ends[2];
        char go = 0;
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork(); /* while this process has one thread */
        REQUIRE(child >= 0);
        if (child == 0) {
            ph_store *own;
            REQUIRE(read(ends[0], &go, 1) == 1);
            const ph_status status = ph_store_open(&def, history_world(NULL), &own, NULL, 0);
            _exit(status == (closed ? PH_OK : PH_TAKEN) ? 0 : 1);
        }
        journaled at = begin_store(&phx_disk_posix, &def);
        if (closed) CHECK_OK(ph_store_close(at.store));
        int status;
        REQUIRE(write(ends[1], &go, 1) == 1 && waitpid(child, &status, 0) == child);
        REQUIRE(close(ends[0]) == 0 && close(ends[1]) == 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "closed: %u", closed);
        if (!closed) CHECK_OK(ph_store_close(at.store));
        CHECK_OK(ph_world_destroy(at.world));
    }
    history_expect(&def, hashes, 0, 0);
    remove_files(folder);
}

/* Images that are newer and older than the journal: the last tick that an image and records without a gap lead to. */
static void test_missing_files(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    const ph_store_def def = def_in(folder);
    const phx_folder place = {folder, (char *)(uintptr_t) "w"};
    journaled at = begin_store(&phx_disk_posix, &def);
    for (uint32_t i = 0; i < 3; i++) {
        run_ticks(&at, EVERY);
        while (history_stats(at.store).writing) (void)usleep(100);
    }
    run_ticks(&at, 7);
    const uint64_t tick = at.tick;
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    phx_ticks images;
    REQUIRE(phx_folder_list(&place, PHX_STORE_IMAGE, &images) == 0 && images.count == 2);
    char *newest = phx_folder_file(&place, images.at[0], PHX_STORE_IMAGE), aside[TEMP_PATH_SIZE + 16];
    (void)snprintf(aside, sizeof aside, "%s/aside", folder);
    REQUIRE(rename(newest, aside) == 0);
    history_expect(&def, hashes, tick, tick); /* from the image before, through more records */
    phx_folder_prune(&place, &phx_disk_posix, PHX_STORE_JOURNAL, 0);
    history_expect(&def, hashes, images.at[1], images.at[1]);
    REQUIRE(rename(aside, newest) == 0);
    history_expect(&def, hashes, images.at[0], images.at[0]);
    free(newest);
    free(images.at);
    remove_files(folder);
}

/* A store that is opened behind so many ticks of a world, with or without an entity more. */
static void journal_from(const ph_store_def *def, uint64_t begin, bool more, uint64_t end)
{
    const ph_world world = history_world(NULL);
    const ph_attrs place = {.given = PH_X | PH_Y, .x = 5000.0f, .y = 5000.0f};
    ph_producer producer;
    ph_store *store;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    if (more) CHECK_OK(ph_enter(producer, HISTORY_ENTITIES + 1, &place));
    for (uint64_t tick = 1; tick <= begin; tick++) history_tick(world, producer, tick);
    REQUIRE(ph_store_open(def, world, &store, NULL, 0) == PH_OK);
    for (uint64_t tick = begin + 1; tick <= end; tick++) history_tick(world, producer, tick);
    CHECK_OK(ph_store_close(store));
    CHECK_OK(ph_world_destroy(world));
}

/*
 * Records of another world than the image's: they diverge in the apply of tick 7, when it is in the world already. The
 * recovered world is that of tick 6 all the same.
 */
static void test_divergence(const uint64_t *hashes)
{
    enum { BEGIN = 6, END = 9 };
    char folder[TEMP_PATH_SIZE], second[TEMP_PATH_SIZE], reason[REASON];
    temp_folder(folder, "pharos_journal");
    temp_folder(second, "pharos_journal");
    const ph_store_def def = def_in(folder), other = def_in(second);
    const phx_folder to = {folder, (char *)(uintptr_t) "w"}, from = {second, (char *)(uintptr_t) "w"};
    journal_from(&def, BEGIN, true, END);
    journal_from(&other, BEGIN, false, BEGIN);
    char *image = phx_folder_file(&to, BEGIN, PHX_STORE_IMAGE), *whole = phx_folder_file(&from, BEGIN, PHX_STORE_IMAGE);
    REQUIRE(image && whole && rename(whole, image) == 0);
    uint64_t tick = 0;
    const ph_world world = history_recover(&def, hashes, &tick, reason);
    CHECK(tick == BEGIN && strstr(reason, "diverged"), "tick %" PRIu64 ": '%s'", tick, reason);
    ph_producer producer;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    for (tick = BEGIN + 1; tick <= END; tick++) history_tick(world, producer, tick);
    CHECK(history_hash(world) == hashes[END], "it does not go on from tick %d", BEGIN);
    CHECK_OK(ph_world_destroy(world));
    free(image);
    free(whole);
    remove_files(folder);
    remove_files(second);
}

/* Each call of the disk fails in turn: ticks go on; what was durable is recovered. */
static void test_faults(const uint64_t *hashes)
{
    static const int errors[] = {ENOSPC, EIO};
    const uint64_t most = 10 + test_amount(60);
    for (uint64_t nth = 1; nth < most && check_failures() == 0; nth++) {
        char folder[TEMP_PATH_SIZE];
        temp_folder(folder, "pharos_journal");
        const ph_store_def def = def_in(folder);
        fault_disk_order(nth, errors[nth % 2], nth % 3 == 0);
        journaled at = begin_store(&fault_disk, &def);
        run_ticks(&at, 2 * EVERY);
        const uint64_t durable = history_durable(at.store);
        fault_disk_order(0, 0, false);
        run_ticks(&at, EVERY);
        (void)ph_store_close(at.store);
        CHECK_OK(ph_world_destroy(at.world));
        history_expect(&def, hashes, durable, at.tick);
        remove_files(folder);
    }
}

/* ---- damage ---- */

static ph_status read_all(const char *path, char *reason)
{
    phx_journal_file from;
    ph_status status = phx_journal_file_open(&from, path);
    while (status == PH_OK) status = phx_journal_file_next(&from);
    memcpy(reason, from.reason, REASON);
    phx_journal_file_close(&from);
    return status;
}

static void expect_damage(const char *path, const char *what, size_t at)
{
    char reason[REASON];
    const ph_status status = read_all(path, reason);
    CHECK((status == PH_BAD_RECORD || status == PH_PENDING) && strlen(reason) > 8, "%s %zu: %s '%s'", what, at,
          ph_status_name(status), reason);
}

/* Writes a journal of one frame, whose sums are right. */
static void write_frame(const char *path, uint64_t tick, uint64_t record_bytes, uint64_t flags, const void *record,
                        size_t size)
{
    phx_journal_writer to = {.disk = &phx_disk_posix, .file = -1};
    phx_journal_frame_head *frame = check_zalloc(phx_journal_frame_bytes(size));
    *frame = (phx_journal_frame_head){.magic = PHX_JOURNAL_FRAME_MAGIC,
                                      .kind = PHX_JOURNAL_FRAME_FIRST,
                                      .flags = (uint16_t)flags,
                                      .tick = tick,
                                      .bytes = size};
    memcpy(frame + 1, record, size);
    REQUIRE(phx_journal_writer_open(&to, path, tick) == 0 && phx_journal_writer_put(&to, frame) == 0);
    REQUIRE(phx_journal_writer_end(&to, tick) == 0 && phx_journal_writer_close(&to) == 0);
    if (record_bytes != size) { /* of a file with holes: it has so many bytes, and takes no room */
        FILE *file = fopen(path, "r+b");
        REQUIRE(file &&
                fseek(file, sizeof(phx_journal_file_head) + offsetof(phx_journal_frame_head, bytes), SEEK_SET) == 0);
        REQUIRE(fwrite(&record_bytes, sizeof record_bytes, 1, file) == 1 && fclose(file) == 0);
        REQUIRE(truncate(path, (off_t)(2 * record_bytes)) == 0);
    }
    free(frame);
}

/* The first record of a journal that applies, or of a tick; there is one. */
static void first_record(const char *path, bool applies, phx_journal_file *from)
{
    REQUIRE(phx_journal_file_open(from, path) == PH_OK);
    do REQUIRE(phx_journal_file_next(from) == PH_OK);
    while (!(from->frame.flags & PH_RECORD_TICK) != applies);
}

/*
 * Files that no store has written, all with right sums: a record that is larger than any ring; frames that say another
 * tick than their records, or that an apply is a tick; an image under another tick's name; pipes, for whose writers no
 * call waits. The world is that of the last tick that is right, and its tick is told.
 */
static void test_foreign(const uint64_t *hashes)
{
    enum { APPLY_TICK = 7, HUGE = PH_STORE_RING_MAX / 8 * 8 + 8 };
    char folder[TEMP_PATH_SIZE], second[TEMP_PATH_SIZE], reason[REASON];
    uint64_t tick;
    temp_folder(folder, "pharos_journal");
    temp_folder(second, "pharos_journal");
    const ph_store_def def = def_in(folder), other = def_in(second);
    const phx_folder to = {second, (char *)(uintptr_t) "w"}, of = {folder, (char *)(uintptr_t) "w"};
    journal_from(&def, 0, false, APPLY_TICK);
    journal_from(&other, APPLY_TICK - 1, false, APPLY_TICK - 1);
    char *journal = phx_folder_file(&of, 1, PHX_STORE_JOURNAL),
         *frame = phx_folder_file(&to, APPLY_TICK, PHX_STORE_JOURNAL);
    char *image = phx_folder_file(&to, APPLY_TICK - 1, PHX_STORE_IMAGE);
    char *renamed = phx_folder_file(&to, APPLY_TICK + 5, PHX_STORE_IMAGE);
    phx_journal_file from;
    first_record(journal, true, &from);
    REQUIRE(from.frame.tick == APPLY_TICK);
    const size_t size = (size_t)from.frame.bytes;

    write_frame(frame, APPLY_TICK, size, PH_RECORD_WHOLE | PH_RECORD_TICK, from.record, size);
    CHECK_OK(ph_world_destroy(history_recover(&other, hashes, &tick, reason)));
    CHECK(tick == APPLY_TICK - 1 && strstr(reason, "its records end with tick 6"), "an apply as a tick: '%s'", reason);
    write_frame(frame, APPLY_TICK, (uint64_t)HUGE, PH_RECORD_WHOLE | PH_RECORD_TICK, from.record, size);
    CHECK_OK(ph_world_destroy(history_recover(&other, hashes, &tick, reason)));
    CHECK(tick == APPLY_TICK - 1 && strstr(reason, "can not be"), "a record of %u bytes: '%s'", (unsigned)HUGE, reason);
    phx_journal_file_close(&from);

    REQUIRE(rename(image, renamed) == 0);
    ph_world world;
    CHECK_STATUS(ph_store_recover(&other, NULL, &world, &tick, reason, sizeof reason), PH_BAD_IMAGE);
    CHECK(tick == 0 && strstr(reason, "an image of tick 6"), "an image under another name: '%s'", reason);
    REQUIRE(rename(renamed, image) == 0 && mkfifo(renamed, 0600) == 0 && remove(frame) == 0 &&
            mkfifo(frame, 0600) == 0);
    CHECK_OK(ph_world_destroy(history_recover(&other, hashes, &tick, reason)));
    CHECK(tick == APPLY_TICK - 1 && strstr(reason, renamed), "a pipe as an image: '%s'", reason);
    free(journal);
    free(frame);
    free(image);
    free(renamed);
    remove_files(folder);
    remove_files(second);
}

static void test_damage(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE], reason[REASON];
    enum { TICKS = 3 };
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.image_ticks = HISTORY_TICKS;
    journaled at = begin_store(&phx_disk_posix, &def);
    CHECK_OK(ph_store_tick(at.store)); /* the image of tick 0 */
    run_ticks(&at, TICKS);
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    const phx_folder place = {folder, (char *)(uintptr_t) "w"};
    char *path = phx_folder_file(&place, 1, PHX_STORE_JOURNAL);
    CHECK(read_all(path, reason) == PH_EMPTY, "%s", reason);
    struct stat file;
    REQUIRE(stat(path, &file) == 0 && file.st_size > 0);
    const size_t count = (size_t)file.st_size;
    for (size_t bit = 0; bit < count * 8 && check_failures() == 0; bit++) {
        damage_flip(path, bit);
        expect_damage(path, "flipped bit", bit);
        if (bit % 997 == 0) history_expect(&def, hashes, 0, TICKS);
        damage_flip(path, bit);
    }
    for (size_t cut = count; cut-- > 0 && check_failures() == 0;) {
        damage_cut(path, cut);
        expect_damage(path, "cut at byte", cut);
        if (cut % 97 == 0) history_expect(&def, hashes, 0, TICKS);
    }
    (void)printf("a journal of %zu bytes: each cut, each bit\n", count);
    free(path);
    remove_files(folder);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t *hashes = history_hashes();
    test_kills(hashes, seed, option_number(argc, argv, "--count", KILLS));
    test_close(hashes);
    test_stall(hashes);
    test_gap_at_end(hashes);
    test_base_lost(hashes);
    test_loss_behind_ticks(hashes);
    test_sync_between_records(hashes);
    test_forked_child(hashes);
    test_clients(hashes);
    test_second_store(hashes);
    test_other_process(hashes);
    test_missing_files(hashes);
    test_divergence(hashes);
    test_faults(hashes);
    test_foreign(hashes);
    test_damage(hashes);
    free(hashes);
    return check_done("store_journal");
}
