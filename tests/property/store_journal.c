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
#include "store/store.h"
#include "support/check.h"
#include "support/damaged_file.h"
#include "support/fault_disk.h"
#include "support/temp_path.h"

enum { KILLS = 20, ENTITIES = 60, EVERY = 25, TICKS_MAX = 4000, REASON = PH_STORE_REASON_SIZE };

static ph_world make_world(void)
{
    ph_world world;
    ph_world_def def = ph_world_def_default();
    def.consumers = 1;
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    return world;
}

/* The commands of a tick: they follow from its number. */
static void run_tick(ph_world world, ph_producer producer, uint64_t tick)
{
    uint64_t rng = tick * 977;
    for (uint32_t i = 0; i < 12; i++) {
        const uint64_t id = 1 + phx_rng_below(&rng, ENTITIES);
        const uint32_t what = phx_rng_below(&rng, 10);
        const float x = 300.0f * phx_rng_unit(&rng), y = 300.0f * phx_rng_unit(&rng);
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_VIEW | PH_MARGIN, .x = x, .y = y, .view = 40.0f, .margin = 8.0f};
        if (what < 3) CHECK_OK(ph_enter(producer, id, &attrs));
        else if (what < 4) CHECK_OK(ph_leave(producer, id));
        else if (what < 5) CHECK_OK(ph_link(producer, id, id % ENTITIES + 1));
        else CHECK_OK(ph_move(producer, id, x, y, 0.0f));
        if (i == 5 && tick % 7 == 0) CHECK_OK(ph_apply(world));
    }
    CHECK_OK(ph_tick(world, NULL));
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(world, &hash));
    return hash;
}

/* Hashes of the undisturbed world behind each tick. */
static uint64_t *make_history(void)
{
    uint64_t *hashes = check_zalloc((TICKS_MAX + 1) * sizeof *hashes);
    const ph_world world = make_world();
    ph_producer producer;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    hashes[0] = hash_of(world);
    for (uint64_t tick = 1; tick <= TICKS_MAX; tick++) {
        run_tick(world, producer, tick);
        hashes[tick] = hash_of(world);
    }
    CHECK_OK(ph_world_destroy(world));
    return hashes;
}

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

static ph_store_stats stats_of(const ph_store *store)
{
    ph_store_stats stats = {0};
    CHECK_OK(ph_store_stats_get(store, &stats));
    return stats;
}

static uint64_t durable_of(const ph_store *store)
{
    const ph_store_stats stats = stats_of(store);
    return stats.journal_tick > stats.durable_tick ? stats.journal_tick : stats.durable_tick;
}

