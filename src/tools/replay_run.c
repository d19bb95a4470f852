/*
 * The run of a replay: rows in, ticks, events out; see replay_run.h. A row that is not
 * good ends the run, or is counted (skip_bad); either way no event is lost: the batches
 * of a tick are taken before the next one, so none is ever coalesced.
 */
#include "tools/replay_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "tools/cli.h"
#include "tools/event_hash.h"
#include "tools/progress.h"
#include "tools/replay_events.h"
#include "tools/replay_heard.h"
#include "tools/replay_submit.h"
#include "tools/replay_updates.h"

enum { BAD_LINES_SHOWN_MAX = 10 };

typedef struct replay_state {
    phx_mem *mem;
    const phx_replay_job *job;
    phx_replay_summary *summary;
    phx_trace *trace;
    phx_out *out;         /* NULL: no events file */
    phx_out *updates_out; /* NULL: no updates file */
    phx_out *heard_out;   /* NULL: no heard file */
    ph_world world;
    ph_consumer consumer;
    uint64_t tick;   /* of the trace: the one that is being submitted */
    int exit_status; /* PHX_EXIT_OK while all is well */
    phx_event_sheet sheet;
    phx_update_sheet updates;
    phx_heard_sheet heard;
    phx_progress progress;
    phx_submitter submitter;
} replay_state;

/* ---- errors ---- */

/* Says why, and ends the run with this exit status. Returns false. */
__attribute__((format(printf, 3, 4))) static bool fail(replay_state *replay, int exit_status, const char *format, ...)
{
    va_list arguments;
    phx_progress_clear(&replay->progress);
    fputs("pharos-replay: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    replay->exit_status = exit_status;
    return false;
}

static bool fail_status(replay_state *replay, const char *what, ph_status status)
{
    return fail(replay, PHX_EXIT_TROUBLE, "%s: %s (%s)", what, ph_status_text(status), ph_status_name(status));
}

/* A line that is not applied: names it, and ends the run unless bad lines are skipped. */
static bool bad_line(replay_state *replay, uint64_t line, const char *reason)
{
    uint64_t number = ++replay->summary->bad_lines;
    if (!replay->job->skip_bad) replay->exit_status = PHX_EXIT_USAGE;
    if (number > BAD_LINES_SHOWN_MAX) return replay->job->skip_bad;
    phx_progress_clear(&replay->progress);
    fprintf(stderr, "%s:%llu: %s\n", replay->job->trace_path, (unsigned long long)line, reason);
    if (number == BAD_LINES_SHOWN_MAX) fputs("pharos-replay: further bad lines are counted, not shown\n", stderr);
    return replay->job->skip_bad;
}

static bool refused_line(replay_state *replay, uint64_t line, uint64_t id, ph_status status)
{
    char reason[256];
    snprintf(reason, sizeof reason, "entity %llu: %s (%s)", (unsigned long long)id, ph_status_text(status),
             ph_status_name(status));
    replay->summary->refused[status]++;
    return bad_line(replay, line, reason);
}

/* Trouble with the file as a whole, or in a line behind which there is no reading on. */
static bool broken_trace(replay_state *replay, const phx_trace_error *error)
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
    replay_state *replay = user;
    replay->summary->commands--;
    if (replay->exit_status != PHX_EXIT_OK) return; /* the first one has been named; the rest may be its consequences */
    if (refusal->status == PH_NO_MEMORY) fail_status(replay, "applying a command", refusal->status);
    else refused_line(replay, line, refusal->id, refusal->status);
}

/* ---- a tick ---- */

static void count_change(replay_state *replay, const ph_batch *batch, const ph_change *change)
{
    phx_replay_summary *summary = replay->summary;
    const ph_target *targets = batch->targets + change->first;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < change->leave_count; i++)
        sum += phx_event_hash(replay->tick, change->observer, PHX_EVENT_LEAVE, targets[i].id);
    targets += change->leave_count;
    for (uint32_t i = 0; i < change->enter_count; i++)
        sum += phx_event_hash(replay->tick, change->observer, PHX_EVENT_ENTER, targets[i].id);
    summary->event_hash += sum;
    summary->leaves += change->leave_count;
    summary->enters += change->enter_count;
}

