/*
 * An image of a store and the journal behind it, as a world that goes forth and back. Forth, a tick's records at a
 * time, as pharos-replay does. Back by key images in memory, and forth over many ticks by the later images of the
 * store (view_seek.h). The store's files are read, never written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "config/definition.h"
#include "store/image_load.h"
#include "store/journal_walk.h"
#include "tools/replay_run.h"
#include "tools/store_names.h"
#include "tools/view_images.h"
#include "tools/view_slice.h"
#include "world/journal/record.h"

typedef struct store_player {
    phx_folder folder;
    phx_journal_walk walk; /* behind the present tick */
    phx_key_images images;
} store_player;

/* ---- the definition ---- */

/* The config gets the world's definition: names of classes for the page, and what a changed key is checked with. */
static bool take_definition(phx_view_source *source)
{
    char *text = NULL;
    size_t bytes = 0;
    ph_config_error error = {.reason = "no memory"};
    FILE *out = open_memstream(&text, &bytes);
    bool taken = out && phx_definition_write(&phx_resolve_world(source->world)->def, out);
    if (out && fclose(out) != 0) taken = false;
    taken = taken && ph_config_load_text(source->config, "the image's definition", text, &error) == PH_OK;
    if (!taken) snprintf(source->reason, sizeof source->reason, "%s", error.reason);
    free(text);
    return taken;
}

/* ---- records ---- */

static bool has_definition(const phx_walk_record *record)
{
    phx_record_head head = {0};
    const size_t bytes = record->size < sizeof head ? record->size : sizeof head;
    memcpy(&head, record->bytes, bytes);
    return head.flags & PHX_RECORD_DEF;
}

/* A world with a changed key has other events than the recorded one: that is no trouble. */
static bool run_record(phx_view_source *source, const phx_walk_record *record)
{
    const ph_status status =
        ph_journal_replay(source->world, record->bytes, record->size, source->reason, sizeof source->reason);
    if (status == PH_BAD_RECORD)
        return source->diverged && strncmp(source->reason, "diverged", strlen("diverged")) == 0;
    if (status != PH_OK) return phx_source_fail(source, "a record of the journal", status);
    return !has_definition(record) || take_definition(source);
}

static bool step(phx_view_source *source)
{
    store_player *player = source->own;
    phx_journal_walk *walk = &player->walk;
    const ph_status status = phx_journal_walk_next(walk);
    if (status == PH_NO_MEMORY) return phx_source_fail(source, "the journal", status);
    source->over = status != PH_OK; /* a file may have been removed since the begin */
    if (source->over) return true;
    for (size_t i = 0; i < walk->record_count; i++)
        if (!run_record(source, &walk->records[i])) return false;
    phx_source_return_batches(source);
    source->at = walk->tick;
    source->over = source->at >= source->last;
    if (source->images) phx_key_images_keep(source->images, source);
    return true;
}

/* ---- images of the store ---- */

static ph_status load_file(const phx_view_source *source, const char *path, uint64_t tick, ph_world *world,
                           char *reason, size_t size)
{
    ph_load_options options = source->layout;
    options.given |= PH_LOAD_REPLAY;
    options.allocator = source->mem->allocator;
    return phx_image_file_load(path, tick, &options, world, reason, size);
}

/* Goes to the image of this tick, if it can be loaded; the present world stays else. */
static bool load_tick(phx_view_source *source, uint64_t tick)
{
    store_player *player = source->own;
    char reason[PH_STORE_REASON_SIZE];
    ph_world world = {0};
    char *path = phx_folder_file(&player->folder, tick, PHX_STORE_IMAGE);
    const bool loaded = path && load_file(source, path, tick, &world, reason, sizeof reason) == PH_OK;
    free(path);
    if (!loaded) return false;
    phx_source_end_world(source);
    source->world = world;
    source->at = tick;
    return true;
}

/* ---- the source ---- */

static ph_status begin_world(phx_view_source *source)
{
    if (!take_definition(source)) return PH_NO_MEMORY;
    const ph_status status = phx_source_open_consumers(source);
    if (status != PH_OK) (void)phx_source_fail(source, "the image's consumers", status);
    return status;
}

/* Files that can not be loaded are passed over. */
static ph_status load_recorded(phx_view_source *source, uint64_t from, uint64_t to)
{
    const store_player *player = source->own;
    phx_ticks files;
    bool loaded = false;
    const int error = phx_folder_list(&player->folder, PHX_STORE_IMAGE, &files);
    for (size_t i = 0; error == 0 && i < files.count && files.at[i] > from && !loaded; i++)
        loaded = files.at[i] <= to && load_tick(source, files.at[i]);
    free(files.at);
    return loaded ? begin_world(source) : PH_EMPTY;
}

