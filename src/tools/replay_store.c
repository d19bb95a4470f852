/*
 * Replays of images and journals; see replay_store.h.
 */
#include "tools/replay_store.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "store/image_load.h"
#include "store/journal_walk.h"
#include "tools/cli.h"
#include "tools/replay_csv.h"
#include "tools/store_names.h"

enum {
    HASHES = 4096,      /* ticks whose images may come later than the tick: minutes, a disk takes seconds */
    BEHIND_MAX = 64,    /* ticks of a trace that wait for the disk */
    WAIT_NS = 10000000, /* between two looks at a journal or a disk: half a tick of a quick server */
    RECORD_RING_BYTES = 256 << 20
};

typedef struct phx_replay_store {
    phx_folder folder; /* of the image */
    phx_journal_walk walk;
    ph_load_options options;
    ph_store *images; /* of save_path or record_path */
    uint64_t first_tick, compared_tick;
    uint64_t hashes[HASHES]; /* of the world behind its last ticks, if they are compared */
} phx_replay_store;

static bool make_part(phx_replay_state *replay)
{
    replay->store = calloc(1, sizeof *replay->store);
    return replay->store || phx_replay_fail_status(replay, "the store", PH_NO_MEMORY);
}

static void wait_a_little(void)
{
    const struct timespec some = {.tv_nsec = WAIT_NS};
    (void)nanosleep(&some, NULL);
}

/* ---- images of the world ---- */

/* Opens FOLDER/NAME for the world. */
static bool open_images(phx_replay_state *replay, const char *option, const char *path, ph_store_def def)
{
    char folder[PH_STORE_REASON_SIZE], name[PH_STORE_NAME_MAX + 2], reason[PH_STORE_REASON_SIZE] = "";
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder) return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s: the path is too long", option);
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(length > 0 ? length : 1) : 1, slash ? path : ".");
    (void)snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    def.folder = folder;
    def.name = name;
    def.log = phx_replay_log;
    def.log_user = replay;
    const ph_status status = ph_store_open(&def, replay->world, &replay->store->images, reason, sizeof reason);
    if (status == PH_OK) return true;
    if (reason[0] != '\0') return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s %s: %s", option, path, reason);
    return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s %s: %s", option, path, ph_status_text(status));
}

/* ---- load ---- */

/* Where the image is: FOLDER/NAME.TICK.phs. */
static bool find_store(phx_replay_state *replay)
{
    const char *path = replay->job->trace_path;
    char folder[PH_STORE_REASON_SIZE], name[PH_STORE_NAME_MAX + 1];
    phx_replay_store *store = replay->store;
    if (!phx_store_name_split(path, PHX_STORE_IMAGE, folder, name, &store->first_tick))
        return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s: an image of a store has a name like arena.%0*d.phs", path,
                               PHX_TICK_DIGITS, 1200);
    return phx_folder_init(&store->folder, folder, name) || phx_replay_fail_status(replay, path, PH_NO_MEMORY);
}

bool phx_replay_image_load(phx_replay_state *replay)
{
    const phx_replay_job *job = replay->job;
    char reason[PH_STORE_REASON_SIZE];
    if (!make_part(replay) || !find_store(replay)) return false;
    phx_replay_store *store = replay->store;
    store->options = job->layout;
    store->options.given |= PH_LOAD_REPLAY;
    store->options.allocator = replay->mem->allocator;
    store->options.log = phx_replay_log;
    store->options.log_user = replay;
    const ph_status status =
        phx_image_file_load(job->trace_path, store->first_tick, &store->options, &replay->world, reason, sizeof reason);
    if (status == PH_NO_MEMORY) return phx_replay_fail_status(replay, job->trace_path, status);
    if (status != PH_OK)
        return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s: %s", job->trace_path,
                               reason[0] != '\0' ? reason : ph_status_text(status));
    replay->tick = store->first_tick + 1;
    store->compared_tick = store->first_tick;
    phx_journal_walk_begin(&store->walk, &store->folder, store->first_tick, job->tick_last);
    ph_store_def def = ph_store_def_default();
    def.image_ticks = (uint32_t)job->save_every;
    if (job->save_path && !open_images(replay, "--save", job->save_path, def)) return false;
    return phx_replay_csv_open(replay);
}

