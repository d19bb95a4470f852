/*
 * The life of a stream and the moves that several scenarios share. Called by the plan and
 * by run.c, between timed ticks.
 */
#include "bench/base/scenario.h"

#include <math.h>

#include "base/rng.h"
#include "bench/base/memory.h"

float bench_scenario_side(const bench_scenario *scenario, uint32_t entities)
{
    PHX_ASSERT(scenario->side > 0 && scenario->side_step > 0);
    double side = (double)scenario->side * sqrt((double)entities / (double)scenario->entities);
    return (float)(ceil(side / (double)scenario->side_step) * (double)scenario->side_step);
}

float bench_view_max(const ph_world_def *def)
{
    float view = 0;
    for (uint32_t kind = 0; kind < def->class_count; kind++) {
        view = def->classes[kind].view > view ? def->classes[kind].view : view;
    }
    return view;
}

bench_stream *bench_stream_open(const bench_scenario *scenario, const ph_config *config, const char *path,
                                uint32_t entities, uint64_t seed, phx_mem *mem)
{
    const ph_world_def *def = ph_config_def(config);
    PHX_ASSERT((path != NULL) == scenario->recorded);
    PHX_ASSERT((entities > 0) == (path == NULL));
    bench_stream *stream = bench_alloc(mem, sizeof *stream);
    *stream = (bench_stream){
        .scenario = scenario, .config = config, .path = path, .mem = mem, .rng = seed, .count = entities};
    for (uint32_t axis = 0; axis < 2; axis++) {
        stream->world.low[axis] = def->world_origin[axis];
        stream->world.high[axis] = def->world_origin[axis] + def->world_size[axis];
    }
    if (entities > 0) {
        stream->positions = bench_alloc(mem, entities * sizeof *stream->positions);
    }
    if (scenario->state_bytes > 0) {
        stream->state = bench_alloc(mem, scenario->state_bytes);
    }
    return stream;
}

uint32_t bench_stream_players(const bench_stream *stream)
{
    uint32_t share = stream->scenario->player_share;
    return share > 1 ? stream->count / share : stream->count;
}

/* The features' part of the setup frame, or of the frame of a tick. */
static void add_features(bench_stream *stream, bench_frame *frame)
{
    const bench_features *features = stream->features;
    for (uint32_t f = 0; features != NULL && f < features->count; f++) {
        const bench_feature *feature = features->list[f];
        for (uint32_t i = 0; stream->tick == 0 && feature->attrs != NULL && i < stream->count; i++) {
            PHX_ASSERT(frame->enter_ids[i] == (uint64_t)i + 1);
            feature->attrs(stream, i, &frame->enter_attrs[i]);
        }
    }
    for (uint32_t f = 0; features != NULL && f < features->count; f++) {
        const bench_feature *feature = features->list[f];
        void (*add)(bench_stream *, bench_frame *) = stream->tick == 0 ? feature->begin : feature->step;
        if (add != NULL) {
            add(stream, frame);
        }
    }
}

bool bench_stream_next(bench_stream *stream, bench_frame *frame)
{
    if (stream->over) {
        return false;
    }
    bench_frame_begin(frame, stream->tick);
    if (stream->tick == 0) {
        stream->scenario->begin(stream, frame);
    } else {
        stream->scenario->step(stream, frame);
    }
    add_features(stream, frame);
    stream->tick++;
    return !stream->over;
}

void bench_stream_close(bench_stream *stream)
{
    phx_mem *mem = stream->mem;
    if (stream->scenario->end != NULL) {
        stream->scenario->end(stream);
    }
    if (stream->state != NULL) {
        phx_free(mem, stream->state, stream->scenario->state_bytes, PHX_CACHE_LINE);
    }
    if (stream->positions != NULL) {
        phx_free(mem, stream->positions, stream->count * sizeof *stream->positions, PHX_CACHE_LINE);
    }
    phx_free(mem, stream, sizeof *stream, PHX_CACHE_LINE);
}

float bench_uniform(bench_stream *stream, float low, float high)
{
    return low + phx_rng_unit(&stream->rng) * (high - low);
}

void bench_disc(bench_stream *stream, float radius, float vector[2])
{
    do { /* the disc is 79 % of its square: 1.3 rounds on average */
        vector[0] = bench_uniform(stream, -1, 1);
        vector[1] = bench_uniform(stream, -1, 1);
    } while (vector[0] * vector[0] + vector[1] * vector[1] > 1);
    vector[0] *= radius;
    vector[1] *= radius;
}

float bench_bell(bench_stream *stream, float deviation)
{
    PHX_ASSERT(deviation >= 0);
    float sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        sum += phx_rng_unit(&stream->rng) - 0.5f;
    }
    return sum * deviation * 1.7320508f; /* each has the variance 1/12, four of them 1/3 */
}

ph_position bench_place(bench_stream *stream, const bench_area *area)
{
    float x = bench_uniform(stream, area->low[0], area->high[0]);
    float y = bench_uniform(stream, area->low[1], area->high[1]);
    return (ph_position){x, y, 0};
}

static float reflect(float value, float low, float high)
{
    PHX_ASSERT(low <= high);
    if (value < low) {
        value = low + (low - value);
        return value > high ? high : value;
    }
    if (value > high) {
        value = high - (value - high);
        return value < low ? low : value;
    }
    return value;
}

void bench_reflect(ph_position *position, const bench_area *area)
{
    position->x = reflect(position->x, area->low[0], area->high[0]);
    position->y = reflect(position->y, area->low[1], area->high[1]);
}

void bench_walk(bench_stream *stream, bench_frame *frame, uint32_t index, const bench_area *area)
{
    PHX_ASSERT(index < stream->count);
    ph_position *position = &stream->positions[index];
    float step[2];
    bench_disc(stream, BENCH_STEP, step);
    position->x += step[0];
    position->y += step[1];
    bench_reflect(position, area);
    bench_frame_move(frame, (uint64_t)index + 1, position->x, position->y, position->z);
}

uint32_t bench_kind(const ph_config *config, const char *class_name)
{
    uint32_t kind = ph_config_kind(config, class_name);
    return kind != PH_KIND_NONE ? kind : 0;
}

void bench_enter(bench_stream *stream, bench_frame *frame, uint32_t index, uint32_t kind)
{
    PHX_ASSERT(index < stream->count);
    const ph_position *position = &stream->positions[index];
    const ph_world_def *def = ph_config_def(stream->config);
    PHX_ASSERT(kind < def->class_count && def->consumers > 0);
    ph_attrs attrs = {
        .given = PH_POSITION | PH_KIND | PH_CONSUMER,
        .x = position->x,
        .y = position->y,
        .z = position->z,
        .kind = kind,
        .consumer = index % def->consumers,
    };
    bench_frame_enter(frame, (uint64_t)index + 1, &attrs);
}