static bool reopen(phx_view_source *source)
{
    store_player *player = source->own;
    phx_journal_walk_free(&player->walk);
    phx_journal_walk_begin(&player->walk, &player->folder, source->at, source->last);
    source->over = source->at >= source->last;
    return true;
}

/* As pharos-replay IMAGE --csv: a run of its own from the image on, through a file that goes at once. */
static bool slice(const phx_view_source *source, uint64_t last, phx_view_slice *slice)
{
    phx_slice_file file;
    if (!phx_slice_file_open(&file, slice)) return phx_slice_file_close(&file, false, slice);
    phx_replay_summary *summary = calloc(1, sizeof *summary);
    const phx_replay_job job = {.trace_path = source->path,
                                .config = source->config,
                                .tick_last = last,
                                .image = true,
                                .layout = source->layout,
                                .csv_path = file.path,
                                .csv_bytes_max = PHX_SLICE_BYTES_MAX,
                                .csv_too_long = phx_slice_too_long,
                                .answers = stderr,
                                .reasons = file.reasons};
    const bool written = summary && phx_run_replay(source->mem, &job, summary) == PHX_EXIT_OK;
    free(summary);
    return phx_slice_file_close(&file, written, slice);
}

static bool fork_store(const phx_view_source *source, phx_view_source *copy)
{
    const store_player *player = source->own;
    store_player *made = calloc(1, sizeof *made);
    copy->own = made;
    return (made && phx_folder_init(&made->folder, player->folder.path, player->folder.name)) ||
           phx_source_fail(copy, copy->path, PH_NO_MEMORY);
}

static void close_store(phx_view_source *source)
{
    store_player *player = source->own;
    if (!player) return;
    phx_source_end_world(source);
    phx_journal_walk_free(&player->walk);
    phx_folder_free(&player->folder);
    phx_key_images_free(&player->images);
    free(player);
    source->own = NULL;
}

/* The last tick, by reading the journal once. */
static bool find_range(phx_view_source *source, uint64_t image_tick)
{
    store_player *player = source->own;
    phx_journal_walk *walk = &player->walk;
    ph_status status = PH_OK;
    phx_journal_walk_begin(walk, &player->folder, image_tick, UINT64_MAX);
    while (status == PH_OK) status = phx_journal_walk_next(walk);
    if (status == PH_NO_MEMORY) return phx_source_fail(source, "the journal", status);
    if (walk->reason[0] != '\0')
        fprintf(stderr, "pharos-view: the journal ends behind tick %llu: %s\n", (unsigned long long)walk->tick,
                walk->reason);
    source->first = source->at = image_tick;
    source->last = walk->tick;
    return reopen(source);
}

bool phx_view_store_open(phx_view_source *source)
{
    char folder[PH_STORE_REASON_SIZE], name[PH_STORE_NAME_MAX + 1], reason[PH_STORE_REASON_SIZE] = "";
    uint64_t tick;
    store_player *player = calloc(1, sizeof *player);
    if (!player) return phx_source_fail(source, source->path, PH_NO_MEMORY);
    source->own = player;
    source->step = step;
    source->images = &player->images;
    source->reopen = reopen;
    source->load_recorded = load_recorded;
    source->slice = slice;
    source->fork = fork_store;
    source->close = close_store;
    phx_key_images_init(&player->images, source->images_max_bytes);
    if (!phx_store_name_split(source->path, PHX_STORE_IMAGE, folder, name, &tick)) {
        snprintf(source->reason, sizeof source->reason, "%s: an image of a store has a name like arena.%0*d.phs",
                 source->path, PHX_TICK_DIGITS, 1200);
        return false;
    }
    if (!phx_folder_init(&player->folder, folder, name)) return phx_source_fail(source, source->path, PH_NO_MEMORY);
    const ph_status status = load_file(source, source->path, tick, &source->world, reason, sizeof reason);
    if (status != PH_OK)
        snprintf(source->reason, sizeof source->reason, "%s: %s", source->path,
                 reason[0] != '\0' ? reason : ph_status_text(status));
    if (status != PH_OK || begin_world(source) != PH_OK || !find_range(source, tick)) return false;
    return phx_key_images_begin(&player->images, source);
}
