/*
 * The walk through the files of a journal; see journal_walk.h.
 */
#include "store/journal_walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pharos/pharos.h>

void phx_journal_walk_begin(phx_journal_walk *walk, const phx_folder *folder, uint64_t tick, uint64_t end)
{
    *walk = (phx_journal_walk){.folder = folder, .tick = tick, .end = end, .next_tick = UINT64_MAX};
}

static void close_walked(phx_journal_walk *walk)
{
    if (walk->open) phx_journal_file_close(&walk->file);
    free(walk->path);
    walk->path = NULL;
    walk->open = walk->damaged = walk->headless = false;
}

static void drop_records(phx_journal_walk *walk)
{
    for (size_t i = 0; i < walk->record_count; i++) free(walk->records[i].bytes);
    walk->record_count = 0;
}

void phx_journal_walk_free(phx_journal_walk *walk)
{
    close_walked(walk);
    drop_records(walk);
    free(walk->records);
    *walk = (phx_journal_walk){0};
}

/* Keeps the record that was read. false = no memory. */
static bool keep_record(phx_journal_walk *walk)
{
    enum { FIRST_ITEMS = 4 };
    const phx_journal_file *from = &walk->file;
    if (walk->record_count == walk->record_capacity) {
        const size_t capacity = walk->record_capacity ? walk->record_capacity * 2 : FIRST_ITEMS;
        phx_walk_record *records = realloc(walk->records, capacity * sizeof *records);
        if (!records) return false;
        walk->records = records;
        walk->record_capacity = capacity;
    }
    phx_walk_record *kept = &walk->records[walk->record_count];
    *kept = (phx_walk_record){malloc(from->frame.bytes), from->frame.bytes};
    if (!kept->bytes) return false;
    memcpy(kept->bytes, from->record, from->frame.bytes);
    walk->record_count++;
    return true;
}

/* Keeps the line of the first damage. */
static void note_damage(phx_journal_walk *walk, const char *reason)
{
    if (walk->reason[0] == '\0') (void)snprintf(walk->reason, sizeof walk->reason, "%s: %s", walk->path, reason);
}

/* Keeps the line about the end of the newest file, for as long as it does not grow. */
static void note_end(phx_journal_walk *walk)
{
    if (!walk->damaged || walk->reason[0] != '\0') return;
    note_damage(walk, walk->file.reason);
    walk->at_end = true;
}

/* ---- one file ---- */

/* The frame that was read. PH_OK: its tick is whole; PH_PENDING: more of it follows; PH_EMPTY: it has no place. */
static ph_status take_frame(phx_journal_walk *walk)
{
    phx_journal_file *from = &walk->file;
    const uint64_t limit = walk->next_tick - 1 < walk->end ? walk->next_tick - 1 : walk->end;
    if (from->frame.tick <= walk->tick) return PH_PENDING;
    if (from->frame.tick > limit) return PH_EMPTY;
    if (from->frame.tick != walk->tick + 1) {
        char line[PH_STORE_REASON_SIZE];
        (void)snprintf(line, sizeof line, "tick %" PRIu64 ": behind tick %" PRIu64 " there is a gap", from->frame.tick,
                       walk->tick);
        note_damage(walk, line);
        walk->gap = true;
        return PH_EMPTY;
    }
    if (!keep_record(walk)) return PH_NO_MEMORY;
    if (!(from->frame.flags & PH_RECORD_TICK)) return PH_PENDING;
    walk->tick++;
    return PH_OK;
}

static ph_status open_walked(phx_journal_walk *walk, uint64_t tick)
{
    close_walked(walk);
    walk->path = phx_folder_file(walk->folder, tick, PHX_STORE_JOURNAL);
    if (!walk->path) return PH_NO_MEMORY;
    walk->headless = phx_journal_file_open(&walk->file, walk->path) != PH_OK;
    walk->open = true;
    walk->damaged = walk->headless;
    walk->file_tick = tick;
    walk->whole = walk->file.at;
    return PH_OK;
}

/* Reads frames until a tick is whole. PH_OK, PH_NO_MEMORY; PH_EMPTY: there is none. */
static ph_status read_frames(phx_journal_walk *walk)
{
    phx_journal_file *from = &walk->file;
    ph_status taken = PH_PENDING, status = phx_journal_file_again(from, walk->whole);
    while (status == PH_OK && taken == PH_PENDING) {
        status = phx_journal_file_next(from);
        if (status == PH_OK) taken = take_frame(walk);
        /* passed over, or given: not an apply that waits for its tick */
        if (taken == PH_OK || (status == PH_OK && walk->record_count == 0)) walk->whole = from->at;
    }
    walk->damaged = status == PH_BAD_RECORD || status == PH_IO;
    if (status == PH_NO_MEMORY || taken == PH_NO_MEMORY) return PH_NO_MEMORY;
    return taken == PH_OK ? PH_OK : PH_EMPTY;
}