/* The world of the files, or a new one if there is none. */
static ph_world recover_world(const ph_store_def *def, const uint64_t *hashes, uint64_t *tick, char reason[REASON])
{
    const ph_load_options options = {
        .given = PH_LOAD_FRESH | PH_LOAD_SHARDS | PH_LOAD_WORKERS, .shards = {1, 2}, .workers = 1};
    ph_world world;
    const ph_status status = ph_store_recover(def, &options, &world, tick, reason, REASON);
    if (status == PH_EMPTY) return make_world();
    CHECK(status == PH_OK, "%s %s", ph_status_name(status), reason);
    REQUIRE(status == PH_OK && *tick <= TICKS_MAX);
    CHECK(hash_of(world) == hashes[*tick], "the world of tick %" PRIu64 " is another one; %s", *tick, reason);
    return world;
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
    const ph_world world = recover_world(def, hashes, &tick, reason);
    ph_store *store;
    ph_producer producer;
    REQUIRE(ph_store_open(def, world, &store, NULL, 0) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    while (tick < TICKS_MAX) {
        run_tick(world, producer, ++tick);
        CHECK_OK(ph_store_tick(store));
        const uint64_t durable = durable_of(store);
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
    for (uint64_t i = 0; i < kills && check_failures() == 0 && last < TICKS_MAX; i++) {
        int ends[2], status;
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            (void)close(ends[0]);
            run_until_killed(&def, hashes, ends[1]);
        }
        (void)close(ends[1]);
        (void)usleep(2000 + phx_rng_below(&rng, 60000));
        (void)kill(child, SIGKILL);
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(!WIFEXITED(status) || WEXITSTATUS(status) == 0, "the killed process had found failures");
        for (uint64_t told; read(ends[0], &told, sizeof told) == sizeof told;) durable = told;
        (void)close(ends[0]);
        uint64_t tick = 0;
        char reason[REASON];
        const ph_world world = recover_world(&def, hashes, &tick, reason);
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
    journaled at = {.world = make_world()};
    char reason[REASON] = "";
    CHECK(phx_store_open_on(disk, def, at.world, &at.store, reason, sizeof reason) == PH_OK, "%s", reason);
    REQUIRE(at.store && ph_producer_open(at.world, &at.producer) == PH_OK);
    return at;
}

static void run_ticks(journaled *at, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        run_tick(at->world, at->producer, ++at->tick);
        CHECK_OK(ph_store_tick(at->store));
    }
}

static void expect_recovered(const ph_store_def *def, const uint64_t *hashes, uint64_t least, uint64_t most)
{
    uint64_t tick = 0;
    char reason[REASON];
    const ph_world world = recover_world(def, hashes, &tick, reason);
    CHECK(tick >= least && tick <= most, "recovered tick %" PRIu64 " is outside [%" PRIu64 ", %" PRIu64 "]", tick,
          least, most);
    CHECK_OK(ph_world_destroy(world));
}

static void test_close(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    const ph_store_def def = def_in(folder);
    journaled at = begin_store(&phx_disk_posix, &def);
    run_ticks(&at, 3 * EVERY + 7);
    const ph_store_stats stats = stats_of(at.store);
    CHECK(stats.gaps == 0 && stats.lost == 0 && stats.recording, "%" PRIu64 " gaps", stats.gaps);
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    expect_recovered(&def, hashes, 3 * EVERY + 7, 3 * EVERY + 7);
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
    ph_store_stats stats = stats_of(at.store);
    CHECK(stats.gaps == 1 && stats.lost > 0 && !stats.recording, "%" PRIu64 " gaps, %" PRIu64 " lost", stats.gaps,
          stats.lost);
    fault_disk_go();
    /* the image of before is written first; the ring may fill once more meanwhile */
    for (uint32_t i = 0; i < 10000 && stats_of(at.store).journal_tick < at.tick; i++) {
        const ph_store_stats now = stats_of(at.store);
        const bool nothing_behind_image = now.durable_tick == at.tick && now.journal_tick == 0;
        if (!now.recording || nothing_behind_image) run_ticks(&at, 1);
        (void)usleep(1000);
    }
    CHECK(stats_of(at.store).journal_tick == at.tick, "the journal does not go on");
    const uint64_t tick = at.tick;
    CHECK_OK(ph_store_close(at.store));
    CHECK_OK(ph_world_destroy(at.world));
    expect_recovered(&def, hashes, tick, tick);
    remove_files(folder);
}

/* A journal that ends in a gap does not reach the last tick, and close says so. */
static void test_gap_at_end(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.ring_bytes = PH_STORE_RING_MIN;
    def.image_ticks = TICKS_MAX;
    fault_disk_order(0, 0, false);
    fault_disk_stall();
    journaled at = begin_store(&fault_disk, &def);
    run_ticks(&at, 200);
    fault_disk_go();
    CHECK_STATUS(ph_store_close(at.store), PH_IO);
    CHECK_OK(ph_world_destroy(at.world));
    expect_recovered(&def, hashes, 1, 199);
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
    const ph_world world = recover_world(&def, hashes, &tick, reason);
    ph_consumer consumer;
    ph_producer producer;
    const ph_batch *batch;
    uint32_t targets = 0;
    REQUIRE(tick == RECORDED && ph_consumer_open(world, 0, &consumer) == PH_OK);
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    CHECK_STATUS(ph_batch_take(consumer, &batch), PH_EMPTY);
    run_tick(world, producer, tick + 1);
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
    CHECK(batch->change_count > ENTITIES / 2 && targets > 0, "%u changes", batch->change_count);
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
    expect_recovered(&def, hashes, 7, 7);
    remove_files(folder);
    remove_files(second);
}

/* A store that is opened behind so many ticks of a world, with or without an entity more. */
static void journal_from(const ph_store_def *def, uint64_t begin, bool more, uint64_t end)
{
    const ph_world world = make_world();
    const ph_attrs place = {.given = PH_X | PH_Y, .x = 5000.0f, .y = 5000.0f};
    ph_producer producer;
    ph_store *store;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    if (more) CHECK_OK(ph_enter(producer, ENTITIES + 1, &place));
    for (uint64_t tick = 1; tick <= begin; tick++) run_tick(world, producer, tick);
    REQUIRE(ph_store_open(def, world, &store, NULL, 0) == PH_OK);
    for (uint64_t tick = begin + 1; tick <= end; tick++) run_tick(world, producer, tick);
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
    const ph_world world = recover_world(&def, hashes, &tick, reason);
    CHECK(tick == BEGIN && strstr(reason, "diverged"), "tick %" PRIu64 ": '%s'", tick, reason);
    ph_producer producer;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    for (tick = BEGIN + 1; tick <= END; tick++) run_tick(world, producer, tick);
    CHECK(hash_of(world) == hashes[END], "it does not go on from tick %d", BEGIN);
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
        const uint64_t durable = durable_of(at.store);
        fault_disk_order(0, 0, false);
        run_ticks(&at, EVERY);
        (void)ph_store_close(at.store);
        CHECK_OK(ph_world_destroy(at.world));
        expect_recovered(&def, hashes, durable, at.tick);
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

static void test_damage(const uint64_t *hashes)
{
    char folder[TEMP_PATH_SIZE], reason[REASON];
    enum { TICKS = 3 };
    temp_folder(folder, "pharos_journal");
    ph_store_def def = def_in(folder);
    def.image_ticks = TICKS_MAX;
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
        if (bit % 997 == 0) expect_recovered(&def, hashes, 0, TICKS);
        damage_flip(path, bit);
    }
    for (size_t cut = count; cut-- > 0 && check_failures() == 0;) {
        damage_cut(path, cut);
        expect_damage(path, "cut at byte", cut);
        if (cut % 97 == 0) expect_recovered(&def, hashes, 0, TICKS);
    }
    (void)printf("a journal of %zu bytes: each cut, each bit\n", count);
    free(path);
    remove_files(folder);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t *hashes = make_history();
    test_kills(hashes, seed, option_number(argc, argv, "--count", KILLS));
    test_close(hashes);
    test_stall(hashes);
    test_gap_at_end(hashes);
    test_clients(hashes);
    test_second_store(hashes);
    test_divergence(hashes);
    test_faults(hashes);
    test_damage(hashes);
    free(hashes);
    return check_done("store_journal");
}