static bool read_batch(replay_state *replay, const ph_batch *batch)
{
    PHX_ASSERT(batch->tick_first == batch->tick);
    for (uint32_t i = 0; i < batch->change_count; i++) count_change(replay, batch, &batch->changes[i]);
    if (replay->out && !phx_event_sheet_add(&replay->sheet, batch))
        return fail_status(replay, "the events of a tick", PH_NO_MEMORY);
    if (replay->updates_out && !phx_update_sheet_add(&replay->updates, batch))
        return fail_status(replay, "the updates of a tick", PH_NO_MEMORY);
    return !replay->heard_out || phx_heard_sheet_add(&replay->heard, batch) ||
           fail_status(replay, "the broadcasts of a tick", PH_NO_MEMORY);
}

static bool take_batches(replay_state *replay)
{
    const ph_batch *batch;
    ph_status status;
    while ((status = ph_batch_take(replay->consumer, &batch)) == PH_OK) {
        bool good = read_batch(replay, batch);
        ph_batch_return(replay->consumer, batch);
        if (!good) return false;
    }
    /* every tick's batch is taken and given back before the next tick, so nothing is ever left pending */
    return status == PH_EMPTY || fail_status(replay, "taking a batch", status);
}

static bool write_events(replay_state *replay)
{
    if (!replay->out) return true;
    if (!phx_event_sheet_write(&replay->sheet, replay->tick, replay->out))
        return fail_status(replay, "sorting the events of a tick", PH_NO_MEMORY);
    const char *trouble = phx_out_trouble(replay->out);
    return !trouble || fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->events_path, trouble);
}

static bool write_updates(replay_state *replay)
{
    if (!replay->updates_out) return true;
    phx_update_sheet_write(&replay->updates, replay->tick, replay->updates_out);
    const char *trouble = phx_out_trouble(replay->updates_out);
    return !trouble || fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->updates_path, trouble);
}

static bool write_heard(replay_state *replay)
{
    if (!replay->heard_out) return true;
    phx_heard_sheet_write(&replay->heard, replay->tick, replay->heard_out);
    const char *trouble = phx_out_trouble(replay->heard_out);
    return !trouble || fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->heard_path, trouble);
}

static void show_progress(replay_state *replay)
{
    const phx_replay_summary *summary = replay->summary;
    double share = phx_trace_share(replay->trace);
    const uint64_t events = summary->enters + summary->leaves;
    char percent[16] = "";
    if (!phx_progress_due(&replay->progress)) return;
    if (share >= 0) snprintf(percent, sizeof percent, "%3.0f %%, ", share * 100);
    phx_progress_show(&replay->progress, "%stick %llu, %llu commands, %llu events", percent,
                      (unsigned long long)replay->tick, (unsigned long long)summary->commands,
                      (unsigned long long)events);
}

/* ---- queries of --explain ---- */

static bool in_world(const replay_state *replay, uint64_t id)
{
    ph_attrs attrs;
    return ph_entity_get(replay->world, id, &attrs) == PH_OK;
}

static bool answer(replay_state *replay, const phx_replay_question *question)
{
    ph_explanation why;
    char text[512];
    phx_progress_clear(&replay->progress);
    ph_status status = ph_explain(replay->world, question->observer, question->target, &why);
    if (status != PH_OK && status != PH_UNKNOWN_ID) return fail_status(replay, "explaining", status);
    if (status == PH_OK) ph_explanation_text(&why, text, sizeof text);
    else
        snprintf(text, sizeof text, "entity %llu is not in the world",
                 (unsigned long long)(in_world(replay, question->observer) ? question->target : question->observer));
    fprintf(replay->job->answers, "tick %llu: observer %llu, target %llu: %s\n", (unsigned long long)question->tick,
            (unsigned long long)question->observer, (unsigned long long)question->target, text);
    return true;
}

static bool answer_questions(replay_state *replay)
{
    const phx_replay_job *job = replay->job;
    for (uint32_t i = 0; i < job->question_count; i++)
        if (job->questions[i].tick == replay->tick && !answer(replay, &job->questions[i])) return false;
    return true;
}

/* An explanation of a tick that the run did not have is an error of the command line. */
static bool all_answered(replay_state *replay)
{
    const phx_replay_job *job = replay->job;
    uint64_t ticks = replay->summary->ticks, first = replay->tick - ticks;
    for (uint32_t i = 0; i < job->question_count; i++) {
        const phx_replay_question *q = &job->questions[i];
        if (q->tick - first < ticks) continue;
        return fail(replay, PHX_EXIT_USAGE, "--explain %llu,%llu@%llu: the run had %llu ticks, from %llu on",
                    (unsigned long long)q->observer, (unsigned long long)q->target, (unsigned long long)q->tick,
                    (unsigned long long)ticks, (unsigned long long)first);
    }
    return true;
}

