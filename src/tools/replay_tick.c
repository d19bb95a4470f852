/*
 * One tick of a replay, behind it has run: its batches, its outputs, its questions; see replay_tick.h.
 */
#include "tools/replay_tick.h"

#include <stdarg.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "tools/cli.h"
#include "tools/event_hash.h"

/* ---- errors ---- */

bool phx_replay_fail(phx_replay_state *replay, int exit_status, const char *format, ...)
{
    va_list arguments;
    FILE *reasons = replay->job->reasons ? replay->job->reasons : stderr;
    phx_progress_clear(&replay->progress);
    if (reasons == stderr) fputs("pharos-replay: ", reasons);
    va_start(arguments, format);
    vfprintf(reasons, format, arguments);
    va_end(arguments);
    fputc('\n', reasons);
    replay->exit_status = exit_status;
    return false;
}

bool phx_replay_fail_status(phx_replay_state *replay, const char *what, ph_status status)
{
    return phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s (%s)", what, ph_status_text(status),
                           ph_status_name(status));
}

void phx_replay_log(void *user, ph_log_level level, const char *line)
{
    phx_replay_state *replay = user;
    if (level > PH_LOG_WARNING) return;
    phx_progress_clear(&replay->progress);
    fprintf(stderr, "pharos-replay: %s\n", line);
}

/* ---- consumers ---- */

bool phx_replay_open_consumers(phx_replay_state *replay)
{
    ph_consumer consumer;
    ph_status status;
    replay->consumers = phx_alloc(replay->mem, PH_CONSUMERS_MAX * sizeof *replay->consumers, _Alignof(ph_consumer));
    if (!replay->consumers) return phx_replay_fail_status(replay, "the consumers", PH_NO_MEMORY);
    while ((status = ph_consumer_open(replay->world, replay->consumer_count, &consumer)) == PH_OK)
        replay->consumers[replay->consumer_count++] = consumer;
    /* one more than the world has */
    return status == PH_BAD_ARGUMENT || phx_replay_fail_status(replay, "opening a consumer", status);
}

void phx_replay_close_consumers(phx_replay_state *replay)
{
    if (!replay->consumers) return;
    for (uint32_t i = 0; i < replay->consumer_count; i++) ph_consumer_close(replay->consumers[i]);
    phx_free(replay->mem, replay->consumers, PH_CONSUMERS_MAX * sizeof *replay->consumers, _Alignof(ph_consumer));
}

/* ---- a tick ---- */

static void count_change(phx_replay_state *replay, const ph_batch *batch, const ph_change *change)
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

static bool read_batch(phx_replay_state *replay, const ph_batch *batch)
{
    PHX_ASSERT(batch->tick_first == batch->tick);
    for (uint32_t i = 0; i < batch->change_count; i++) count_change(replay, batch, &batch->changes[i]);
    if (replay->out && !phx_event_sheet_add(&replay->sheet, batch))
        return phx_replay_fail_status(replay, "the events of a tick", PH_NO_MEMORY);
    if (replay->updates_out && !phx_update_sheet_add(&replay->updates, batch))
        return phx_replay_fail_status(replay, "the updates of a tick", PH_NO_MEMORY);
    return !replay->heard_out || phx_heard_sheet_add(&replay->heard, batch) ||
           phx_replay_fail_status(replay, "the broadcasts of a tick", PH_NO_MEMORY);
}

static bool take_from(phx_replay_state *replay, ph_consumer consumer)
{
    const ph_batch *batch;
    ph_status status;
    while ((status = ph_batch_take(consumer, &batch)) == PH_OK) {
        bool good = read_batch(replay, batch);
        ph_batch_return(consumer, batch);
        if (!good) return false;
    }
    /* every tick's batch is taken and given back before the next tick, so nothing is ever left pending */
    return status == PH_EMPTY || phx_replay_fail_status(replay, "taking a batch", status);
}

static bool take_batches(phx_replay_state *replay)
{
    bool good = true;
    for (uint32_t i = 0; good && i < replay->consumer_count; i++) good = take_from(replay, replay->consumers[i]);
    return good;
}

static bool write_events(phx_replay_state *replay)
{
    if (!replay->out) return true;
    if (!phx_event_sheet_write(&replay->sheet, replay->tick, replay->out))
        return phx_replay_fail_status(replay, "sorting the events of a tick", PH_NO_MEMORY);
    const char *trouble = phx_out_trouble(replay->out);
    return !trouble || phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->events_path, trouble);
}

static bool write_updates(phx_replay_state *replay)
{
    if (!replay->updates_out) return true;
    phx_update_sheet_write(&replay->updates, replay->tick, replay->updates_out);
    const char *trouble = phx_out_trouble(replay->updates_out);
    return !trouble || phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->updates_path, trouble);
}

