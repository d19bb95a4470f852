/*
 * small-worlds: rooms of 20 players each, a world for each room. The instance of an entity names its world, so that
 * the check of lists, which knows one world alone, keeps them apart.
 */
#include "bench/scenarios/scenarios.h"

static void rooms_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        const ph_attrs attrs = {.given = PH_POSITION | PH_INSTANCE,
                                .x = stream->positions[i].x,
                                .y = stream->positions[i].y,
                                .instance = 1 + i / BENCH_WORLD_ENTITIES};
        bench_frame_enter(frame, (uint64_t)i + 1, &attrs);
    }
}

static void rooms_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_walk(stream, frame, i, &stream->world);
    }
}

/* The density of `instances`: its dungeons have 25 players in as much ground. */
static const char *const room_keys[] = {"view=100", "world_origin=0,0", "world_size=300,300", NULL};

const bench_scenario bench_small_worlds = {
    .name = "small-worlds",
    .doc = "4,096 worlds of 20 walkers each, with one crew, ticked by one ph_tick_many()",
    .entities = 4096 * BENCH_WORLD_ENTITIES,
    .ticks = 100,
    .warmup = 10,
    .worlds = true,
    .keys = room_keys,
    .begin = rooms_begin,
    .step = rooms_step,
};
