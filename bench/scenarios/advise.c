/*
 * The made crowd of --advise: it knows nothing but the world as configured.
 */
#include "bench/scenarios/scenarios.h"

static void enter_all(bench_stream *stream, bench_frame *frame)
{
    uint32_t kinds = ph_config_def(stream->config)->class_count;
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, i % kinds);
    }
}

/* A twentieth of the view in a tick, as in the other scenarios. */
static void walk_all(bench_stream *stream, bench_frame *frame)
{
    float step = bench_view_max(ph_config_def(stream->config)) / 20;
    for (uint32_t i = 0; i < stream->count; i++) {
        ph_position *position = &stream->positions[i];
        float vector[2];
        bench_disc(stream, step, vector);
        position->x += vector[0];
        position->y += vector[1];
        bench_reflect(position, &stream->world);
        bench_frame_move(frame, (uint64_t)i + 1, position->x, position->y, position->z);
    }
}

static const char *const no_keys[] = {NULL};

const bench_scenario bench_scenario_advise = {
    .name = "a made crowd",
    .doc = "the world as configured; its classes alike in number, all walk a twentieth of the view in a tick",
    .entities = 10000,
    .ticks = 100000,
    .warmup = 5,
    .keys = no_keys,
    .begin = enter_all,
    .step = walk_all,
};
