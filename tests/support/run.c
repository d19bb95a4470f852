/*
 * The run harness: plays the steps of a script; see run.h.
 */
#include "support/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/rng.h"
#include "support/run_parts.h"

/* ---- reports ---- */

static void report_add(run *r, const char *format, va_list arguments)
{
    size_t used = strlen(r->result->report);
    (void)vsnprintf(r->result->report + used, RUN_REPORT_SIZE - used, format, arguments);
}

void run_note(run *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_add(r, format, arguments);
    va_end(arguments);
}

bool run_fail(run *r, const char *format, ...)
{
    if (!r->result->failed) {
        r->result->failed = true;
        r->result->report[0] = '\0';
        run_note(r, "tick %" PRIu64 ": ", r->tick);
        va_list arguments;
        va_start(arguments, format);
        report_add(r, format, arguments);
        va_end(arguments);
        run_note(r, "\n");
    }
    return false;
}

bool run_expect(run *r, const char *what, ph_status got, ph_status expected)
{
    return got == expected ||
           run_fail(r, "%s: got %s, expected %s", what, ph_status_name(got), ph_status_name(expected));
}

/* ---- commands ---- */

static void print_command(run *r, const command *c)
{
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    REQUIRE(out != NULL);
    command_print(out, c);
    (void)fclose(out);
    run_note(r, "  %s\n", text);
}

static void do_single(run *r, const step *s)
{
    const command *c = &s->as.command;
    ph_status got = r->type->submit(r->self, s->producer, c);
    if (r->m == NULL) {
        return;
    }
    ph_status expected = model_submit(r->m, s->producer, c);
    if (!run_expect(r, "submit", got, expected)) {
        run_note(r, "  producer %" PRIu32, s->producer);
        print_command(r, c);
    }
}

/* The steps from s on that go into one bulk call. */
static uint32_t bulk_length(const script *s, size_t at)
{
    const step *first = &s->steps.items[at];
    command_type type = first->as.command.type;
    if (!first->bulk || !command_in_bulk(type)) {
        return 0;
    }
    uint32_t count = 0;
    for (size_t i = at; i < s->steps.count; i++) {
        const step *next = &s->steps.items[i];
        if (next->type != STEP_COMMAND || !next->bulk || next->producer != first->producer ||
            next->as.command.type != type) {
            break;
        }
        count++;
    }
    return count;
}

enum { TAKEN_AT_ONCE = 3 }; /* of so many bulk calls, about one's refusals are taken before the tick */

static void do_bulk(run *r, const step *first, uint32_t count)
{
    VEC(const command *) commands = {0};
    uint64_t sequence = r->m != NULL ? model_sequence(r->m, first->producer) : 0;
    ph_status expected = PH_OK;
    for (uint32_t i = 0; i < count; i++) {
        const command *c = &first[i].as.command;
        VEC_PUSH(&commands, c);
        ph_status status = r->m != NULL ? model_submit(r->m, first->producer, c) : PH_OK;
        if (status != PH_OK) {
            expected_refusal refusal = {.sequence = sequence + 1 + i,
                                        .id = c->id,
                                        .status = status,
                                        .command = command_number(c->type),
                                        .field = command_field(c, status)};
            run_refusal_note(r, first->producer, refusal);
            expected = expected == PH_OK ? status : expected;
        }
    }
    uint32_t done = 0;
    ph_status got = r->type->submit_many(r->self, first->producer, commands.items, count, &done);
    if (r->m != NULL && (!run_expect(r, "bulk submit", got, expected) ||
                         (done != count && !run_fail(r, "bulk submit: done %" PRIu32 " of %" PRIu32, done, count)))) {
        for (uint32_t i = 0; i < count; i++) {
            print_command(r, commands.items[i]);
        }
    }
    if (r->m != NULL && (sequence + count) % TAKEN_AT_ONCE == 0) {
        run_refusals(r, false);
    }
    VEC_FREE(&commands);
}

/* ---- ticks ---- */

static void mix_world_hash(run *r)
{
    uint64_t hash = 0;
    if (r->type->hash == NULL || !run_expect(r, "hash", r->type->hash(r->self, &hash), PH_OK)) {
        return;
    }
    r->result->world_hash = phx_mix64(r->result->world_hash + phx_mix64(hash));
}

