/*
 * login-flood: players come in waves, a quarter as many as are there already, stay for a
 * few ticks and go, on top of a base that walks. The ids of a wave come back some waves
 * later, as characters do.
 */
#include "bench/base/memory.h"
#include "bench/scenarios/scenarios.h"

enum {
    WAVE_EVERY_TICKS = 10,
    WAVE_STAYS_TICKS = 5,
    WAVE_SHARE = 4, /* a wave is the base divided by this */
    WAVE_SETS = 4   /* sets of ids, taken in turn */
};

typedef struct flood {
    ph_position *wave; /* positions while it is there */
} flood;

static uint32_t wave_count(const bench_stream *stream)
{
    return stream->count / WAVE_SHARE;
}

static uint64_t wave_id(const bench_stream *stream, uint32_t index)
{
    uint64_t set = stream->tick / WAVE_EVERY_TICKS % WAVE_SETS;
    return 1 + stream->count + set * wave_count(stream) + index;
}

static void flood_begin(bench_stream *stream, bench_frame *frame)
{
    flood *state = stream->state;
    if (wave_count(stream) > 0) {
        state->wave = bench_alloc(stream->mem, wave_count(stream) * sizeof *state->wave);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, 0);
    }
}

static void wave_enters(bench_stream *stream, bench_frame *frame)
{
    flood *state = stream->state;
    PHX_ASSERT(wave_count(stream) == 0 || state->wave != NULL);
    uint32_t consumers = ph_config_def(stream->config)->consumers;
    for (uint32_t i = 0; i < wave_count(stream); i++) {
        state->wave[i] = bench_place(stream, &stream->world);
        ph_attrs attrs = {.given = PH_X | PH_Y | PH_CONSUMER,
                          .x = state->wave[i].x,
                          .y = state->wave[i].y,
                          .consumer = i % consumers};
        bench_frame_enter(frame, wave_id(stream, i), &attrs);
    }
}

static void wave_walks(bench_stream *stream, bench_frame *frame)
{
    flood *state = stream->state;
    for (uint32_t i = 0; i < wave_count(stream); i++) {
        float step[2];
        bench_disc(stream, BENCH_STEP, step);
        state->wave[i].x += step[0];
        state->wave[i].y += step[1];
        bench_reflect(&state->wave[i], &stream->world);
        bench_frame_move(frame, wave_id(stream, i), state->wave[i].x, state->wave[i].y, 0);
    }
}

static void flood_step(bench_stream *stream, bench_frame *frame)
{
    uint64_t phase = stream->tick % WAVE_EVERY_TICKS;
    bool first_wave_came = stream->tick >= WAVE_EVERY_TICKS;
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_walk(stream, frame, i, &stream->world);
    }
    if (!first_wave_came) {
        return;
    }
    if (phase == 0) {
        wave_enters(stream, frame);
    } else if (phase < WAVE_STAYS_TICKS) {
        wave_walks(stream, frame);
    } else if (phase == WAVE_STAYS_TICKS) {
        for (uint32_t i = 0; i < wave_count(stream); i++) {
            bench_frame_leave(frame, wave_id(stream, i));
        }
    }
}

static void flood_end(bench_stream *stream)
{
    flood *state = stream->state;
    if (state->wave != NULL) {
        phx_free(stream->mem, state->wave, wave_count(stream) * sizeof *state->wave, PHX_CACHE_LINE);
    }
}

static const char *const flood_keys[] = {"view=100", NULL};

const bench_scenario bench_login_flood = {
    .name = "login-flood",
    .doc = "after maintenance: a base walks, every 10th tick a quarter as many enter, and leave 5 ticks later",
    .entities = 20000,
    .side = 14142,
    .side_step = 1,
    .ticks = 200,
    .warmup = 10,
    .keys = flood_keys,
    .state_bytes = sizeof(flood),
    .begin = flood_begin,
    .step = flood_step,
    .end = flood_end,
};
