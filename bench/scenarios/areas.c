/*
 * areas: traps, quest zones and auras in a world that walks: as many circles as entities;
 * in every tick one in a hundred of them moves.
 */
#include "base/rng.h"
#include "bench/scenarios/scenarios.h"

enum { MOVING_SHARE = 100 };

#define AREA_RADIUS 10.0f /* a trap's; every tenth is ten times as wide */

static void set_area(bench_stream *stream, bench_frame *frame, uint32_t index)
{
    ph_position at = bench_place(stream, &stream->world);
    bench_other command = {.op = BENCH_AREA, .id = (uint64_t)index + 1};
    command.attrs.x = at.x;
    command.attrs.y = at.y;
    command.attrs.reach = index % 10 == 0 ? 10 * AREA_RADIUS : AREA_RADIUS;
    bench_frame_other(frame, &command);
}

static void areas_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, 0);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        set_area(stream, frame, i);
    }
}

static void areas_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_walk(stream, frame, i, &stream->world);
    }
    for (uint32_t i = (uint32_t)(stream->tick % MOVING_SHARE); i < stream->count; i += MOVING_SHARE) {
        set_area(stream, frame, i);
    }
}

static const char *const areas_keys[] = {"view=100", NULL};

const bench_scenario bench_areas = {
    .name = "areas",
    .doc = "walk-100k with 100,000 areas, one in a hundred of them moves in a tick: edges",
    .entities = 100000,
    .side = 30000,
    .side_step = 1,
    .ticks = 50,
    .warmup = 5,
    .zones = true,
    .keys = areas_keys,
    .begin = areas_begin,
    .step = areas_step,
};
