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

/* Says at which record the journal ends, unless damage was told before. */
static void tell_end(recovery *at, const char *path, const char *reason)
{
    if (at->reason_size > 0 && at->reason[0] == '\0')
        (void)snprintf(at->reason, at->reason_size, "%s: %s", path, reason);
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
 * Replays the ticks of one file between the world's tick and `last`. PH_OK: the next file goes on; also behind damage,
 * as a process that was killed leaves half a record, and another one goes on behind it. PH_EMPTY: the journal ends
 * here. PH_BAD_RECORD: the world may be anywhere within the tick behind *tick. PH_NO_MEMORY.
 */
static ph_status replay_file(recovery *at, const char *path, ph_world world, uint64_t last, uint64_t *tick)
{
    phx_journal_file from;
    ph_status replayed = PH_OK, status = phx_journal_file_open(&from, path);
    while (status == PH_OK && replayed == PH_OK && (status = phx_journal_file_next(&from)) == PH_OK) {
        if (from.frame.tick <= *tick) continue;
        if (from.frame.tick > last) break;
        if (from.frame.tick != *tick + 1) {
            (void)snprintf(from.reason, sizeof from.reason, "tick %" PRIu64 ": behind tick %" PRIu64 " there is a gap",
                           from.frame.tick, *tick);
            replayed = PH_EMPTY;
        } else if (from.frame.flags & PH_RECORD_TICK) {
            replayed = replay_tick(at, &from, world);
            *tick += replayed == PH_OK;
        } else if (!keep_apply(at, &from)) {
            status = PH_NO_MEMORY;
        }
    }
    if (status == PH_BAD_RECORD || status == PH_IO || (replayed != PH_OK && replayed != PH_NO_MEMORY))
        tell_end(at, path, from.reason);
    phx_journal_file_close(&from);
    drop_applies(at); /* the tick of an apply is in the same file, or nowhere */
    return status == PH_NO_MEMORY ? status : replayed;
}

/*
 * Replays the records behind the image, up to a tick. A file ends where the next one begins: what it has beyond was
 * recorded by a process that ended, before another one went on from an earlier tick. Returns as replay_file(), and
 * PH_IO.
 */
static ph_status replay_journal(recovery *at, ph_world world, uint64_t end, uint64_t *tick)
{
    phx_ticks files;
    const int error = phx_folder_list(&at->folder, PHX_STORE_JOURNAL, &files);
    ph_status status = error == 0 ? PH_OK : refuse_folder(at, error);
    for (size_t i = files.count; status == PH_OK && i-- > 0;) {
        const uint64_t next = i > 0 ? files.at[i - 1] - 1 : UINT64_MAX, last = next < end ? next : end;
        if (last <= *tick) continue;
        char *path = phx_folder_file(&at->folder, files.at[i], PHX_STORE_JOURNAL);
        status = path ? replay_file(at, path, world, last, tick) : PH_NO_MEMORY;
        free(path);
    }
    free(files.at);
    return status == PH_EMPTY ? PH_OK : status;
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
    free(at.kept);
    free(at.images.at);
    phx_folder_free(&at.folder);
    if (status == PH_OK && tick) *tick = found;
    return status;
}
