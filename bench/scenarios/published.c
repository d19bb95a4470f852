/*
 * osrs-box, station-80, cluster: worlds of three games, as far as they are published (docs/workloads.md).
 */
#include "base/rng.h"
#include "bench/scenarios/scenarios.h"

/* ---- osrs-box: all players teleport about a small box and talk, in every tick ---- */

#define BOX_TILES 13.0f
#define MAP_TILES 512.0f

/* On whole tiles of the box in the middle of the map, as in the game: many stand on one place. */
static ph_position tile(bench_stream *stream)
{
    bench_area box;
    for (uint32_t axis = 0; axis < 2; axis++) {
        float low = stream->world.low[axis], size = stream->world.high[axis] - low;
        box.low[axis] = low + size * 0.5f;
        box.high[axis] = box.low[axis] + size * (BOX_TILES / MAP_TILES);
    }
    ph_position at = bench_place(stream, &box);
    return (ph_position){(float)(int32_t)at.x, (float)(int32_t)at.y, 0};
}

static void box_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = tile(stream);
        bench_enter(stream, frame, i, 0);
    }
}

static void box_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = tile(stream);
        const ph_position *at = &stream->positions[i];
        bench_frame_move(frame, (uint64_t)i + 1, at->x, at->y, 0);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_frame_say(frame, (uint64_t)i + 1);
    }
}

static const char *const box_keys[] = {"shape=square", "view=15", "cap=250", "tower_size=16", NULL};

const bench_scenario bench_osrs_box = {
    .name = "osrs-box",
    .doc = "2,046 players in 13 x 13 tiles teleport and say 64 bytes in every tick; view 15, at most 250 in a list",
    .entities = 2046,
    .side = MAP_TILES,
    .side_step = 1,
    .ticks = 6,
    .warmup = 2,
    .talks = true,
    .keys = box_keys,
    .begin = box_begin,
    .step = box_step,
};

/* ---- station-80: few players among very many things that stand ---- */

enum { STATION_SHARE = 301 }; /* one player to 300 things: 80 of 24,080 */

#define STATION_STEP 0.15f /* 4.5 tiles a second at 30 ticks */

static void station_begin(bench_stream *stream, bench_frame *frame)
{
    uint32_t thing = ph_config_kind(stream->config, "thing");
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, i % STATION_SHARE == 0 ? 0 : thing);
    }
}

static void step_by(bench_stream *stream, bench_frame *frame, uint32_t index, float length)
{
    ph_position *at = &stream->positions[index];
    float step[2];
    bench_disc(stream, length, step);
    at->x += step[0];
    at->y += step[1];
    bench_reflect(at, &stream->world);
    bench_frame_move(frame, (uint64_t)index + 1, at->x, at->y, 0);
}

static void station_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i += STATION_SHARE) {
        step_by(stream, frame, i, STATION_STEP);
    }
}

static const char *const station_keys[] = {"view=25", "thing.view=0", "tower_size=50", NULL};

const bench_scenario bench_station_80 = {
    .name = "station-80",
    .doc = "80 players walk a space station of 24,000 things that stand; 2,000 in view of each",
    .entities = 24080,
    .side = 155,
    .side_step = 155, /* fewer players are on as large a station */
    .ticks = 200,
    .warmup = 20,
    .keys = station_keys,
    .begin = station_begin,
    .step = station_step,
};

/* ---- cluster: a square kilometre with players, monsters and things, seen in a rectangle, lost in a wider one ---- */

enum { CLUSTER_PART = 36 }; /* one player, five thirds of a monster, the rest things: 300, 500 and 10,000 */

typedef enum role { PLAYER, MONSTER, THING } role;

static role role_of(uint32_t index)
{
    uint32_t place = index % CLUSTER_PART;
    return place == 0 ? PLAYER : place == 1 || (place == 2 && index / CLUSTER_PART % 3 < 2) ? MONSTER : THING;
}

static void cluster_begin(bench_stream *stream, bench_frame *frame)
{
    uint32_t monster = ph_config_kind(stream->config, "monster"), thing = ph_config_kind(stream->config, "thing");
    for (uint32_t i = 0; i < stream->count; i++) {
        role is = role_of(i);
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, is == PLAYER ? 0 : is == MONSTER ? monster : thing);
    }
}

/* Players run 5.5 m a second at 20 ticks, monsters walk half as fast. */
static void cluster_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        role is = role_of(i);
        if (is != THING) {
            step_by(stream, frame, i, is == PLAYER ? 0.28f : 0.14f);
        }
    }
}

static const char *const cluster_keys[] = {"shape=square", "view=50",        "margin=10", "monster.view=0",
                                           "thing.view=0", "tower_size=100", NULL};

const bench_scenario bench_cluster = {
    .name = "cluster",
    .doc = "300 players, 500 monsters and 10,000 things on a square kilometre; squares of 100 x 100, lost at 120 x 120",
    .entities = 10800,
    .side = 1000,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .keys = cluster_keys,
    .begin = cluster_begin,
    .step = cluster_step,
};
