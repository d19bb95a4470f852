/*
 * A world of the newest image that is whole, and of the records behind it; see pharos/store.h. The calling thread; the
 * folder is only read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "store/def.h"
#include "store/folder.h"
#include "store/image_load.h"
#include "store/journal_walk.h"

/* One call of ph_store_recover(). */
typedef struct recovery {
    phx_folder folder;
    phx_ticks images;
    const ph_load_options *options;
    char *reason;
    size_t reason_size;
} recovery;

static ph_status refuse_folder(const recovery *at, int error)
{
    char text[128];
    if (error == ENOMEM) return PH_NO_MEMORY;
    if (at->reason_size > 0)
        snprintf(at->reason, at->reason_size, "%s: %s", at->folder.path, strerror_r(error, text, sizeof text));
    return PH_IO;
}

/* Is the image to be passed over? PH_IO too: another process's store may have removed it since the folder was listed.
 */
static bool is_damage(ph_status status)
{
    return status == PH_BAD_IMAGE || status == PH_IO;
}

/* Loads the newest image that can be loaded. */
static ph_status load_newest(recovery *at, ph_world *world, uint64_t *tick)
{
    ph_status first = PH_EMPTY;
    for (size_t i = 0; i < at->images.count; i++) {
        char line[PH_STORE_REASON_SIZE] = "";
        char *path = phx_folder_file(&at->folder, at->images.at[i], PHX_STORE_IMAGE);
        if (!path) return PH_NO_MEMORY;
        const ph_status status = phx_image_file_load(path, at->images.at[i], at->options, world, line, sizeof line);
        if (status != PH_OK && first == PH_EMPTY && at->reason_size > 0)
            snprintf(at->reason, at->reason_size, "%s: %s", path, line);
        free(path);
        *tick = at->images.at[i];
        if (!is_damage(status)) return status;
        if (first == PH_EMPTY) first = status;
    }
    return first;
}

/* ---- journal ---- */

/* The world's consumers, while it replays. */
typedef struct replay_ends {
    ph_consumer at[PH_CONSUMERS_MAX];
    uint32_t count;
} replay_ends;

/* Opens the consumers, if they begin anew: then the batches of replayed ticks are for no client. */
static ph_status open_ends(replay_ends *ends, const recovery *at, ph_world world)
{
    ph_status status = PH_OK;
    ends->count = 0;
    if (!at->options || !(at->options->given & PH_LOAD_FRESH)) return PH_OK;
    while (ends->count < PH_CONSUMERS_MAX &&
           (status = ph_consumer_open(world, ends->count, &ends->at[ends->count])) == PH_OK)
        ends->count++;
    return status == PH_NO_MEMORY ? status : PH_OK;
}

/* Takes and forgets the batches of a tick. */
static void drop_batches(const replay_ends *ends)
{
    const ph_batch *batch;
    for (uint32_t i = 0; i < ends->count; i++)
        while (ph_batch_take(ends->at[i], &batch) == PH_OK) (void)ph_batch_return(ends->at[i], batch);
}

static void close_ends(const replay_ends *ends)
{
    for (uint32_t i = 0; i < ends->count; i++) (void)ph_consumer_close(ends->at[i]);
}

/* Says at which record the journal ends, unless damage was told before. */
static void tell_end(const recovery *at, const phx_journal_walk *walk, ph_status status, const char *line)
{
    if (at->reason_size == 0 || at->reason[0] != '\0') return;
    if (status == PH_OK) (void)snprintf(at->reason, at->reason_size, "%s", walk->reason);
    else
        (void)snprintf(at->reason, at->reason_size, "%s: tick %" PRIu64 ": %s", walk->path, walk->tick,
                       status == PH_BAD_RECORD ? line : ph_status_text(status));
}

/*
 * Replays the records behind the image, up to a tick. PH_OK; PH_BAD_RECORD: the world may be anywhere within the tick
 * behind *tick; PH_IO, PH_NO_MEMORY.
 */
static ph_status replay_journal(recovery *at, ph_world world, uint64_t end, uint64_t *tick)
{
    phx_journal_walk walk;
    char line[PH_STORE_REASON_SIZE] = "";
    replay_ends ends;
    ph_status replayed = open_ends(&ends, at, world), status = PH_EMPTY;
    phx_journal_walk_begin(&walk, &at->folder, *tick, end);
    while (replayed == PH_OK && (status = phx_journal_walk_next(&walk)) == PH_OK) {
        replayed = phx_journal_walk_replay(&walk, world, line, sizeof line);
        if (replayed != PH_OK) break;
        drop_batches(&ends);
        *tick = walk.tick;
    }
    /* a store that was opened in the meantime, for a world of an earlier tick, changes nothing about this one */
    if (status == PH_BAD_RECORD) status = PH_EMPTY;
    close_ends(&ends);
    if (status == PH_EMPTY || (status == PH_OK && replayed != PH_NO_MEMORY)) tell_end(at, &walk, replayed, line);
    if (status == PH_IO && at->reason_size > 0) (void)snprintf(at->reason, at->reason_size, "%s", walk.reason);
    phx_journal_walk_free(&walk);
    return status == PH_IO || status == PH_NO_MEMORY ? status : replayed;
}

/*
 * Loads and replays. A record that does not fit leaves the world within its tick: then it is done anew, up to the tick
 * before, which is earlier each time.
 */
static ph_status load_and_replay(recovery *at, ph_world *world, uint64_t *tick)
{
    uint64_t end = UINT64_MAX;
    for (;;) {
        ph_status status = load_newest(at, world, tick);
        if (status != PH_OK) return status;
        status = replay_journal(at, *world, end, tick);
        if (status == PH_OK) return status;
        (void)ph_world_destroy(*world);
        *world = (ph_world){0};
        if (status != PH_BAD_RECORD) return status;
        end = *tick;
    }
}

ph_status ph_store_recover(const ph_store_def *def, const ph_load_options *options, ph_world *world, uint64_t *tick,
                           char *reason, size_t reason_size)
{
    recovery at = {.options = options, .reason = reason, .reason_size = reason ? reason_size : 0};
    uint64_t found = 0;
    if (at.reason_size > 0) reason[0] = '\0';
    if (tick) *tick = 0;
    if (!world) return PH_BAD_ARGUMENT;
    *world = (ph_world){0};
    if (!def) return PH_BAD_ARGUMENT;
    ph_status status = phx_store_check_place(def, reason, at.reason_size);
    if (status != PH_OK) return status;
    if (phx_folder_init(&at.folder, def->folder, def->name)) {
        const int error = phx_folder_list(&at.folder, PHX_STORE_IMAGE, &at.images);
        status = error == 0 ? load_and_replay(&at, world, &found) : refuse_folder(&at, error);
    } else status = PH_NO_MEMORY;
    free(at.images.at);
    phx_folder_free(&at.folder);
    if (status == PH_OK && tick) *tick = found;
    return status;
}
