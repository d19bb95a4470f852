/*
 * The run of a replay: rows in, ticks, events out; see replay_run.h. A row that is not
 * good ends the run, or is counted (skip_bad); either way no event is lost: the batches
 * of a tick are taken before the next one, so none is ever coalesced.
 */
#include "tools/replay_run.h"

#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "tools/cli.h"
#include "tools/replay_store.h"
#include "tools/replay_tick.h"

enum { BAD_LINES_SHOWN_MAX = 10 };

/* ---- lines ---- */

/* A line that is not applied: names it, and ends the run unless bad lines are skipped. */
static bool bad_line(phx_replay_state *replay, uint64_t line, const char *reason)
{
    uint64_t number = ++replay->summary->bad_lines;
    if (!replay->job->skip_bad) replay->exit_status = PHX_EXIT_USAGE;
    if (number > BAD_LINES_SHOWN_MAX) return replay->job->skip_bad;
    phx_progress_clear(&replay->progress);
    fprintf(stderr, "%s:%llu: %s\n", replay->job->trace_path, (unsigned long long)line, reason);
    if (number == BAD_LINES_SHOWN_MAX) fputs("pharos-replay: further bad lines are counted, not shown\n", stderr);
    return replay->job->skip_bad;
}

static bool refused_line(phx_replay_state *replay, uint64_t line, uint64_t id, ph_status status)
{
    char reason[256];
    snprintf(reason, sizeof reason, "entity %llu: %s (%s)", (unsigned long long)id, ph_status_text(status),
             ph_status_name(status));
    replay->summary->refused[status]++;
    return bad_line(replay, line, reason);
}

/* Trouble with the file as a whole, or in a line behind which there is no reading on. */
static bool broken_trace(phx_replay_state *replay, const phx_trace_error *error)
{
    phx_progress_clear(&replay->progress);
    if (error->line > 0)
        fprintf(stderr, "%s:%llu: %s\n", replay->job->trace_path, (unsigned long long)error->line, error->reason);
    else fprintf(stderr, "%s: %s\n", replay->job->trace_path, error->reason);
    replay->exit_status = PHX_EXIT_USAGE;
    return false;
}

static void refused_in_tick(void *user, uint64_t line, const ph_refusal *refusal)
{
    phx_replay_state *replay = user;
    replay->summary->commands--;
    if (replay->exit_status != PHX_EXIT_OK) return; /* the first one has been named; the rest may be its consequences */
    if (refusal->status == PH_NO_MEMORY) phx_replay_fail_status(replay, "applying a command", refusal->status);
    else refused_line(replay, line, refusal->id, refusal->status);
}

/* ---- ticks ---- */

/* Runs the tick that has been submitted and moves on to the next. false = the run is over: failed. */
static bool run_tick(phx_replay_state *replay)
{
    uint64_t start_ns = phx_clock_ns();
    ph_status status = phx_trace_config_apply(&replay->config, replay->world);
    if (status != PH_OK)
        return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s: the config rows of tick %llu: %s", replay->job->trace_path,
                               (unsigned long long)replay->tick, replay->config.reason);
    status = ph_tick(replay->world, NULL);
    if (status != PH_OK) return phx_replay_fail_status(replay, "the tick", status);
    const uint64_t ns = phx_clock_ns() - start_ns;
    phx_submitter_end_tick(&replay->submitter, refused_in_tick, replay);
    return replay->exit_status == PHX_EXIT_OK && phx_replay_end_tick(replay, ns) && phx_replay_record_tick(replay);
}

/* ---- rows ---- */

/* The commands so far are applied, so refusals come now; the tick that follows tells the same. */
static bool apply(phx_replay_state *replay)
{
    const ph_status status = ph_apply(replay->world);
    if (status != PH_OK) return phx_replay_fail_status(replay, "an apply", status);
    phx_submitter_end_tick(&replay->submitter, refused_in_tick, replay);
    return replay->exit_status == PHX_EXIT_OK;
}

