/*
 * The scenario of --trace: the ticks of a recorded file, read between the timed ticks.
 * Lines of the file's first tick are the setup; every later tick is one frame,
 * also ticks without a line.
 */
#include "tools/trace.h"
#include "bench/scenarios/scenarios.h"

typedef struct trace_state {
    phx_trace *trace;
    phx_trace_row row; /* read ahead: the first of the next tick that has one */
    bool has_row;
    uint64_t tick;
} trace_state;

static uint32_t kind_of(void *config, const char *name)
{
    return bench_kind(config, name);
}

static void fail(bench_stream *stream, const phx_trace_error *error)
{
    stream->over = true;
    stream->failed = true;
    if (error->line > 0) {
        bench_fail(&stream->error, "%s:%llu: %s", stream->path, (unsigned long long)error->line, error->reason);
    } else {
        bench_fail(&stream->error, "%s: %s", stream->path, error->reason);
    }
}

static void read_ahead(bench_stream *stream)
{
    trace_state *state = stream->state;
    phx_trace_error error;
    phx_trace_result result = phx_trace_next(state->trace, &state->row, &error);
    state->has_row = result == PHX_TRACE_ROW;
    if (result == PHX_TRACE_ROW && (state->row.op == PHX_TRACE_OP_IMPORT || state->row.op == PHX_TRACE_OP_CONFIG)) {
        error.line = state->row.line;
        (void)snprintf(error.reason, sizeof error.reason, "the engines beside Pharos know no import and no config");
        result = PHX_TRACE_BAD;
    }
    if (result == PHX_TRACE_BAD || result == PHX_TRACE_BROKEN) {
        fail(stream, &error);
    }
}

static bench_other_op other_op(phx_trace_op op)
{
    switch (op) {
    case PHX_TRACE_OP_PAIR:
        return BENCH_PAIR;
    case PHX_TRACE_OP_UNPAIR:
        return BENCH_UNPAIR;
    case PHX_TRACE_OP_LINK:
        return BENCH_LINK;
    case PHX_TRACE_OP_UNLINK:
        return BENCH_UNLINK;
    case PHX_TRACE_OP_HIDE:
        return BENCH_HIDE;
    case PHX_TRACE_OP_UNHIDE:
        return BENCH_UNHIDE;
    case PHX_TRACE_OP_REVEAL:
        return BENCH_REVEAL;
    case PHX_TRACE_OP_UNREVEAL:
        return BENCH_UNREVEAL;
    case PHX_TRACE_OP_ATTACH:
        return BENCH_ATTACH;
    case PHX_TRACE_OP_DETACH:
        return BENCH_DETACH;
    case PHX_TRACE_OP_SET:
    case PHX_TRACE_OP_MOVE: /* of some coordinates only */
        return BENCH_SET;
    case PHX_TRACE_OP_ENTER:
    case PHX_TRACE_OP_LEAVE:
    case PHX_TRACE_OP_RESEND:
    case PHX_TRACE_OP_BROADCAST:
    case PHX_TRACE_OP_BROADCAST_AT:
    case PHX_TRACE_OP_AREA:
    case PHX_TRACE_OP_UNAREA:
    case PHX_TRACE_OP_APPLY:
    case PHX_TRACE_OP_IMPORT:
    case PHX_TRACE_OP_CONFIG:
    case PHX_TRACE_OP_COUNT:
        break;
    }
    phx_panic(__FILE__, __LINE__, "phx_trace_op");
}

static void add_row(const bench_stream *stream, bench_frame *frame, const phx_trace_row *row)
{
    if (row->op == PHX_TRACE_OP_RESEND || row->op == PHX_TRACE_OP_BROADCAST || row->op == PHX_TRACE_OP_BROADCAST_AT ||
        row->op == PHX_TRACE_OP_AREA || row->op == PHX_TRACE_OP_UNAREA || row->op == PHX_TRACE_OP_APPLY) {
        return; /* lists do not depend on them, and the bench measures lists */
    }
    if (row->op == PHX_TRACE_OP_ENTER) {
        ph_attrs attrs = row->attrs;
        attrs.given |= PH_CONSUMER;
        attrs.consumer = (uint32_t)(row->id % ph_config_def(stream->config)->consumers);
        bench_frame_enter(frame, row->id, &attrs);
    } else if (row->op == PHX_TRACE_OP_LEAVE) {
        bench_frame_leave(frame, row->id);
    } else if (row->op == PHX_TRACE_OP_MOVE && (row->attrs.given & PH_POSITION) == PH_POSITION) {
        bench_frame_move(frame, row->id, row->attrs.x, row->attrs.y, row->attrs.z);
    } else {
        bench_other command = {other_op(row->op), row->id, row->other, row->attrs};
        command.attrs.given &= ~(uint32_t)PH_CONSUMER; /* ids decide, as at enter */
        bench_frame_other(frame, &command);
    }
}

/* All rows of state->tick. */
static void fill(bench_stream *stream, bench_frame *frame)
{
    trace_state *state = stream->state;
    PHX_ASSERT(!state->has_row || state->row.tick >= state->tick);
    bench_frame_begin(frame, state->tick);
    while (state->has_row && state->row.tick == state->tick) {
        add_row(stream, frame, &state->row);
        read_ahead(stream);
    }
    state->tick++;
}

static void trace_begin(bench_stream *stream, bench_frame *frame)
{
    trace_state *state = stream->state;
    phx_trace_error error = {.reason = "no memory"};
    /* The config is only read; the callback's user is not const for others' sake. */
    void *config = (void *)(uintptr_t)stream->config;
    phx_trace_source source = {stream->path, stream->unpack_max_bytes, kind_of, config};
    if (phx_trace_open(&state->trace, stream->mem, &source, &error) != PH_OK) {
        state->trace = NULL;
        fail(stream, &error);
        return;
    }
    read_ahead(stream);
    if (stream->failed) {
        return;
    }
    state->tick = state->has_row ? state->row.tick : 0;
    fill(stream, frame);
}

static void trace_step(bench_stream *stream, bench_frame *frame)
{
    const trace_state *state = stream->state;
    if (!state->has_row) {
        stream->over = true;
        return;
    }
    fill(stream, frame);
}

static void trace_end(bench_stream *stream)
{
    trace_state *state = stream->state;
    phx_trace_close(state->trace);
}

static const char *const no_keys[] = {NULL};

const bench_scenario bench_scenario_trace = {
    .recorded = true,
    .name = "trace",
    .doc = "recorded commands from a file, world and views as configured",
    .side_step = 1,
    .keys = no_keys,
    .state_bytes = sizeof(trace_state),
    .begin = trace_begin,
    .step = trace_step,
    .end = trace_end,
};