/* Entities are where they were applied; lists, and all that consumers get, are as before. */
static void do_apply(run *r)
{
    if (!run_expect(r, "apply", r->type->apply(r->self), PH_OK)) {
        return;
    }
    r->begun = true;
    if (r->m != NULL) {
        model_apply_waiting(r->m);
        run_refusals(r, true);
        if (!r->options->no_queries) {
            run_queries(r);
            run_places(r);
        }
    }
    mix_world_hash(r);
    for (uint32_t i = 0; r->s->eager && i < r->def.consumers && !r->result->failed; i++) {
        const ph_batch *batch = NULL;
        (void)run_expect(r, "a batch after an apply", r->type->batch_take(r->self, i, &batch), PH_EMPTY);
    }
}

/* Goes on with a loaded world. All batches are taken, all refusals too if there is a model. */
static void resave(run *r)
{
    char reason[256] = "";
    const uint64_t only = r->options->heavy_tick;
    if (!r->options->heavy || !r->s->eager || r->result->failed || (only != 0 && only != r->tick)) {
        return;
    }
    ph_status status = r->type->resave(r->self, r->s->seed + r->tick, reason, sizeof reason);
    if (status != PH_OK) {
        run_fail(r, "save and load: %s: %s", ph_status_name(status), reason);
    }
    for (uint32_t i = 0; i < r->def.consumers; i++) {
        r->consumers[i].held_count = 0;
    }
}

static void do_tick(run *r)
{
    uint64_t tick = 0;
    if (!run_expect(r, "tick", r->type->tick(r->self, &tick), PH_OK)) {
        return;
    }
    r->tick++;
    r->begun = false;
    r->result->ticks++;
    if (tick != r->tick) {
        run_fail(r, "the tick's number is %" PRIu64, tick);
    }
    if (r->m != NULL) {
        (void)model_tick(r->m);
        history_note(&r->past, r->m);
        run_refusals(r, true);
        run_stats(r);
        uint32_t every = r->options->query_every != 0 ? r->options->query_every : 1;
        if (!r->options->no_queries && r->tick % every == 0) {
            run_queries(r);
            run_places(r);
        }
    }
    mix_world_hash(r);
    for (uint32_t i = 0; r->s->eager && i < r->def.consumers; i++) {
        run_drain(r, i, UINT32_MAX, false);
        run_caught_up(r, i);
    }
    resave(r);
}

static void do_reload(run *r, const step_reload *reload)
{
    r->def.shape = reload->shape;
    r->def.height = reload->height;
    r->def.span = reload->span;
    r->def.sticky = reload->sticky;
    r->def.activation_span = reload->activation_span;
    r->def.activation_linger = reload->activation_linger;
    r->def.broadcast_bytes = reload->broadcast_bytes;
    r->def.crowd_entities = reload->crowd_entities;
    r->def.crowd_floor = reload->crowd_floor;
    r->def.events_max = reload->events_max;
    if (reload->kind < r->def.class_count) {
        char name[PH_NAME_SIZE];
        memcpy(name, r->classes[reload->kind].name, sizeof name);
        r->classes[reload->kind] = reload->values;
        memcpy(r->classes[reload->kind].name, name, sizeof name);
    }
    if (run_expect(r, "reconfigure", r->type->reconfigure(r->self, &r->def), PH_OK) && r->m != NULL) {
        model_reconfigure(r->m, &r->def);
    }
    ph_stats stats = {.queued = 1};
    if (!r->begun && r->type->stats != NULL && r->type->stats(r->self, &stats) == PH_OK && stats.queued == 0) {
        if (r->m != NULL) {
            run_refusals(r, false); /* a loaded world tells none of before */
        }
        resave(r); /* with a definition that no tick has taken yet */
    }
}

/* ---- the whole ---- */

