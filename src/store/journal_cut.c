/*
 * Cuts a piece out of a store; see journal_cut.h.
 */
#include "store/journal_cut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/journal_walk.h"
#include "store/journal_writer.h"
#include "store/plain_file.h"

enum { COPY_BYTES = 1 << 20 };

typedef struct cutting {
    const phx_folder *folder, *other;
    const phx_disk *disk;
    char *reason;
    size_t reason_size;
} cutting;

static ph_status refuse_cut(const cutting *at, ph_status status, const char *path, const char *why)
{
    if (at->reason_size > 0) (void)snprintf(at->reason, at->reason_size, "%s: %s", path, why);
    return status;
}

/* The status of an errno. */
static ph_status cut_failed(const cutting *at, const char *path, int error)
{
    char text[128];
    if (error == 0) return PH_OK;
    return error == ENOMEM ? PH_NO_MEMORY : refuse_cut(at, PH_IO, path, strerror_r(error, text, sizeof text));
}

/* ---- image ---- */

static int copy_bytes(const cutting *at, FILE *from, int to)
{
    char *piece = malloc(COPY_BYTES);
    int error = piece ? 0 : ENOMEM;
    size_t count = 1;
    while (error == 0 && count > 0) {
        count = fread(piece, 1, COPY_BYTES, from);
        error = ferror(from) ? EIO : phx_disk_write_all(at->disk, to, piece, count);
    }
    free(piece);
    return error;
}

static ph_status copy_image(const cutting *at, const char *path, const char *part)
{
    uint64_t bytes;
    FILE *from = phx_plain_file_open(path, &bytes);
    if (!from) return cut_failed(at, path, errno);
    const int to = at->disk->create(part);
    int error = to < 0 ? errno : copy_bytes(at, from, to);
    if (error == 0 && at->disk->sync(to) != 0) error = errno;
    if (to >= 0 && at->disk->close(to) != 0 && error == 0) error = errno;
    (void)fclose(from);
    return cut_failed(at, part, error);
}

/* ---- journal ---- */

/* One record as a frame. */
static int put_record(phx_journal_writer *to, const phx_walk_record *record, uint64_t tick, bool first, bool ends)
{
    phx_journal_frame_head *frame = malloc(phx_journal_frame_bytes(record->size));
    if (!frame) return ENOMEM;
    *frame = (phx_journal_frame_head){.magic = PHX_JOURNAL_FRAME_MAGIC,
                                      .kind = first ? PHX_JOURNAL_FRAME_FIRST : PHX_JOURNAL_FRAME_RECORD,
                                      .flags = (uint16_t)(PH_RECORD_WHOLE | (ends ? PH_RECORD_TICK : 0)),
                                      .tick = tick,
                                      .bytes = record->size};
    memcpy(frame + 1, record->bytes, record->size);
    const int error = phx_journal_writer_put(to, frame);
    free(frame);
    return error;
}

static int put_tick(phx_journal_writer *to, const phx_journal_walk *walk, bool first)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < walk->record_count; i++)
        error = put_record(to, &walk->records[i], walk->tick, first && i == 0, i + 1 == walk->record_count);
    return error;
}

/* *last: the tick of the last record. */
static ph_status copy_journal(const cutting *at, const char *part, uint64_t tick, uint64_t to, uint64_t *last)
{
    phx_journal_writer writer = {.disk = at->disk, .file = -1};
    phx_journal_walk walk;
    ph_status status = PH_OK;
    *last = tick;
    phx_journal_walk_begin(&walk, at->folder, tick, to);
    int error = phx_journal_writer_open(&writer, part, tick + 1);
    while (error == 0 && (status = phx_journal_walk_next(&walk)) == PH_OK) {
        error = put_tick(&writer, &walk, *last == tick);
        *last = walk.tick;
    }
    if (error == 0) error = phx_journal_writer_end(&writer, *last);
    if (error == 0) error = phx_journal_writer_sync(&writer);
    const int closed = phx_journal_writer_close(&writer);
    if (error == 0) error = closed;
    if (error != 0) status = cut_failed(at, part, error);
    else if (status == PH_IO) (void)snprintf(at->reason, at->reason_size, "%s", walk.reason);
    phx_journal_walk_free(&walk);
    return error == 0 && (status == PH_EMPTY || status == PH_BAD_RECORD) ? PH_OK : status;
}