/* ---- verification ---- */

static const char *difference_text(ph_difference_kind kind)
{
    switch (kind) {
    case PH_DIFFERENCE_MISSING:
        return "is not in the list, and should be";
    case PH_DIFFERENCE_EXTRA:
        return "is in the list, and should not be";
    case PH_DIFFERENCE_TWICE:
        return "is in the list more than once";
    default:
        return "is in the list, but not in the world";
    }
}

static bool verify(replay_state *replay)
{
    ph_verification progress = {0};
    ph_difference found = {.kind = PH_DIFFERENCE_NONE};
    while (replay->job->verify && progress.rounds == 0) {
        ph_status status = ph_verify(replay->world, UINT64_MAX, &progress, &found);
        if (status != PH_OK) return fail_status(replay, "verifying", status);
        if (found.kind != PH_DIFFERENCE_NONE)
            return fail(replay, PHX_EXIT_TROUBLE, "--verify: tick %llu: observer %llu: target %llu %s",
                        (unsigned long long)replay->tick, (unsigned long long)found.observer,
                        (unsigned long long)found.target, difference_text(found.kind));
    }
    replay->summary->verified += progress.observers;
    return true;
}

/* Runs the tick that has been submitted and moves on to the next. false = the run is over: failed. */
static bool run_tick(replay_state *replay)
{
    uint64_t start_ns = phx_clock_ns();
    ph_status status = ph_tick(replay->world, NULL);
    if (status != PH_OK) return fail_status(replay, "the tick", status);
    phx_tick_times_add(&replay->summary->tick_times, phx_clock_ns() - start_ns);
    phx_submitter_end_tick(&replay->submitter, refused_in_tick, replay);
    if (replay->exit_status != PHX_EXIT_OK) return false;
    if (!take_batches(replay) || !write_events(replay) || !write_updates(replay) || !write_heard(replay) ||
        !answer_questions(replay) || !verify(replay))
        return false;
    replay->summary->ticks++;
    show_progress(replay);
    replay->tick++;
    return true;
}

static bool ticks_done(const replay_state *replay)
{
    return replay->job->ticks_max != 0 && replay->summary->ticks == replay->job->ticks_max;
}

/* ---- rows ---- */

/* The commands so far are applied, so refusals come now; the tick that follows tells the same. */
static bool apply(replay_state *replay)
{
    const ph_status status = ph_apply(replay->world);
    if (status != PH_OK) return fail_status(replay, "an apply", status);
    phx_submitter_end_tick(&replay->submitter, refused_in_tick, replay);
    return replay->exit_status == PHX_EXIT_OK;
}

static bool submit(replay_state *replay, const phx_trace_row *row)
{
    if (row->op == PHX_OP_APPLY) return apply(replay);
    ph_status status = phx_submit(&replay->submitter, row);
    if (status == PH_OK) {
        replay->summary->commands++;
        return true;
    }
    if (status == PH_NO_MEMORY) return fail_status(replay, "submitting a command", status);
    if (status != PH_FULL) return refused_line(replay, row->line, row->id, status);
    const ph_world_def *def = ph_config_def(replay->job->config);
    return fail(replay, PHX_EXIT_USAGE,
                "%s:%llu: tick %llu has more commands than %u queues of %u bytes hold: "
                "raise producer_bytes (or producers_max)",
                replay->job->trace_path, (unsigned long long)row->line, (unsigned long long)row->tick,
                def->producers_max, def->producer_bytes);
}

/* Runs the ticks before the row's, also ticks without a line, then submits it. false = over: failed, or ticks_max. */
static bool note_row(replay_state *replay, const phx_trace_row *row, bool first)
{
    if (first) replay->tick = row->tick;
    PHX_ASSERT(replay->tick <= row->tick);
    while (replay->tick < row->tick)
        if (!run_tick(replay) || ticks_done(replay)) return false;
    return submit(replay, row);
}

static void run_rows(replay_state *replay)
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

static void log_line(void *user, ph_log_level level, const char *line)
{
    replay_state *replay = user;
    if (level > PH_LOG_WARNING) return;
    phx_progress_clear(&replay->progress);
    fprintf(stderr, "pharos-replay: %s\n", line);
}

