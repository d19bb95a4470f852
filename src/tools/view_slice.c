/*
 * Slices; see view_slice.h. A second world is loaded from a key image, runs to the tick before the slice, and is
 * recorded from there on: the shown one stays as it is. It has no key images of its own, and ends with the slice.
 */
#include "tools/view_slice.h"

#include <stdio.h>
#include <stdlib.h>
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
static bool record(phx_view_source *copy, uint64_t first, uint64_t last, const char *path)
{
    if (!run_to(copy, first - 1)) return false;
    const phx_replay_job job = {.csv_path = path, .csv_shift = (uint64_t)copy->offset};
    phx_replay_state replay = {.mem = copy->mem, .job = &job, .world = copy->world, .exit_status = PHX_EXIT_OK};
    const bool recorded = phx_replay_csv_open(&replay) && phx_replay_csv_begin(&replay) && run_to(copy, last);
    if (!recorded && replay.exit_status == PHX_EXIT_OK) replay.exit_status = PHX_EXIT_TROUBLE; /* no file */
    phx_replay_csv_close(&replay);
    return replay.exit_status == PHX_EXIT_OK;
}

/* All of a file. NULL: no memory, or it can not be read. */
char *phx_read_file(const char *path, size_t *bytes)
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
    *bytes = text.size;
    return good ? text.bytes : NULL;
}

bool phx_open_scratch(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, size, "%s/pharos-view-XXXXXX", folder ? folder : "/tmp");
    const int file = length > 0 && (size_t)length < size ? mkstemp(path) : -1;
    if (file >= 0) (void)close(file);
    return file >= 0;
}

char *phx_view_slice(const phx_view_source *source, uint64_t first, uint64_t last, size_t *bytes)
{
    phx_view_source copy;
    char path[PHX_SOURCE_REASON_SIZE], *text = NULL;
    if (first <= source->first) return source->slice(source, last, bytes);
    if (!phx_open_scratch(path, sizeof path)) return NULL;
    copy.reason[0] = '\0';
    const bool opened = open_copy(source, image_before(source->images, first), &copy);
    if (opened && record(&copy, first, last, path)) text = phx_read_file(path, bytes);
    if (!text && copy.reason[0] != '\0') fprintf(stderr, "pharos-view: a slice: %s\n", copy.reason);
    close_copy(&copy);
    (void)unlink(path);
    return text;
}