/* ---- both ---- */

/* The tick of the newest image up to a tick. */
static ph_status find_image(const cutting *at, uint64_t from, uint64_t *tick)
{
    phx_ticks images;
    const int error = phx_folder_list(at->folder, PHX_STORE_IMAGE, &images);
    size_t place = 0;
    while (place < images.count && images.at[place] > from) place++;
    const bool found = place < images.count;
    if (found) *tick = images.at[place];
    free(images.at);
    if (error != 0) return cut_failed(at, at->folder->path, error);
    return found ? PH_OK : refuse_cut(at, PH_EMPTY, at->folder->path, "no image is so old");
}

/* The paths of one cut. */
typedef struct cut_paths {
    char *from_image, *image, *image_part, *journal, *journal_part;
} cut_paths;

static bool make_paths(const cutting *at, uint64_t tick, cut_paths *paths)
{
    *paths = (cut_paths){
        phx_folder_file(at->folder, tick, PHX_STORE_IMAGE), phx_folder_file(at->other, tick, PHX_STORE_IMAGE),
        phx_folder_file(at->other, tick, PHX_STORE_PART), phx_folder_file(at->other, tick + 1, PHX_STORE_JOURNAL),
        phx_folder_file(at->other, tick + 1, PHX_STORE_PART)};
    return paths->from_image && paths->image && paths->image_part && paths->journal && paths->journal_part;
}

/* Gives a whole part its name. */
static int name_part(const cutting *at, const char *part, const char *path)
{
    return at->disk->rename(part, path) == 0 ? 0 : errno;
}

static ph_status copy_both(const cutting *at, const cut_paths *paths, uint64_t to, phx_journal_cut *cut)
{
    if (access(paths->image, F_OK) == 0) return refuse_cut(at, PH_TAKEN, paths->image, "it is there already");
    if (access(paths->journal, F_OK) == 0) return refuse_cut(at, PH_TAKEN, paths->journal, "it is there already");
    ph_status status = copy_image(at, paths->from_image, paths->image_part);
    if (status == PH_OK) status = copy_journal(at, paths->journal_part, cut->image_tick, to, &cut->last_tick);
    int error = 0;
    /* the image last: a journal without one is no store */
    if (status == PH_OK && cut->last_tick > cut->image_tick) error = name_part(at, paths->journal_part, paths->journal);
    if (status == PH_OK && error == 0) error = name_part(at, paths->image_part, paths->image);
    if (status == PH_OK && error == 0 && at->disk->sync_folder(at->other->path) != 0) error = errno;
    (void)at->disk->remove(paths->image_part);
    (void)at->disk->remove(paths->journal_part);
    if (error != 0) (void)at->disk->remove(paths->journal);
    return error != 0 ? cut_failed(at, at->other->path, error) : status;
}

ph_status phx_journal_cut_copy(const phx_folder *folder, const phx_folder *other, const phx_disk *disk, uint64_t from,
                               uint64_t to, phx_journal_cut *cut, char *reason, size_t reason_size)
{
    const cutting at = {folder, other, disk, reason, reason_size};
    cut_paths paths = {0};
    ph_status status = find_image(&at, from, &cut->image_tick);
    cut->last_tick = cut->image_tick;
    if (status == PH_OK && !make_paths(&at, cut->image_tick, &paths)) status = PH_NO_MEMORY;
    if (status == PH_OK) status = copy_both(&at, &paths, to, cut);
    free(paths.from_image);
    free(paths.image);
    free(paths.image_part);
    free(paths.journal);
    free(paths.journal_part);
    return status;
}
