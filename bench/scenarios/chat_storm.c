/*
 * chat-storm: a crowd walks, and in every tick one entity in twenty sends a line of chat to all
 * its observers; whisper: the same to all observers within 20.
 */
#include "base/rng.h"
#include "bench/scenarios/scenarios.h"

enum { SAYING_SHARE = 20 };

static const float WHISPER_RADIUS = 20; /* a fifth of the view: one other on average */

static void chat_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, 0);
    }
}

static void chat_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_walk(stream, frame, i, &stream->world);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        if (phx_rng_below(&stream->rng, SAYING_SHARE) == 0) {
            bench_frame_say(frame, (uint64_t)i + 1);
        }
    }
}

static void whisper_step(bench_stream *stream, bench_frame *frame)
{
    frame->say_radius = WHISPER_RADIUS;
    chat_step(stream, frame);
}

static const char *const chat_keys[] = {"view=100", NULL};

const bench_scenario bench_chat_storm = {
    .name = "chat-storm",
    .doc = "a market day: all move, 30 others in view; every tick one in twenty sends 64 bytes to all its observers",
    .entities = 10000,
    .side = 3236,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .talks = true,
    .keys = chat_keys,
    .begin = chat_begin,
    .step = chat_step,
};

const bench_scenario bench_whisper = {
    .name = "whisper",
    .doc = "the same market day: every tick one in twenty says 64 bytes to all within 20, whatever is in their lists",
    .entities = 10000,
    .side = 3236,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .talks = true,
    .keys = chat_keys,
    .begin = chat_begin,
    .step = whisper_step,
};
