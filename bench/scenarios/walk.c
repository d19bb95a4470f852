/*
 * The scenarios in which everybody observes and only walks or stands: walk-10k, walk-100k,
 * dense-100k, crowd, hotspot, idle, and teleport-storm, where a tenth jumps.
 */
#include "base/rng.h"
#include "bench/scenario.h"

static const char *const view_100[] = { "view=100", NULL };

static void everybody_enters(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, 0);
    }
}

static void everybody_walks(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_walk(stream, frame, i, &stream->world);
    }
}

static void nobody_moves(bench_stream *stream, bench_frame *frame)
{
    (void)stream;
    (void)frame;
}

/* ---- hotspot: every other entity keeps to a square in the middle, a tenth of the world's side ---- */

static bench_area hot_area(const bench_area *world)
{
    bench_area area;
    for (uint32_t axis = 0; axis < 2; axis++) {
        float middle = world->low[axis] + (world->high[axis] - world->low[axis]) * 0.5f;
        float half = (world->high[axis] - world->low[axis]) * 0.05f;
        area.low[axis] = middle - half;
        area.high[axis] = middle + half;
    }
    return area;
}

static void hotspot_begin(bench_stream *stream, bench_frame *frame)
{
    bench_area hot = hot_area(&stream->world);
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, i % 2 == 0 ? &hot : &stream->world);
        bench_enter(stream, frame, i, 0);
    }
}

static void hotspot_step(bench_stream *stream, bench_frame *frame)
{
    bench_area hot = hot_area(&stream->world);
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_walk(stream, frame, i, i % 2 == 0 ? &hot : &stream->world);
    }
}

/* ---- teleport-storm ---- */

static void teleport_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        if (phx_rng_below(&stream->rng, 10) != 0) {
            bench_walk(stream, frame, i, &stream->world);
            continue;
        }
        ph_position *position = &stream->positions[i];
        *position = bench_place(stream, &stream->world);
        bench_frame_move(frame, (uint64_t)i + 1, position->x, position->y, position->z);
    }
}

const bench_scenario bench_walk_10k = {
    .name = "walk-10k",
    .doc = "a quiet zone server: everybody observes and moves every tick, 3 others in view",
    .entities = 10000,
    .side = 10000,
    .side_step = 1,
    .ticks = 500,
    .warmup = 50,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_walk_100k = {
    .name = "walk-100k",
    .doc = "a whole continent in one world, as sparse as walk-10k: the data no longer fits into the caches",
    .entities = 100000,
    .side = 30000,
    .side_step = 1,
    .ticks = 100,
    .warmup = 10,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_hotspot = {
    .name = "hotspot",
    .doc = "a city in an empty land: half of all stay in the hundredth part of the world in its middle",
    .entities = 10000,
    .side = 10000,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .keys = view_100,
    .begin = hotspot_begin,
    .step = hotspot_step,
};

const bench_scenario bench_crowd = {
    .name = "crowd",
    .doc = "a siege: thousands in one square, each sees more than 500; lists and events are everything",
    .entities = 5000,
    .side = 500,
    .side_step = 1,
    .ticks = 100,
    .warmup = 10,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_dense_100k = {
    .name = "dense-100k",
    .doc = "a well visited continent: everybody moves, 30 others in view",
    .entities = 100000,
    .side = 10233,
    .side_step = 1,
    .ticks = 100,
    .warmup = 10,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_teleport_storm = {
    .name = "teleport-storm",
    .doc = "scrolls, portals, spawn points: each tick a tenth of all jumps anywhere, the rest walks",
    .entities = 10000,
    .side = 10000,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .keys = view_100,
    .begin = everybody_enters,
    .step = teleport_step,
};

const bench_scenario bench_idle = {
    .name = "idle",
    .doc = "walk-100k where nobody moves: what the mere presence of entities costs",
    .entities = 100000,
    .side = 30000,
    .side_step = 1,
    .ticks = 200,
    .warmup = 10,
    .keys = view_100,
    .begin = everybody_enters,
    .step = nobody_moves,
};