/* The next whole tick of the open file. As above. */
static ph_status read_tick(phx_journal_walk *walk)
{
    ph_status status = walk->headless ? open_walked(walk, walk->file_tick) : PH_OK;
    if (status == PH_OK) status = walk->headless ? PH_EMPTY : read_frames(walk);
    if (status != PH_OK) drop_records(walk); /* the tick of an apply is in the same file, or nowhere */
    if (status == PH_OK && walk->at_end) walk->reason[0] = '\0', walk->at_end = false;
    return status;
}

/* ---- from file to file ---- */

static ph_status refuse_walk(phx_journal_walk *walk, ph_status status, const char *reason)
{
    (void)snprintf(walk->reason, sizeof walk->reason, "%s/%s: %s", walk->folder->path, walk->folder->name, reason);
    return status;
}

/* Has the file's name gone to another file? Or to none, while no later file is there. */
static bool was_replaced(const phx_journal_walk *walk)
{
    struct stat named, open;
    if (!walk->file.file) return false;
    if (fstat(fileno(walk->file.file), &open) != 0) return false;
    if (stat(walk->path, &named) != 0) return walk->next_tick == UINT64_MAX;
    return named.st_ino != open.st_ino || named.st_dev != open.st_dev;
}

/* Finds the file behind the open one; with none open, the one with the next tick, which it opens. */
static ph_status look_around(phx_journal_walk *walk)
{
    char text[128];
    phx_ticks files;
    const int error = phx_folder_list(walk->folder, PHX_STORE_JOURNAL, &files);
    uint64_t first = UINT64_MAX; /* of the file to be opened */
    walk->next_tick = UINT64_MAX;
    for (size_t i = 0; i < files.count; i++) { /* the newest first */
        const uint64_t tick = files.at[i];
        if (walk->open ? tick <= walk->file_tick : first <= walk->tick + 1) break;
        if (walk->open) walk->next_tick = tick;
        else walk->next_tick = first, first = tick;
    }
    free(files.at);
    if (error == ENOMEM) return PH_NO_MEMORY;
    if (error != 0) return refuse_walk(walk, PH_IO, strerror_r(error, text, sizeof text));
    return walk->open || first == UINT64_MAX ? PH_OK : open_walked(walk, first);
}

/* Goes on to the file behind the open one. */
static ph_status go_to_next(phx_journal_walk *walk)
{
    if (walk->damaged) note_damage(walk, walk->file.reason);
    const ph_status status = open_walked(walk, walk->next_tick);
    return status == PH_OK ? look_around(walk) : status;
}

ph_status phx_journal_walk_next(phx_journal_walk *walk)
{
    ph_status status = PH_OK;
    drop_records(walk);
    if (walk->tick >= walk->end) return PH_EMPTY;
    if (!walk->open) status = look_around(walk);
    while (status == PH_OK && walk->open) {
        /* what is known of the next file is from before this file is read: so all of it is there to be read */
        const uint64_t known = walk->next_tick;
        status = read_tick(walk);
        if (status != PH_EMPTY) return status;
        if ((status = look_around(walk)) != PH_OK) return status;
        if (walk->next_tick <= walk->tick || was_replaced(walk))
            return refuse_walk(walk, PH_BAD_RECORD,
                               "the recorded world began again from an earlier tick, or its last file is gone");
        if (known != walk->next_tick) continue;
        if (known == UINT64_MAX) {
            note_end(walk);
            return PH_EMPTY;
        }
        status = go_to_next(walk);
    }
    return status == PH_OK ? PH_EMPTY : status;
}

/* ---- replay ---- */

ph_status phx_journal_walk_replay(const phx_journal_walk *walk, ph_world world, char *reason, size_t reason_size)
{
    ph_stats stats;
    ph_status status = PH_OK;
    for (size_t i = 0; status == PH_OK && i < walk->record_count; i++)
        status = ph_journal_replay(world, walk->records[i].bytes, walk->records[i].size, reason, reason_size);
    if (status == PH_OK) status = ph_world_stats(world, &stats);
    if (status != PH_OK || stats.ticks == walk->tick) return status;
    if (reason_size > 0)
        (void)snprintf(reason, reason_size, "its records end with tick %" PRIu64 " of the world",
                       (uint64_t)stats.ticks);
    return PH_BAD_RECORD;
}