static bool write_heard(phx_replay_state *replay)
{
    if (!replay->heard_out) return true;
    phx_heard_sheet_write(&replay->heard, replay->tick, replay->heard_out);
    const char *trouble = phx_out_trouble(replay->heard_out);
    return !trouble || phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->heard_path, trouble);
}

static void show_progress(phx_replay_state *replay)
{
    const phx_replay_summary *summary = replay->summary;
    double share = replay->trace ? phx_trace_share(replay->trace) : -1;
    const uint64_t events = summary->enters + summary->leaves;
    char percent[16] = "";
    if (!phx_progress_due(&replay->progress)) return;
    if (share >= 0) snprintf(percent, sizeof percent, "%3.0f %%, ", share * 100);
    phx_progress_show(&replay->progress, "%stick %llu, %llu commands, %llu events", percent,
                      (unsigned long long)replay->tick, (unsigned long long)summary->commands,
                      (unsigned long long)events);
}

/* ---- queries of --explain ---- */

static bool in_world(const phx_replay_state *replay, uint64_t id)
{
    ph_attrs attrs;
    return ph_entity_get(replay->world, id, &attrs) == PH_OK;
}

static bool answer(phx_replay_state *replay, const phx_replay_question *question)
{
    ph_explanation why;
    char text[512];
    phx_progress_clear(&replay->progress);
    ph_status status = ph_explain(replay->world, question->observer, question->target, &why);
    if (status != PH_OK && status != PH_UNKNOWN_ID) return phx_replay_fail_status(replay, "explaining", status);
    if (status == PH_OK) ph_explanation_text(&why, text, sizeof text);
    else
        snprintf(text, sizeof text, "entity %llu is not in the world",
                 (unsigned long long)(in_world(replay, question->observer) ? question->target : question->observer));
    fprintf(replay->job->answers, "tick %llu: observer %llu, target %llu: %s\n", (unsigned long long)question->tick,
            (unsigned long long)question->observer, (unsigned long long)question->target, text);
    return true;
}

static bool answer_questions(phx_replay_state *replay)
{
    const phx_replay_job *job = replay->job;
    for (uint32_t i = 0; i < job->question_count; i++)
        if (job->questions[i].tick == replay->tick && !answer(replay, &job->questions[i])) return false;
    return true;
}

/* An explanation of a tick that the run did not have is an error of the command line. */
bool phx_replay_all_answered(phx_replay_state *replay)
{
    const phx_replay_job *job = replay->job;
    uint64_t ticks = replay->summary->ticks, first = replay->tick - ticks;
    for (uint32_t i = 0; i < job->question_count; i++) {
        const phx_replay_question *q = &job->questions[i];
        if (q->tick - first < ticks) continue;
        return phx_replay_fail(replay, PHX_EXIT_USAGE, "--explain %llu,%llu@%llu: the run had %llu ticks, from %llu on",
                               (unsigned long long)q->observer, (unsigned long long)q->target,
                               (unsigned long long)q->tick, (unsigned long long)ticks, (unsigned long long)first);
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

static bool verify(phx_replay_state *replay)
{
    ph_verification progress = {0};
    ph_difference found = {.kind = PH_DIFFERENCE_NONE};
    while (replay->job->verify && progress.rounds == 0) {
        ph_status status = ph_verify(replay->world, UINT64_MAX, &progress, &found);
        if (status != PH_OK) return phx_replay_fail_status(replay, "verifying", status);
        if (found.kind != PH_DIFFERENCE_NONE)
            return phx_replay_fail(replay, PHX_EXIT_TROUBLE, "--verify: tick %llu: observer %llu: target %llu %s",
                                   (unsigned long long)replay->tick, (unsigned long long)found.observer,
                                   (unsigned long long)found.target, difference_text(found.kind));
    }
    replay->summary->verified += progress.observers;
    return true;
}

bool phx_replay_end_tick(phx_replay_state *replay, uint64_t ns)
{
    phx_tick_times_add(&replay->summary->tick_times, ns);
    if (!take_batches(replay) || !write_events(replay) || !write_updates(replay) || !write_heard(replay) ||
        !answer_questions(replay) || !verify(replay))
        return false;
    replay->summary->ticks++;
    show_progress(replay);
    replay->tick++;
    return true;
}

bool phx_replay_ticks_done(const phx_replay_state *replay)
{
    const phx_replay_job *job = replay->job;
    return (job->ticks_max != 0 && replay->summary->ticks == job->ticks_max) || replay->tick > job->tick_last;
}
