/*
 * A trace as a world that goes forth and back. Forth, a tick at a time, as pharos-replay does. Back by key images
 * (view_seek.h): the trace is opened anew behind the one that is loaded. A live key that is changed makes another world
 * than the recorded one, which goes on from there; a seek to before that tick undoes it.
 */
#include "tools/replay_submit.h"
#include "tools/text_input.h"
#include "tools/trace.h"
#include "tools/trace_config.h"
#include "tools/trace_head.h"
#include "tools/view_images.h"
#include "tools/view_slice.h"
#include "tools/view_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trace_player {
    phx_trace *trace;
    phx_submitter submitter;
    phx_trace_row row; /* the next one, if there is one */
    bool has_row;
    phx_trace_config config;
    uint64_t bad_lines, refused;
    char *head; /* the definition of the begin, from file and assignments: a slice is a trace by itself */
    size_t head_bytes;
    phx_key_images images;
} trace_player;

/* ---- rows ---- */

static uint32_t kind_of(void *user, const char *name)
{
    const ph_config *config = user;
    const uint32_t kind = ph_config_kind(config, name);
    return kind == PH_KIND_NONE ? 0 : kind;
}

static void say_error(const char *path, const phx_trace_error *error, char reason[PHX_SOURCE_REASON_SIZE])
{
    if (error->line == 0) snprintf(reason, PHX_SOURCE_REASON_SIZE, "%s: %s", path, error->reason);
    else snprintf(reason, PHX_SOURCE_REASON_SIZE, "%s:%llu: %s", path, (unsigned long long)error->line, error->reason);
}

static bool broken(phx_view_source *source, const phx_trace_error *error)
{
    say_error(source->path, error, source->reason);
    return false;
}

/* Bad lines are passed over: a viewer shows what is there; pharos-replay names them. */
static bool next_row(phx_view_source *source)
{
    trace_player *player = source->own;
    phx_trace_error error;
    for (;;) {
        const phx_trace_result result = phx_trace_next(player->trace, &player->row, &error);
        if (result == PHX_TRACE_BROKEN) return broken(source, &error);
        player->has_row = result == PHX_TRACE_ROW;
        if (result != PHX_TRACE_BAD) return true;
        player->bad_lines++;
    }
}

static ph_status open_file(const phx_view_source *source, phx_trace **trace, phx_trace_error *error)
{
    const phx_trace_source file = {source->path, source->unpack_max_bytes, kind_of, source->config};
    return phx_trace_open(trace, source->mem, &file, error);
}

static bool open_trace(phx_view_source *source)
{
    trace_player *player = source->own;
    phx_trace_error error;
    phx_trace_close(player->trace);
    player->trace = NULL;
    const ph_status status = open_file(source, &player->trace, &error);
    if (status == PH_BAD_ARGUMENT) return broken(source, &error);
    return status == PH_OK ? next_row(source) : phx_source_fail(source, source->path, status);
}

static void note_refused(void *user, uint64_t line, const ph_refusal *refusal)
{
    trace_player *player = user;
    (void)line, (void)refusal;
    player->refused++;
}

static bool submit(phx_view_source *source)
{
    trace_player *player = source->own;
    ph_status status;
    if (player->row.op == PHX_TRACE_OP_CONFIG) {
        player->refused += !phx_trace_config_row(&player->config, &player->row);
        return true;
    }
    if (player->row.op == PHX_TRACE_OP_APPLY) status = ph_apply(source->world);
    else status = phx_submit(&player->submitter, &player->row);
    if (status == PH_NO_MEMORY || status == PH_FULL || (player->row.op == PHX_TRACE_OP_APPLY && status != PH_OK))
        return phx_source_fail(source, "a line of the trace", status);
    if (status != PH_OK) player->refused++;
    if (player->row.op == PHX_TRACE_OP_APPLY) phx_submitter_end_tick(&player->submitter, note_refused, player);
    return true;
}

static bool run_tick(phx_view_source *source)
{
    trace_player *player = source->own;
    const uint64_t tick = source->at + 1;
    while (player->has_row && player->row.tick <= tick)
        if (!submit(source) || !next_row(source)) return false;
    player->refused += phx_trace_config_apply(&player->config, source->world) != PH_OK;
    if (!phx_source_tick(source)) return false;
    phx_submitter_end_tick(&player->submitter, note_refused, player);
    source->over = !player->has_row;
    return true;
}

/* ---- the source ---- */

static bool step(phx_view_source *source)
{
    if (source->over) return false;
    if (!run_tick(source)) return false;
    if (source->images) phx_key_images_keep(source->images, source);
    return true;
}

static void leave(phx_view_source *source)
{
    trace_player *player = source->own;
    phx_submitter_release(&player->submitter);
}

static bool reopen(phx_view_source *source)
{
    trace_player *player = source->own;
    phx_submitter_init(&player->submitter, source->mem, source->world);
    if (!open_trace(source)) return false;
    while (player->has_row && player->row.tick <= source->at)
        if (!next_row(source)) return false;
    source->over = !player->has_row;
    return true;
}

/* ---- a slice ---- */

/* Number of the line that has the first row behind tick `last`: by the player's reader, as a bad line may have any
   tick. UINT64_MAX: there is none, or damage comes first. PH_NO_MEMORY; PH_BAD_ARGUMENT: *error says why. */