static bool submit(phx_replay_state *replay, const phx_trace_row *row)
{
    if (row->op == PHX_TRACE_OP_APPLY) return apply(replay);
    if (row->op == PHX_TRACE_OP_CONFIG)
        return phx_trace_config_row(&replay->config, row) || bad_line(replay, row->line, replay->config.reason);
    ph_status status = phx_submit(&replay->submitter, row);
    if (status == PH_OK) {
        replay->summary->commands++;
        return true;
    }
    if (status == PH_NO_MEMORY) return phx_replay_fail_status(replay, "submitting a command", status);
    if (status != PH_FULL) return refused_line(replay, row->line, row->id, status);
    const ph_world_def *def = ph_config_def(replay->job->config);
    return phx_replay_fail(replay, PHX_EXIT_USAGE,
                           "%s:%llu: tick %llu has more commands than %u queues of %u bytes hold: "
                           "raise producer_bytes (or producers_max)",
                           replay->job->trace_path, (unsigned long long)row->line, (unsigned long long)row->tick,
                           def->producers_max, def->producer_bytes);
}

/* Runs the ticks before the row's, also ticks without a line, then submits it. false = over: failed, or ticks_max. */
static bool note_row(phx_replay_state *replay, const phx_trace_row *row, bool first)
{
    if (first) replay->tick = row->tick;
    PHX_ASSERT(replay->tick <= row->tick);
    while (replay->tick < row->tick)
        if (!run_tick(replay) || phx_replay_ticks_done(replay)) return false;
    return submit(replay, row);
}

static void run_rows(phx_replay_state *replay)
{
    phx_trace_row row;
    phx_trace_error error;
    bool any = false, go_on = true;
    while (go_on) {
        switch (phx_trace_next(replay->trace, &row, &error)) {
        case PHX_TRACE_ROW:
            go_on = note_row(replay, &row, !any);
            any = true;
            break;
        case PHX_TRACE_BAD:
            replay->summary->bad[error.bad]++;
            go_on = bad_line(replay, error.line, error.reason);
            break;
        case PHX_TRACE_BROKEN:
            go_on = broken_trace(replay, &error);
            break;
        case PHX_TRACE_END:
            if (any) run_tick(replay);
            go_on = false;
            break;
        }
    }
}

/* ---- begin and end ---- */

static bool make_world(phx_replay_state *replay)
{
    ph_world_def def = *ph_config_def(replay->job->config);
    char reason[256] = "";
    def.allocator = replay->mem->allocator;
    if (def.consumers == 0) def.consumers = 1; /* the run itself */
    replay->config = (phx_trace_config){.config = replay->job->config, .consumers = def.consumers};
    def.log = phx_replay_log;
    def.log_user = replay;
    ph_status status = ph_world_create(&def, &replay->world);
    if (status == PH_BAD_DEF && ph_world_def_check(&def, reason, sizeof reason) == PH_BAD_DEF)
        return phx_replay_fail(replay, PHX_EXIT_USAGE, "%s", reason);
    if (status != PH_OK) return phx_replay_fail_status(replay, "making the world", status);
    phx_submitter_init(&replay->submitter, replay->mem, replay->world);
    return phx_replay_open_consumers(replay) && phx_replay_record_open(replay);
}

/* An output file, if it is wanted. */
static bool open_out(phx_replay_state *replay, const char *option, const char *path, phx_out **out)
{
    const char *trouble = NULL;
    if (!path) return true;
    if (replay->trace && phx_trace_is_file(replay->trace, path))
        return phx_replay_fail(replay, PHX_EXIT_USAGE, "--%s %s: that is the trace itself", option, path);
    ph_status status = phx_out_open(out, replay->mem, path, &trouble);
    if (status == PH_BAD_ARGUMENT) return phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", path, trouble);
    return status == PH_OK || phx_replay_fail_status(replay, path, status);
}

static bool open_files(phx_replay_state *replay)
{
    replay->sheet.mem = replay->updates.mem = replay->heard.mem = replay->mem;
    if (!open_out(replay, "events", replay->job->events_path, &replay->out)) return false;
    replay->sheet.shows = replay->job->shows;
    if (replay->out) phx_event_header(replay->job->shows, replay->out);
    if (!open_out(replay, "updates", replay->job->updates_path, &replay->updates_out)) return false;
    if (replay->updates_out) phx_update_header(replay->updates_out);
    if (!open_out(replay, "heard", replay->job->heard_path, &replay->heard_out)) return false;
    if (replay->heard_out) phx_heard_header(replay->heard_out);
    return true;
}

