/*
 * border-pingpong: entities in pairs beside the shard borders hop over them and back,
 * every tick: the worst that can be done to the exchange between shards. The borders are
 * the borders of the default 4 x 4 shards, whatever --shards says, so that every layout gets
 * the same commands; the world's side is a multiple of 4 towers of the default size.
 */
#include "base/rng.h"
#include "bench/base/memory.h"
#include "bench/scenarios/scenarios.h"

enum {
    BORDERS = 3,      /* inner borders of 4 shards along an axis */
    CORNER_SHARE = 8, /* one pair in so many stands at a corner of four shards and hops across it */
};

/* Farthest from the border: a hop is at most 120, just beyond the view, so hops make events. */
#define OFFSET_MAX 60.0f

/* Where an entity stands at even ticks; at odd ones it is mirrored at the border. */
typedef struct hopper {
    float border[2];
    float offset[2];
    bool over[2]; /* hops along this axis */
} hopper;

typedef struct pingpong {
    hopper *hoppers;
} pingpong;

static float border_at(const bench_stream *stream, uint32_t axis, uint32_t index)
{
    PHX_ASSERT(axis < 2 && index < BORDERS);
    float low = stream->world.low[axis];
    return low + (stream->world.high[axis] - low) * (float)(index + 1) / (float)(BORDERS + 1);
}

static hopper hopper_draw(bench_stream *stream)
{
    bool corner = phx_rng_below(&stream->rng, CORNER_SHARE) == 0;
    uint32_t first = phx_rng_below(&stream->rng, 2);
    hopper made = {.over = {corner || first == 0, corner || first == 1}};
    for (uint32_t axis = 0; axis < 2; axis++) {
        if (made.over[axis]) {
            made.border[axis] = border_at(stream, axis, phx_rng_below(&stream->rng, BORDERS));
            made.offset[axis] = bench_uniform(stream, 1, OFFSET_MAX);
        } else {
            made.border[axis] = bench_uniform(stream, stream->world.low[axis], stream->world.high[axis]);
        }
    }
    return made;
}

static ph_position hopper_at(const hopper *from, uint64_t tick)
{
    float side[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        bool mirrored = from->over[axis] && tick % 2 == 1;
        side[axis] = from->border[axis] + (mirrored ? -from->offset[axis] : from->offset[axis]);
    }
    return (ph_position){side[0], side[1], 0};
}

/* The second of a pair starts on the other side, at an offset of its own, so the two swap. */
static hopper partner_of(bench_stream *stream, const hopper *first)
{
    hopper made = *first;
    for (uint32_t axis = 0; axis < 2; axis++) {
        if (made.over[axis]) {
            made.offset[axis] = -bench_uniform(stream, 1, OFFSET_MAX);
        }
    }
    return made;
}

static void pingpong_begin(bench_stream *stream, bench_frame *frame)
{
    pingpong *state = stream->state;
    PHX_ASSERT(state->hoppers == NULL && stream->count > 0);
    state->hoppers = bench_alloc(stream->mem, stream->count * sizeof *state->hoppers);
    for (uint32_t i = 0; i < stream->count; i++) {
        state->hoppers[i] = i % 2 == 0 ? hopper_draw(stream) : partner_of(stream, &state->hoppers[i - 1]);
        stream->positions[i] = hopper_at(&state->hoppers[i], 0);
        bench_enter(stream, frame, i, 0);
    }
}

static void pingpong_step(bench_stream *stream, bench_frame *frame)
{
    const pingpong *state = stream->state;
    for (uint32_t i = 0; i < stream->count; i++) {
        ph_position position = hopper_at(&state->hoppers[i], stream->tick);
        stream->positions[i] = position;
        bench_frame_move(frame, (uint64_t)i + 1, position.x, position.y, position.z);
    }
}

static void pingpong_end(bench_stream *stream)
{
    pingpong *state = stream->state;
    if (state->hoppers != NULL) {
        phx_free(stream->mem, state->hoppers, stream->count * sizeof *state->hoppers, PHX_CACHE_LINE);
    }
}

static const char *const pingpong_keys[] = {"view=100", "tower_size=100", "shards=4,4", NULL};

const bench_scenario bench_border_pingpong = {
    .name = "border-pingpong",
    .doc = "battles on shard borders: pairs hop over a border, or a corner of four shards, every tick",
    .entities = 10000,
    .side = 10000,
    .side_step = 400,
    .ticks = 200,
    .warmup = 20,
    .keys = pingpong_keys,
    .state_bytes = sizeof(pingpong),
    .begin = pingpong_begin,
    .step = pingpong_step,
    .end = pingpong_end,
};