/* ---- later images ---- */

/* Is the image of that tick the world that was here? */
static bool compare_image(phx_replay_state *replay, uint64_t tick)
{
    phx_replay_store *store = replay->store;
    char reason[PH_STORE_REASON_SIZE];
    uint64_t hash = 0;
    ph_world world;
    char *path = phx_folder_file(&store->folder, tick, PHX_STORE_IMAGE);
    ph_status status =
        path ? phx_image_file_load(path, tick, &store->options, &world, reason, sizeof reason) : PH_NO_MEMORY;
    if (status == PH_IO) status = PH_EMPTY; /* its server has removed it by now */
    if (status == PH_BAD_IMAGE) (void)phx_replay_fail(replay, PHX_EXIT_TROUBLE, "--compare: %s: %s", path, reason);
    else if (status != PH_OK && status != PH_EMPTY) (void)phx_replay_fail_status(replay, "--compare", status);
    if (status == PH_OK) {
        status = ph_world_hash(world, &hash);
        (void)ph_world_destroy(world);
        if (status != PH_OK) (void)phx_replay_fail_status(replay, "--compare", status);
        else if (hash != store->hashes[tick % HASHES])
            (void)phx_replay_fail(replay, PHX_EXIT_TROUBLE, "--compare: %s: it is another world than the replayed one",
                                  path);
        else replay->summary->compared++;
    }
    free(path);
    return replay->exit_status == PHX_EXIT_OK;
}

/* Compares the images that have come, of ticks that have run. */
static bool compare_images(phx_replay_state *replay)
{
    phx_replay_store *store = replay->store;
    const uint64_t last = replay->tick - 1, oldest = last > HASHES ? last - HASHES : 0;
    phx_ticks images;
    bool good = true;
    if (!replay->job->compare) return true;
    const int error = phx_folder_list(&store->folder, PHX_STORE_IMAGE, &images);
    for (size_t i = images.count; i-- > 0 && good && error == 0;) {
        const uint64_t tick = images.at[i];
        if (tick <= store->compared_tick || tick <= oldest || tick > last) continue;
        good = compare_image(replay, tick);
        store->compared_tick = tick;
    }
    free(images.at);
    return good;
}

static bool note_hash(phx_replay_state *replay, uint64_t tick)
{
    enum { LOOK_EVERY = 256 }; /* ticks: a listing of the folder each, and within HASHES */
    if (!replay->job->compare) return true;
    const ph_status status = ph_world_hash(replay->world, &replay->store->hashes[tick % HASHES]);
    if (status != PH_OK) return phx_replay_fail_status(replay, "--compare", status);
    return tick % LOOK_EVERY != 0 || compare_images(replay);
}

/* ---- run ---- */

static _Atomic bool stopped; /* by the handler; relaxed: it orders nothing */

static void stop_following(int number)
{
    (void)number;
    atomic_store_explicit(&stopped, true, memory_order_relaxed);
}

/* From now on these signals end the run as the end of the journal would: with its files and its summary. */
static void catch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = stop_following};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) (void)sigaction(ends[i], &action, NULL);
}

/*
 * Takes an image if one is due. One that is due while another one is written waits for the disk: unlike a server, this
 * run can stand still, so the ticks that have images follow from --save-every alone. false = the store has no world.
 */
static bool save_image(phx_replay_state *replay)
{
    ph_store *images = replay->store->images;
    ph_store_stats before, after;
    for (;;) {
        if (ph_store_stats_get(images, &before) != PH_OK || ph_store_tick(images) != PH_OK ||
            ph_store_stats_get(images, &after) != PH_OK)
            return false;
        if (after.late == before.late) return true;
        while (after.writing && !atomic_load_explicit(&stopped, memory_order_relaxed)) {
            wait_a_little();
            if (ph_store_stats_get(images, &after) != PH_OK) return false;
        }
        if (after.writing) return true; /* a signal ends the run */
    }
}