/* A class that the config has not is class default; the summary counts such lines and names the first. */
static uint32_t kind_of(void *user, const char *name)
{
    phx_replay_state *replay = user;
    phx_replay_summary *summary = replay->summary;
    uint32_t kind = ph_config_kind(replay->job->config, name);
    if (kind != PH_KIND_NONE) return kind;
    if (summary->unknown_kinds++ == 0) snprintf(summary->unknown_kind, sizeof summary->unknown_kind, "%s", name);
    return 0;
}

static bool begin(phx_replay_state *replay)
{
    phx_trace_error error;
    const phx_replay_job *job = replay->job;
    phx_progress_start(&replay->progress);
    if (job->image) return phx_replay_image_load(replay) && phx_replay_open_consumers(replay) && open_files(replay);
    phx_trace_source source = {job->trace_path, job->unpack_max_bytes, kind_of, replay};
    ph_status status = phx_trace_open(&replay->trace, replay->mem, &source, &error);
    if (status == PH_BAD_ARGUMENT) return broken_trace(replay, &error);
    if (status != PH_OK) return phx_replay_fail_status(replay, job->trace_path, status);
    return make_world(replay) && open_files(replay);
}

static void fill_summary(phx_replay_state *replay)
{
    phx_replay_summary *summary = replay->summary;
    ph_stats stats;
    ph_status status = ph_world_stats(replay->world, &stats);
    if (status != PH_OK) {
        phx_replay_fail_status(replay, "the world's counters", status);
        return;
    }
    summary->entities = stats.entities;
    if (replay->job->image) {
        summary->commands = stats.applied;
        summary->nobody_looks = stats.observers == 0 && summary->enters + summary->leaves == 0;
        return;
    }
    summary->refused_untold = stats.refusals_untold;
    summary->bad_lines += stats.refusals_untold;
    summary->commands -= stats.refusals_untold;
    summary->nobody_looks = stats.observers == 0 && summary->enters + summary->leaves == 0;
}

/* An output file gets its name, if all is well. */
static void close_out(phx_replay_state *replay, const char *path, phx_out *out)
{
    const char *trouble = phx_out_close(out, replay->exit_status == PHX_EXIT_OK);
    if (trouble && replay->exit_status == PHX_EXIT_OK)
        phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", path, trouble);
}

static void end(phx_replay_state *replay)
{
    phx_progress_clear(&replay->progress);
    if (replay->exit_status == PHX_EXIT_OK) fill_summary(replay);
    close_out(replay, replay->job->events_path, replay->out);
    close_out(replay, replay->job->updates_path, replay->updates_out);
    close_out(replay, replay->job->heard_path, replay->heard_out);
    if (replay->sheet.mem) {
        phx_event_sheet_release(&replay->sheet);
        phx_update_sheet_release(&replay->updates);
        phx_heard_sheet_release(&replay->heard);
    }
    phx_submitter_release(&replay->submitter);
    phx_replay_store_close(replay);
    phx_replay_close_consumers(replay);
    if (replay->world.index1 != 0) ph_world_destroy(replay->world);
    phx_trace_close(replay->trace);
}

int phx_run_replay(phx_mem *mem, const phx_replay_job *job, phx_replay_summary *summary)
{
    uint64_t start_ns = phx_clock_ns();
    phx_replay_state *made = phx_alloc_zero(mem, sizeof *made, _Alignof(phx_replay_state));
    memset(summary, 0, sizeof *summary);
    if (!made) {
        fputs("pharos-replay: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    made->mem = mem;
    made->job = job;
    made->summary = summary;
    if (begin(made)) {
        if (job->image) phx_replay_image_run(made);
        else run_rows(made);
    }
    if (made->exit_status == PHX_EXIT_OK) phx_replay_all_answered(made);
    end(made);
    int exit_status = made->exit_status;
    phx_free(mem, made, sizeof *made, _Alignof(phx_replay_state));
    summary->wall_ns = phx_clock_ns() - start_ns;
    return exit_status;
}