static bool begin(run *r, const script *s, const run_options *options, run_result *result)
{
    memset(result, 0, sizeof *result);
    memset(r, 0, sizeof *r);
    r->s = s;
    r->options = options;
    r->result = result;
    r->type = options->subject != NULL ? options->subject : subject_engine();
    r->def = options->def != NULL ? *options->def : s->def;
    memcpy(r->classes, s->classes, sizeof r->classes);
    r->def.classes = r->classes;
    ph_status status = PH_OK;
    r->self = r->type->create(&r->def, s->producers, &status);
    if (r->self == NULL && status == PH_BAD_DEF && r->def.simd != PH_SIMD_AUTO) {
        r->def.simd = PH_SIMD_AUTO; /* this machine has no such instructions */
        r->self = r->type->create(&r->def, s->producers, &status);
    }
    if (r->self == NULL) {
        char reason[256] = "";
        ph_status check = ph_world_def_check(&r->def, reason, sizeof reason);
        return run_fail(r, "create: %s (check: %s %s)", ph_status_name(status), ph_status_name(check), reason);
    }
    if (!options->no_model) {
        r->m = model_create(&r->def);
        history_begin(&r->past);
    }
    for (uint32_t i = 0; s->eager && i < r->def.consumers; i++) {
        r->consumers[i].open = run_expect(r, "open", r->type->consumer_open(r->self, i), PH_OK);
    }
    return true;
}

/* A slow consumer catches up: a tick with room, after everything was taken and given back. */
static void catch_up(run *r)
{
    if (r->s->eager || r->result->failed) {
        return;
    }
    for (uint32_t i = 0; i < r->def.consumers; i++) {
        run_drain(r, i, UINT32_MAX, false);
    }
    do_tick(r);
    for (uint32_t i = 0; i < r->def.consumers; i++) {
        run_drain(r, i, UINT32_MAX, false);
        run_caught_up(r, i);
    }
}

/* Every delivery of a broadcast was in a batch, or counted as dropped, or its observer left or was not ready. */
static void check_broadcast_counts(run *r)
{
    const ph_stats *stats = &r->result->stats;
    uint64_t heard = r->result->heard + stats->deliveries_void + stats->mail_waiting;
    if (r->result->failed || r->m == NULL || r->def.consumers == 0) {
        return;
    }
    if (stats->deliveries_dropped != r->result->dropped || stats->deliveries != heard + r->result->dropped) {
        run_fail(r,
                 "%" PRIu64 " deliveries made, %" PRIu64 " heard, void or waiting, %" PRIu64
                 " counted as dropped, %" PRIu64 " told so",
                 stats->deliveries, heard, stats->deliveries_dropped, r->result->dropped);
    }
}

static void end(run *r)
{
    if (r->type->stats != NULL && r->type->stats(r->self, &r->result->stats) == PH_OK) {
        r->result->coalesced = r->result->stats.coalesced_ticks;
        bool batches_ok = r->def.consumers == 0 || r->result->stats.batches == r->result->batches;
        if (!r->result->failed && r->m != NULL && !batches_ok) {
            run_fail(r, "stats.batches is %" PRIu64 ", %" PRIu64 " were taken", r->result->stats.batches,
                     r->result->batches);
        }
        check_broadcast_counts(r);
    }
    if (r->self != NULL) {
        r->type->destroy(r->self);
    }
    if (r->m != NULL) {
        model_destroy(r->m);
        history_end(&r->past);
    }
    for (uint32_t i = 0; i < SCRIPT_PRODUCERS_MAX; i++) {
        VEC_FREE(&r->refusals[i]);
    }
}

static size_t do_step(run *r, size_t at)
{
    const step *s = &r->s->steps.items[at];
    switch (s->type) {
    case STEP_COMMAND: {
        uint32_t count = bulk_length(r->s, at);
        r->result->commands += count != 0 ? count : 1;
        if (count != 0) {
            do_bulk(r, s, count);
            return count;
        }
        do_single(r, s);
        break;
    }
    case STEP_APPLY:
        do_apply(r);
        break;
    case STEP_TICK:
        do_tick(r);
        break;
    case STEP_DRAIN:
        if (!r->s->eager && s->as.drain.consumer < r->def.consumers) {
            run_drain(r, s->as.drain.consumer, s->as.drain.batches, s->as.drain.hold);
        }
        break;
    case STEP_REOPEN:
        if (s->as.drain.consumer < r->def.consumers) {
            run_reopen(r, s->as.drain.consumer);
        }
        break;
    case STEP_RELOAD:
        do_reload(r, &s->as.reload);
        break;
    }
    return 1;
}

void run_script(const script *s, const run_options *options, run_result *result)
{
    run r;
    if (!begin(&r, s, options, result)) {
        return;
    }
    for (size_t at = 0; at < s->steps.count && !result->failed;) {
        at += do_step(&r, at);
    }
    catch_up(&r);
    end(&r);
}