/* Replays the records of the tick that was read. */
static bool run_records(phx_replay_state *replay)
{
    const phx_journal_walk *walk = &replay->store->walk;
    char reason[PH_STORE_REASON_SIZE] = "";
    const uint64_t start_ns = phx_clock_ns();
    const ph_status status = phx_journal_walk_replay(walk, replay->world, reason, sizeof reason);
    const uint64_t ns = phx_clock_ns() - start_ns;
    if (status == PH_BAD_RECORD) {
        const bool diverged = strncmp(reason, "diverged", strlen("diverged")) == 0;
        return phx_replay_fail(replay, diverged ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE, "%s: tick %" PRIu64 ": %s",
                               walk->path, walk->tick, reason);
    }
    if (status != PH_OK) return phx_replay_fail_status(replay, "the tick", status);
    if (!phx_replay_end_tick(replay, ns) || !note_hash(replay, walk->tick) || !phx_replay_csv_tick(replay))
        return false;
    return !replay->store->images || save_image(replay) ||
           phx_replay_fail(replay, PHX_EXIT_TROUBLE, "--save: the store has no world");
}

/* The journal has no more for now. false = the run ends. */
static bool await_records(phx_replay_state *replay, ph_status status)
{
    const phx_journal_walk *walk = &replay->store->walk;
    if (status == PH_NO_MEMORY) return phx_replay_fail_status(replay, "the journal", status);
    const bool gap = walk->gap && replay->job->follow; /* it can go on from a later image alone */
    if (status != PH_EMPTY || gap) return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s", walk->reason);
    if (replay->job->follow && !atomic_load_explicit(&stopped, memory_order_relaxed)) {
        wait_a_little();
        return compare_images(replay);
    }
    if (walk->reason[0] != '\0') {
        phx_progress_clear(&replay->progress);
        fprintf(stderr, "pharos-replay: the journal ends behind tick %" PRIu64 ": %s\n", walk->tick, walk->reason);
    }
    return false;
}

void phx_replay_image_run(phx_replay_state *replay)
{
    phx_journal_walk *walk = &replay->store->walk;
    bool good = note_hash(replay, replay->store->first_tick) && phx_replay_csv_begin(replay);
    if (replay->job->follow) catch_signals();
    while (good && !phx_replay_ticks_done(replay)) {
        const ph_status status = phx_journal_walk_next(walk);
        good = status == PH_OK ? run_records(replay) : await_records(replay, status);
    }
    if (replay->exit_status == PHX_EXIT_OK) (void)compare_images(replay);
}

/* ---- record ---- */

bool phx_replay_record_open(phx_replay_state *replay)
{
    ph_store_def def;
    if (!replay->job->record_path) return true;
    const ph_status status = ph_config_store(replay->job->config, &def); /* the path has folder and name */
    PHX_ASSERT(status == PH_OK || status == PH_EMPTY);
    def.image_ticks = 0; /* that of the empty world is enough */
    def.ring_bytes = RECORD_RING_BYTES;
    return make_part(replay) && open_images(replay, "--record", replay->job->record_path, def);
}

bool phx_replay_record_tick(phx_replay_state *replay)
{
    ph_store_stats stats;
    if (!replay->job->record_path) return true;
    for (bool goes_on = true;; goes_on = ph_store_tick(replay->store->images) == PH_OK) { /* it finds losses */
        if (!goes_on || ph_store_stats_get(replay->store->images, &stats) != PH_OK || stats.gaps > 0 ||
            !stats.recording)
            return phx_replay_fail(replay, PHX_EXIT_TROUBLE, "--record: a tick has more than fits, or the disk fails");
        if (stats.journal_tick + BEHIND_MAX >= replay->summary->ticks) return true;
        wait_a_little();
    }
}

void phx_replay_store_close(phx_replay_state *replay)
{
    phx_replay_store *store = replay->store;
    if (!store) return;
    phx_replay_csv_close(replay);
    const char *option = replay->job->record_path ? "--record" : "--save";
    if (store->images && ph_store_close(store->images) != PH_OK && replay->exit_status == PHX_EXIT_OK)
        (void)phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: the last image or record is not on the disk", option);
    phx_journal_walk_free(&store->walk);
    phx_folder_free(&store->folder);
    free(store);
}
