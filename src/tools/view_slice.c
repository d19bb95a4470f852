/*
 * Slices; see view_slice.h. A second world is loaded from a key image, runs to the tick before the slice, and is
 * recorded from there on: the shown one stays as it is. It has no key images of its own, and ends with the slice.
 */
#include "tools/view_slice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/replay_csv.h"
#include "tools/view_images.h"

/* The last image of the recorded world before the slice. */
static const phx_key_image *image_before(const phx_key_images *images, uint64_t first)
{
    const phx_key_image *best = &images->at[0];
    PHX_ASSERT(images->count > 0 && !best->diverged);
    for (uint32_t i = 0; i < images->count; i++)
        if (!images->at[i].diverged && images->at[i].tick < first) best = &images->at[i];
    return best;
}

/* Another player of the source at an image. false: the copy's reason says why. */
static bool open_copy(const phx_view_source *source, const phx_key_image *image, phx_view_source *copy)
{
    *copy = *source;
    copy->world = (ph_world){0};
    copy->consumer_count = 0;
    copy->config = NULL;
    copy->images = NULL;
    copy->own = NULL;
    if (ph_config_create(&copy->config) != PH_OK) return phx_source_fail(copy, "a config", PH_NO_MEMORY);
    return phx_key_image_load(image, copy) && source->fork(source, copy) && copy->reopen(copy);
}

static void close_copy(phx_view_source *copy)
{
    if (copy->own) copy->close(copy);
    else phx_source_end_world(copy);
    ph_config_destroy(copy->config);
}

static bool run_to(phx_view_source *copy, uint64_t tick)
{
    while (copy->at < tick && !copy->over)
        if (!copy->step(copy)) return false;
    return true;
}

/* The state behind the tick before the slice, then its commands, into a file. */
static bool record(phx_view_source *copy, uint64_t first, uint64_t last, const phx_slice_file *file)
{
    if (!run_to(copy, first - 1)) return false;
    const phx_replay_job job = {.csv_path = file->path,
                                .csv_shift = (uint64_t)copy->offset,
                                .csv_bytes_max = PHX_SLICE_BYTES_MAX,
                                .csv_too_long = phx_slice_too_long,
                                .reasons = file->reasons};
    phx_replay_state replay = {.mem = copy->mem, .job = &job, .world = copy->world, .exit_status = PHX_EXIT_OK};
    bool recorded = phx_replay_csv_open(&replay) && phx_replay_csv_begin(&replay);
    while (recorded && copy->at < last && !copy->over) recorded = copy->step(copy) && phx_replay_csv_tick(&replay);
    if (!recorded && replay.exit_status == PHX_EXIT_OK) replay.exit_status = PHX_EXIT_TROUBLE; /* no file */
    phx_replay_csv_close(&replay);
    return replay.exit_status == PHX_EXIT_OK;
}

/* ---- the file ---- */

const char phx_slice_too_long[] = "a slice has at most 32 MiB, with the state that it begins with: take fewer ticks";
_Static_assert(PHX_SLICE_BYTES_MAX == 32 << 20, "as the sentence says");

/* All of a file. false: no memory, or it can not be read. */
static bool read_file(const char *path, phx_view_slice *slice)
{
    phx_grown_bytes text = {0};
    char piece[1 << 16];
    size_t n;
    FILE *file = fopen(path, "rb");
    bool good = file != NULL;
    while (good && (n = fread(piece, 1, sizeof piece, file)) > 0) good = phx_grow_bytes(&text, piece, n);
    if (file) good = !ferror(file) && good;
    if (file) (void)fclose(file);
    if (!good) free(text.bytes);
    slice->text = good ? text.bytes : NULL;
    slice->bytes = text.size;
    return good;
}

static bool open_scratch(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, size, "%s/pharos-view-XXXXXX", folder ? folder : "/tmp");
    const int file = length > 0 && (size_t)length < size ? mkstemp(path) : -1;
    if (file >= 0) (void)close(file);
    return file >= 0;
}

bool phx_slice_file_open(phx_slice_file *file, phx_view_slice *slice)
{
    file->reasons = NULL;
    if (!open_scratch(file->path, sizeof file->path)) {
        snprintf(slice->reason, sizeof slice->reason, "no file for the slice is to be had in TMPDIR");
        file->path[0] = '\0';
        return false;
    }
    file->reasons = fmemopen(slice->reason, sizeof slice->reason, "w");
    if (file->reasons) return true;
    snprintf(slice->reason, sizeof slice->reason, "no memory for a slice");
    return false;
}

/* "PATH: why", a line: the path is of a file that goes at once. */
static void strip_path(const char *path, char *reason)
{
    const size_t length = strlen(path); /* 0: there is no file */
    const size_t begin = length > 0 && strncmp(reason, path, length) == 0 ? length + strlen(": ") : 0;
    reason[strcspn(reason, "\n")] = '\0';
    if (begin <= strlen(reason)) memmove(reason, reason + begin, strlen(reason) - begin + 1);
}

bool phx_slice_file_close(phx_slice_file *file, bool written, phx_view_slice *slice)
{
    if (file->reasons) (void)fclose(file->reasons);
    const bool read = written && read_file(file->path, slice);
    if (file->path[0] != '\0') (void)unlink(file->path);
    strip_path(file->path, slice->reason);
    if (!read && slice->reason[0] == '\0') snprintf(slice->reason, sizeof slice->reason, "the slice can not be read");
    return read;
}

/* ---- the slice ---- */

bool phx_view_slice_make(const phx_view_source *source, uint64_t first, uint64_t last, phx_view_slice *slice)
{
    phx_view_source copy;
    phx_slice_file file;
    *slice = (phx_view_slice){0};
    if (first <= source->first) return source->slice(source, last, slice);
    if (!phx_slice_file_open(&file, slice)) return phx_slice_file_close(&file, false, slice);
    copy.reason[0] = '\0';
    const bool opened = open_copy(source, image_before(source->images, first), &copy);
    const bool recorded = opened && record(&copy, first, last, &file);
    if (!recorded && copy.reason[0] != '\0') fprintf(file.reasons, "%s\n", copy.reason);
    close_copy(&copy);
    return phx_slice_file_close(&file, recorded, slice);
}
