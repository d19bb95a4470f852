/*
 * cornell-50k, cornell-gauss, cornell-500k: iterated spatial joins, the workload of two papers (docs/workloads.md).
 * Points walk; every other one asks for the points in a square around it, here as the list of an observer.
 */
#include "base/rng.h"
#include "bench/base/memory.h"
#include "bench/scenarios/scenarios.h"

enum {
    SPEEDS = 20,    /* the speeds are multiples of SPEED_STEP, ... */
    TURN_SHARE = 10 /* ... and one point in so many takes another direction in a tick */
};

#define SPEED_STEP 10.0f
#define SPOT_DEVIATION 1300.0f /* of the points around their hot spot, along an axis */

enum { HOT_SPOTS = 10 };

typedef struct cornell {
    float (*steps)[2];   /* by point: its way in a tick */
    ph_position *centre; /* of the hot spots */
} cornell;

/* In a random direction, at the point's own speed. */
static void turn(bench_stream *stream, uint32_t index, float step[2])
{
    float speed = SPEED_STEP * (float)(1 + index / 2 % SPEEDS);
    float length;
    do {
        bench_disc(stream, 1, step);
        length = step[0] * step[0] + step[1] * step[1];
    } while (length < 0.25f);
    /* No square root: the direction matters, and lengths between 0.7 and 1 of the speed are near enough. */
    float scale = speed * (1.5f - 0.5f * length);
    step[0] *= scale;
    step[1] *= scale;
}

static void begin_points(bench_stream *stream, bench_frame *frame)
{
    cornell *state = stream->state;
    PHX_ASSERT(state->steps == NULL && stream->tick == 0);
    state->steps = bench_alloc(stream->mem, stream->count * sizeof *state->steps);
    uint32_t point = ph_config_kind(stream->config, "point");
    for (uint32_t i = 0; i < stream->count; i++) {
        turn(stream, i, state->steps[i]);
        bench_enter(stream, frame, i, i % 2 == 0 ? 0 : point);
    }
}

static void uniform_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
    }
    begin_points(stream, frame);
}

static void uniform_step(bench_stream *stream, bench_frame *frame)
{
    cornell *state = stream->state;
    for (uint32_t i = 0; i < stream->count; i++) {
        if (phx_rng_below(&stream->rng, TURN_SHARE) == 0) {
            turn(stream, i, state->steps[i]);
        }
        ph_position *at = &stream->positions[i];
        at->x += state->steps[i][0];
        at->y += state->steps[i][1];
        bench_reflect(at, &stream->world);
        bench_frame_move(frame, (uint64_t)i + 1, at->x, at->y, 0);
    }
}

/* As wide as the scenario's for so many points, so that a small world has its density. */
static float spot_deviation(const bench_stream *stream)
{
    return SPOT_DEVIATION * (stream->world.high[0] - stream->world.low[0]) / stream->scenario->side;
}

static void near_spot(bench_stream *stream, uint32_t index, ph_position *at)
{
    const cornell *state = stream->state;
    *at = state->centre[index / 2 % HOT_SPOTS];
    at->x += bench_bell(stream, spot_deviation(stream));
    at->y += bench_bell(stream, spot_deviation(stream));
    bench_reflect(at, &stream->world);
}

static void gauss_begin(bench_stream *stream, bench_frame *frame)
{
    cornell *state = stream->state;
    PHX_ASSERT(state->centre == NULL);
    state->centre = bench_alloc(stream->mem, HOT_SPOTS * sizeof *state->centre);
    for (uint32_t i = 0; i < HOT_SPOTS; i++) {
        state->centre[i] = bench_place(stream, &stream->world);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        near_spot(stream, i, &stream->positions[i]);
    }
    begin_points(stream, frame);
}

/* A point that turns heads for another place around its hot spot, so the crowd stays. */
static void gauss_step(bench_stream *stream, bench_frame *frame)
{
    cornell *state = stream->state;
    for (uint32_t i = 0; i < stream->count; i++) {
        ph_position *at = &stream->positions[i];
        if (phx_rng_below(&stream->rng, TURN_SHARE) == 0) {
            ph_position goal;
            near_spot(stream, i, &goal);
            state->steps[i][0] = (goal.x - at->x) / TURN_SHARE;
            state->steps[i][1] = (goal.y - at->y) / TURN_SHARE;
        }
        at->x += state->steps[i][0];
        at->y += state->steps[i][1];
        bench_reflect(at, &stream->world);
        bench_frame_move(frame, (uint64_t)i + 1, at->x, at->y, 0);
    }
}

static void cornell_end(bench_stream *stream)
{
    cornell *state = stream->state;
    if (state->steps != NULL) {
        phx_free(stream->mem, state->steps, stream->count * sizeof *state->steps, PHX_CACHE_LINE);
    }
    if (state->centre != NULL) {
        phx_free(stream->mem, state->centre, HOT_SPOTS * sizeof *state->centre, PHX_CACHE_LINE);
    }
}

/* squares of 800 x 800; towers of three of their halves */
static const char *const cornell_keys[] = {"shape=square", "view=400", "point.view=0", "tower_size=1200", NULL};

#define CORNELL(title, count, width, measured, first, each, models) \
    { \
        .name = (title), .doc = (models), .entities = (count), .side = (width), .side_step = 1, .ticks = (measured), \
        .warmup = 5, .keys = cornell_keys, .state_bytes = sizeof(cornell), .begin = (first), .step = (each), \
        .end = cornell_end \
    }

const bench_scenario bench_cornell_50k =
    CORNELL("cornell-50k", 50000, 22361, 60, uniform_begin, uniform_step,
            "iterated spatial joins: 50,000 points walk, half of them look at squares of 800 x 800");

const bench_scenario bench_cornell_gauss = CORNELL("cornell-gauss", 50000, 22361, 20, gauss_begin, gauss_step,
                                                   "cornell-50k where all points are around ten hot spots");

const bench_scenario bench_cornell_500k = CORNELL("cornell-500k", 500000, 70711, 8, uniform_begin, uniform_step,
                                                  "cornell-50k with ten times as many points, as dense");
