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
#include "store/image_file.h"
#include "store/journal_file.h"

typedef struct kept_record {
    void *bytes;
    size_t size;
} kept_record;

/* One call of ph_store_recover(). */
typedef struct recovery {
    phx_folder folder;
    phx_ticks images;
    const ph_load_options *options;
    char *reason;
    size_t reason_size;
    kept_record *kept; /* applies of the next tick */
    size_t kept_count;
} recovery;

/* An image that another process's store has pruned since the folder was listed is none that is bad. */
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
        const ph_status status = phx_image_file_load(path, at->options, world, line, sizeof line);
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

/* Keeps the record of an apply until that of its tick is there. false = no memory. */
static bool keep_apply(recovery *at, const phx_journal_file *from)
{
    kept_record *kept = realloc(at->kept, (at->kept_count + 1) * sizeof *kept);
    if (!kept) return false;
    at->kept = kept;
    kept[at->kept_count] = (kept_record){malloc(from->frame.bytes), from->frame.bytes};
    if (!kept[at->kept_count].bytes) return false;
    memcpy(kept[at->kept_count++].bytes, from->record, from->frame.bytes);
    return true;
}

static void drop_applies(recovery *at)
{
    for (size_t i = 0; i < at->kept_count; i++) free(at->kept[i].bytes);
    at->kept_count = 0;
}

/* Replays a tick with the applies before it. */
static ph_status replay_tick(recovery *at, phx_journal_file *from, ph_world world)
{
    char line[PH_STORE_REASON_SIZE] = "";
    ph_status status = PH_OK;
    for (size_t i = 0; status == PH_OK && i < at->kept_count; i++)
        status = ph_journal_replay(world, at->kept[i].bytes, at->kept[i].size, line, sizeof line);
    if (status == PH_OK) status = ph_journal_replay(world, from->record, from->frame.bytes, line, sizeof line);
    if (status != PH_OK)
        (void)snprintf(from->reason, sizeof from->reason, "tick %" PRIu64 ": %s", from->frame.tick,
                       status == PH_BAD_RECORD ? line : ph_status_text(status));
    drop_applies(at);
    return status;
}

/*
 * Replays the ticks of one file between the world's tick and `last`. false: the journal ends here. Behind damage it may
 * go on in the next file: a process that was killed leaves half a record, and another one goes on behind it.
 */
static bool replay_file(recovery *at, const char *path, ph_world world, uint64_t last, uint64_t *tick)
{
    phx_journal_file from;
    bool fits = true;
    ph_status status = phx_journal_file_open(&from, path);
    while (status == PH_OK && (status = phx_journal_file_next(&from)) == PH_OK) {
        if (from.frame.tick <= *tick) continue;
        if (from.frame.tick > last) break;
        if (!(from.frame.flags & PH_RECORD_TICK)) {
            status = keep_apply(at, &from) ? PH_OK : PH_NO_MEMORY;
            continue;
        }
        status = replay_tick(at, &from, world);
        fits = status == PH_OK;
        if (fits) *tick = from.frame.tick;
    }
    if ((status == PH_BAD_RECORD || status == PH_IO) && at->reason_size > 0 && at->reason[0] == '\0')
        (void)snprintf(at->reason, at->reason_size, "%s: %s", path, from.reason);
    phx_journal_file_close(&from);
    drop_applies(at); /* the tick of an apply is in the same file, or nowhere */
    return fits && status != PH_NO_MEMORY;
}

/*
 * Replays all records behind the image. A file ends where the next one begins: what it has beyond was recorded by a
 * process that ended, before another one went on from an earlier tick.
 */
static void replay_journal(recovery *at, ph_world world, uint64_t *tick)
{
    phx_ticks files;
    int error = phx_folder_list(&at->folder, PHX_STORE_JOURNAL, &files);
    bool through = error == 0;
    for (size_t i = files.count; through && i-- > 0;) {
        const uint64_t last = i > 0 ? files.at[i - 1] - 1 : UINT64_MAX;
        if (last <= *tick) continue;
        char *path = phx_folder_file(&at->folder, files.at[i], PHX_STORE_JOURNAL);
        through = path && replay_file(at, path, world, last, tick);
        free(path);
    }
    free(at->kept);
    free(files.at);
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
        status = error == 0 ? load_newest(&at, world, &found) : error == ENOMEM ? PH_NO_MEMORY : PH_IO;
        if (status == PH_OK) replay_journal(&at, *world, &found);
        if (error != 0 && at.reason_size > 0) {
            char text[128];
            snprintf(reason, at.reason_size, "%s: %s", def->folder, strerror_r(error, text, sizeof text));
        }
    } else status = PH_NO_MEMORY;
    free(at.images.at);
    phx_folder_free(&at.folder);
    if (status == PH_OK && tick) *tick = found;
    return status;
}