static bool make_world(replay_state *replay)
{
    ph_world_def def = *ph_config_def(replay->job->config);
    char reason[256] = "";
    def.allocator = replay->mem->allocator;
    def.consumers = 1; /* the run itself */
    def.log = log_line;
    def.log_user = replay;
    ph_status status = ph_world_create(&def, &replay->world);
    if (status == PH_BAD_DEF && ph_world_def_check(&def, reason, sizeof reason) == PH_BAD_DEF)
        return fail(replay, PHX_EXIT_USAGE, "%s", reason);
    if (status != PH_OK) return fail_status(replay, "making the world", status);
    status = ph_consumer_open(replay->world, 0, &replay->consumer);
    if (status != PH_OK) return fail_status(replay, "opening the consumer", status);
    phx_submitter_init(&replay->submitter, replay->mem, replay->world);
    return true;
}

/* An output file, if it is wanted. */
static bool open_out(replay_state *replay, const char *option, const char *path, phx_out **out)
{
    const char *trouble = NULL;
    if (!path) return true;
    if (phx_trace_is_file(replay->trace, path))
        return fail(replay, PHX_EXIT_USAGE, "--%s %s: that is the trace itself", option, path);
    ph_status status = phx_out_open(out, replay->mem, path, &trouble);
    if (status == PH_BAD_ARGUMENT) return fail(replay, PHX_EXIT_TROUBLE, "%s: %s", path, trouble);
    return status == PH_OK || fail_status(replay, path, status);
}

static bool open_files(replay_state *replay)
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
    replay_state *replay = user;
    phx_replay_summary *summary = replay->summary;
    uint32_t kind = ph_config_kind(replay->job->config, name);
    if (kind != PH_KIND_NONE) return kind;
    if (summary->unknown_kinds++ == 0) snprintf(summary->unknown_kind, sizeof summary->unknown_kind, "%s", name);
    return 0;
}

static bool begin(replay_state *replay)
{
    phx_trace_error error;
    const phx_replay_job *job = replay->job;
    phx_progress_start(&replay->progress);
    phx_trace_source source = {job->trace_path, job->unpack_max_bytes, kind_of, replay};
    ph_status status = phx_trace_open(&replay->trace, replay->mem, &source, &error);
    if (status == PH_BAD_ARGUMENT) return broken_trace(replay, &error);
    if (status != PH_OK) return fail_status(replay, job->trace_path, status);
    return make_world(replay) && open_files(replay);
}

static void fill_summary(replay_state *replay)
{
    phx_replay_summary *summary = replay->summary;
    ph_stats stats;
    ph_status status = ph_world_stats(replay->world, &stats);
    if (status != PH_OK) {
        fail_status(replay, "the world's counters", status);
        return;
    }
    summary->entities = stats.entities;
    summary->refused_untold = stats.refusals_untold;
    summary->bad_lines += stats.refusals_untold;
    summary->commands -= stats.refusals_untold;
    summary->nobody_looks = stats.observers == 0 && summary->enters + summary->leaves == 0;
}

/* An output file gets its name, if all is well. */
static void close_out(replay_state *replay, const char *path, phx_out *out)
{
    const char *trouble = phx_out_close(out, replay->exit_status == PHX_EXIT_OK);
    if (trouble && replay->exit_status == PHX_EXIT_OK) fail(replay, PHX_EXIT_TROUBLE, "%s: %s", path, trouble);
}

static void end(replay_state *replay)
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
    if (replay->consumer.index1 != 0) ph_consumer_close(replay->consumer);
    if (replay->world.index1 != 0) ph_world_destroy(replay->world);
    phx_trace_close(replay->trace);
}

int phx_replay_run(phx_mem *mem, const phx_replay_job *job, phx_replay_summary *summary)
{
    uint64_t start_ns = phx_clock_ns();
    replay_state *made = phx_alloc_zero(mem, sizeof *made, _Alignof(replay_state));
    memset(summary, 0, sizeof *summary);
    if (!made) {
        fputs("pharos-replay: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    made->mem = mem;
    made->job = job;
    made->summary = summary;
    if (begin(made)) run_rows(made);
    if (made->exit_status == PHX_EXIT_OK) all_answered(made);
    end(made);
    int exit_status = made->exit_status;
    phx_free(mem, made, sizeof *made, _Alignof(replay_state));
    summary->wall_ns = phx_clock_ns() - start_ns;
    return exit_status;
}