static ph_status find_end(const phx_view_source *source, uint64_t last, uint64_t *end, phx_trace_error *error)
{
    phx_trace *trace;
    phx_trace_row row;
    phx_trace_result result;
    *end = UINT64_MAX;
    const ph_status status = open_file(source, &trace, error);
    if (status != PH_OK) return status;
    while (*end == UINT64_MAX && (result = phx_trace_next(trace, &row, error)) <= PHX_TRACE_BAD)
        if (result == PHX_TRACE_ROW && row.tick > last) *end = row.line;
    phx_trace_close(trace);
    return PH_OK;
}

/* The line, and its end. */
static ph_status add_line(phx_grown_bytes *to, char *line, size_t length)
{
    line[length] = '\n'; /* in place of the zero byte behind it */
    if (to->size + length + 1 > PHX_SLICE_BYTES_MAX) return PH_FULL;
    return phx_grow_bytes(to, line, length + 1) ? PH_OK : PH_NO_MEMORY;
}

/* Lines before `end` as they are, so that whatever a line says is said there, too; but not one with a zero byte, which
   is none of a text. All of the file is read, or its damage is not found. PH_NO_MEMORY; PH_FULL: too long; PH_IO: the
   file can not be read on. */
static ph_status add_lines(phx_text *file, uint64_t end, phx_grown_bytes *to)
{
    char *line;
    size_t length;
    bool has_header = false;
    phx_text_result result;
    ph_status status = PH_OK;
    while (status == PH_OK && (result = phx_text_next(file, &line, &length)) != PHX_TEXT_END) {
        if (result == PHX_TEXT_BROKEN) return PH_IO;
        if (result == PHX_TEXT_TOO_LONG || phx_text_line_number(file) >= end) continue;
        if (memchr(line, 0, length)) continue;
        if (!has_header) phx_text_skip_mark(&line, &length);
        const bool has_fields = line[0] != '#' && strspn(line, " \t\r") != length;
        has_header = has_header || has_fields;
        if (has_fields || !phx_trace_head_has(line)) status = add_line(to, line, length);
    }
    return status;
}

static bool make_player(phx_view_source *source)
{
    trace_player *player = calloc(1, sizeof *player);
    source->own = player;
    if (!player) return phx_source_fail(source, source->path, PH_NO_MEMORY);
    player->config =
        (phx_trace_config){.config = source->config, .consumers = ph_config_def(source->config)->consumers};
    return true;
}

static bool fork_trace(const phx_view_source *source, phx_view_source *copy)
{
    (void)source;
    return make_player(copy);
}

/* Why there is no slice. */
static void say_no_slice(const phx_view_source *source, ph_status status, const phx_text *file, phx_view_slice *slice)
{
    char *to = slice->reason;
    const size_t size = sizeof slice->reason;
    if (status == PH_FULL) snprintf(to, size, "%s", phx_slice_too_long);
    else if (status == PH_IO)
        snprintf(to, size, "%s:%llu: %s", source->path, (unsigned long long)phx_text_line_number(file),
                 phx_text_trouble(file));
    else snprintf(to, size, "%s: %s", source->path, ph_status_text(status));
}

static bool slice(const phx_view_source *source, uint64_t last, phx_view_slice *slice)
{
    const trace_player *player = source->own;
    const char *trouble;
    phx_text *file = NULL;
    phx_grown_bytes text = {0};
    phx_trace_error error;
    uint64_t end;
    ph_status status = find_end(source, last, &end, &error);
    if (status == PH_BAD_ARGUMENT) {
        say_error(source->path, &error, slice->reason);
        return false;
    }
    if (status == PH_OK) status = phx_text_open(&file, source->mem, source->path, source->unpack_max_bytes, &trouble);
    if (status == PH_OK && !phx_grow_bytes(&text, player->head, player->head_bytes)) status = PH_NO_MEMORY;
    if (status == PH_OK) status = add_lines(file, end, &text);
    if (status != PH_OK) say_no_slice(source, status, file, slice);
    phx_text_close(file);
    slice->text = text.bytes; /* freed by the caller, whole or not */
    slice->bytes = text.size;
    return status == PH_OK;
}

static void close_trace(phx_view_source *source)
{
    trace_player *player = source->own;
    if (!player) return;
    phx_source_end_world(source);
    phx_trace_close(player->trace);
    phx_key_images_free(&player->images);
    free(player->head);
    free(player);
    source->own = NULL;
}

/* The last tick, by reading the trace once; then it is opened anew. */
static bool find_range(phx_view_source *source)
{
    const trace_player *player = source->own;
    if (!player->has_row) return phx_source_fail(source, source->path, PH_EMPTY);
    source->first = source->last = player->row.tick;
    while (player->has_row) {
        source->last = player->row.tick;
        if (!next_row(source)) return false;
    }
    return open_trace(source);
}

bool phx_view_trace_open(phx_view_source *source)
{
    if (!make_player(source)) return false;
    trace_player *player = source->own;
    source->step = step;
    source->images = &player->images;
    source->reopen = reopen;
    source->leave = leave;
    source->slice = slice;
    source->fork = fork_trace;
    source->close = close_trace;
    phx_key_images_init(&player->images, source->images_max_bytes);
    if (!open_trace(source) || !find_range(source) || !phx_source_make_world(source)) return false;
    phx_submitter_init(&player->submitter, source->mem, source->world);
    player->head = phx_trace_head_make(ph_config_def(source->config), &player->head_bytes);
    if (!player->head) return phx_source_fail(source, source->path, PH_NO_MEMORY);
    source->offset = (int64_t)source->first - 1;
    source->at = source->first - 1; /* wraps where a trace begins with tick 0: so does the first tick */
    return run_tick(source) && phx_key_images_begin(&player->images, source);
}
