/*
 * instances: dungeon runs of 25 players each, all on the same ground, each an instance of its own; and
 * instances-flat: the same runs side by side in one instance, so far apart that none sees another. The walks are the
 * same but for the roundings of places, and so are the events.
 */
#include "bench/scenarios/scenarios.h"

enum { PARTY = 25, DUNGEON_SIDE = 300, SPACING = 600 };

/* Where the run of an entity goes about: on the ground of its own, or of all. */
static bench_area dungeon_of(const bench_stream *stream, uint32_t index, bool stacked)
{
    uint32_t columns = (uint32_t)((stream->world.high[0] - stream->world.low[0]) / SPACING), run = index / PARTY;
    if (stacked || columns == 0) run = 0;
    float x = stream->world.low[0] + (float)(run % (columns > 0 ? columns : 1) * SPACING);
    float y = stream->world.low[1] + (float)(run / (columns > 0 ? columns : 1) * SPACING);
    return (bench_area){{x, y}, {x + DUNGEON_SIDE, y + DUNGEON_SIDE}};
}

static void enter_all(bench_stream *stream, bench_frame *frame, bool stacked)
{
    const ph_world_def *def = ph_config_def(stream->config);
    for (uint32_t i = 0; i < stream->count; i++) {
        const bench_area area = dungeon_of(stream, i, stacked);
        stream->positions[i] = bench_place(stream, &area);
        ph_attrs attrs = {.given = PH_POSITION | PH_CONSUMER | (stacked ? PH_INSTANCE : 0),
                          .x = stream->positions[i].x,
                          .y = stream->positions[i].y,
                          .consumer = i % def->consumers,
                          .instance = stacked ? 1 + i / PARTY : 0};
        bench_frame_enter(frame, (uint64_t)i + 1, &attrs);
    }
}

static void walk_all(bench_stream *stream, bench_frame *frame, bool stacked)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        const bench_area area = dungeon_of(stream, i, stacked);
        bench_walk(stream, frame, i, &area);
    }
}

static void stacked_begin(bench_stream *stream, bench_frame *frame)
{
    enter_all(stream, frame, true);
}

static void stacked_step(bench_stream *stream, bench_frame *frame)
{
    walk_all(stream, frame, true);
}

static void flat_begin(bench_stream *stream, bench_frame *frame)
{
    enter_all(stream, frame, false);
}

static void flat_step(bench_stream *stream, bench_frame *frame)
{
    walk_all(stream, frame, false);
}

static const char *const dungeon_keys[] = {"view=100", NULL};

#define DUNGEONS \
    .entities = 25000, .side = 19200, .side_step = SPACING, .ticks = 100, .warmup = 10, .keys = dungeon_keys

const bench_scenario bench_instances = {
    .name = "instances",
    .doc = "1,000 dungeon runs of 25 players, all on the same ground: compare it with instances-flat",
    DUNGEONS,
    .copies = true,
    .begin = stacked_begin,
    .step = stacked_step,
};

const bench_scenario bench_instances_flat = {
    .name = "instances-flat",
    .doc = "the same runs side by side in one instance",
    DUNGEONS,
    .begin = flat_begin,
    .step = flat_step,
};
