/*
 * churn: an ordinary hour. A tenth walks in a tick, others every time, and a few jump, log out and log in: hardly any,
 * but some in every tick, which costs an index that then works on the whole world.
 */
#include "base/rng.h"
#include "bench/base/memory.h"
#include "bench/scenarios/scenarios.h"

enum {
    JUMP_SHARE = 5000,    /* of all, one in so many jumps in a tick, anywhere */
    LOGOUT_SHARE = 10000, /* one in so many leaves, and another comes back */
    AWAY_TICKS = 5
};

typedef struct churn {
    bool *away;     /* by index */
    uint32_t *left; /* absent entities, AWAY_TICKS batches, the next one to come back first */
    uint32_t left_count;
} churn;

static uint32_t logouts(const bench_stream *stream)
{
    return stream->count / LOGOUT_SHARE + 1;
}

static size_t left_room(const bench_stream *stream)
{
    return (size_t)logouts(stream) * AWAY_TICKS;
}

static void churn_begin(bench_stream *stream, bench_frame *frame)
{
    churn *state = stream->state;
    state->away = bench_alloc(stream->mem, stream->count * sizeof *state->away);
    state->left = bench_alloc(stream->mem, left_room(stream) * sizeof *state->left);
    state->left_count = 0;
    for (uint32_t i = 0; i < stream->count; i++) {
        state->away[i] = false;
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, 0);
    }
}

static void walks(bench_stream *stream, bench_frame *frame)
{
    const churn *state = stream->state;
    for (uint32_t i = 0; i < stream->count; i++) {
        if (phx_rng_below(&stream->rng, 10) == 0 && !state->away[i]) {
            bench_walk(stream, frame, i, &stream->world);
        }
    }
}

static void jumps(bench_stream *stream, bench_frame *frame)
{
    const churn *state = stream->state;
    for (uint32_t n = stream->count / JUMP_SHARE + 1; n > 0; n--) {
        uint32_t i = phx_rng_below(&stream->rng, stream->count);
        if (!state->away[i]) {
            ph_position *position = &stream->positions[i];
            *position = bench_place(stream, &stream->world);
            bench_frame_move(frame, (uint64_t)i + 1, position->x, position->y, position->z);
        }
    }
}

/* The entities that left first come back anywhere; then as many leave. */
static void logs(bench_stream *stream, bench_frame *frame)
{
    churn *state = stream->state;
    if (state->left_count == left_room(stream)) {
        uint32_t back = logouts(stream);
        for (uint32_t n = 0; n < back; n++) {
            uint32_t i = state->left[n];
            state->away[i] = false;
            stream->positions[i] = bench_place(stream, &stream->world);
            bench_enter(stream, frame, i, 0);
        }
        state->left_count -= back;
        for (uint32_t n = 0; n < state->left_count; n++) {
            state->left[n] = state->left[n + back];
        }
    }
    for (uint32_t n = logouts(stream); n > 0;) {
        uint32_t i = phx_rng_below(&stream->rng, stream->count);
        if (!state->away[i]) {
            state->away[i] = true;
            state->left[state->left_count++] = i;
            bench_frame_leave(frame, (uint64_t)i + 1);
            n--;
        }
    }
}

static void churn_step(bench_stream *stream, bench_frame *frame)
{
    walks(stream, frame);
    jumps(stream, frame);
    logs(stream, frame);
}

static void churn_end(bench_stream *stream)
{
    churn *state = stream->state;
    if (state->away != NULL) {
        phx_free(stream->mem, state->away, stream->count * sizeof *state->away, PHX_CACHE_LINE);
        phx_free(stream->mem, state->left, left_room(stream) * sizeof *state->left, PHX_CACHE_LINE);
    }
}

static const char *const churn_keys[] = {"view=100", "tower_size=300", NULL};

const bench_scenario bench_churn = {
    .name = "churn",
    .doc = "an ordinary hour: walk-100k where a tenth moves in a tick, and some 20 jump, 10 log out and 10 log in",
    .entities = 100000,
    .side = 30000,
    .side_step = 1,
    .ticks = 100,
    .warmup = 20,
    .keys = churn_keys,
    .state_bytes = sizeof(churn),
    .begin = churn_begin,
    .step = churn_step,
    .end = churn_end,
};
