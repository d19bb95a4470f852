/*
 * The scenarios in which all entities observe and only walk or stand: walk-10k, walk-100k,
 * walk-1m, dense-100k, crowd, hotspot; speed-50, with long steps, and sparse-huge; bands, with
 * updates of moved targets; ingest, which is walk-100k from several producers; walk-100k-10pct and
 * idle, where few or none move; teleport-storm, where a tenth jumps; queries, with queries of
 * places after the ticks; voxel, with moves and queries in turn; three of the worlds of --features; and
 * fight-10k.
 */
#include "base/rng.h"
#include "bench/scenarios/scenarios.h"

/* towers three times as wide as the view: as README advises */
static const char *const view_100[] = {"view=100", "tower_size=300", NULL};
/* moved targets are sent: the nearest every tick, the farthest every eighth */
static const char *const view_100_bands[] = {"view=100", "tower_size=200", "band=25:1,50:2,75:4,100:8", NULL};
/* worlds of features */
static const char *const view_100_towers[] = {"view=100", "tower_size=200", NULL};
/* but so many that a small world has shards */
static const char *const small_towers[] = {"view=100", "tower_size=100", NULL};
static const char *const shrunk[] = {"view=100", "tower_size=100", "crowd_entities=450", NULL};

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

/* Ten times as far as others walk. */
static void everybody_runs(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        ph_position *position = &stream->positions[i];
        float vector[2];
        bench_disc(stream, 10 * BENCH_STEP, vector);
        position->x += vector[0];
        position->y += vector[1];
        bench_reflect(position, &stream->world);
        bench_frame_move(frame, (uint64_t)i + 1, position->x, position->y, position->z);
    }
}

/* Others in every tick. */
static void a_tenth_walks(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        if (phx_rng_below(&stream->rng, 10) == 0) {
            bench_walk(stream, frame, i, &stream->world);
        }
    }
}

static void nobody_moves(bench_stream *stream, bench_frame *frame)
{
    (void)stream;
    (void)frame;
}

/* ---- walk-outside: all are beyond a corner of the world, as far as it is wide ---- */

static bench_area area_outside(const bench_area *world)
{
    bench_area area;
    for (uint32_t axis = 0; axis < 2; axis++) {
        const float width = world->high[axis] - world->low[axis];
        area.low[axis] = world->high[axis] + width;
        area.high[axis] = area.low[axis] + width;
    }
    return area;
}

static void outside_begin(bench_stream *stream, bench_frame *frame)
{
    const bench_area outside = area_outside(&stream->world);
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &outside);
        bench_enter(stream, frame, i, 0);
    }
}

static void outside_step(bench_stream *stream, bench_frame *frame)
{
    const bench_area outside = area_outside(&stream->world);
    for (uint32_t i = 0; i < stream->count; i++) bench_walk(stream, frame, i, &outside);
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

/* ---- the table: (name, entities, side of the world, ticks, warm-up, begin, step, the model in words) ---- */

#define SCENARIO(title, count, width, measured, warm, first, each, models) \
    { \
        .name = (title), .doc = (models), .entities = (count), .side = (width), .side_step = 1, .ticks = (measured), \
        .warmup = (warm), .featured = true, .keys = view_100, .begin = (first), .step = (each) \
    }

const bench_scenario bench_walk_10k =
    SCENARIO("walk-10k", 10000, 10000, 500, 50, everybody_enters, everybody_walks,
             "a quiet zone server: all observe and move every tick, 3 others in view");

const bench_scenario bench_walk_100k =
    SCENARIO("walk-100k", 100000, 30000, 100, 10, everybody_enters, everybody_walks,
             "a whole continent in one world, as sparse as walk-10k: the data no longer fits into the caches");

const bench_scenario bench_walk_1m =
    SCENARIO("walk-1m", 1000000, 100000, 10, 3, everybody_enters, everybody_walks,
             "all realms in one world, as sparse as walk-10k: the data no longer fits anywhere near");

const bench_scenario bench_walk_100k_10pct =
    SCENARIO("walk-100k-10pct", 100000, 30000, 100, 10, everybody_enters, a_tenth_walks,
             "walk-100k where a tenth moves in a tick, others every time: the cost of the rest");

const bench_scenario bench_hotspot =
    SCENARIO("hotspot", 10000, 10000, 200, 20, hotspot_begin, hotspot_step,
             "a city in an empty land: half of all stay in the hundredth part of the world in its middle");

const bench_scenario bench_crowd = {
    .name = "crowd",
    .doc = "a siege: thousands in one square, each sees more than 500; lists and events are everything",
    .entities = 5000,
    .side = 500,
    .side_step = 1,
    .ticks = 100,
    .warmup = 10,
    .featured = true,
    .keys = small_towers,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_crowd_control = {
    .name = "crowd-control",
    .doc = "crowd where crowd control shrinks the views, in the middle to a half: its gain, and its cost",
    .entities = 5000,
    .side = 500,
    .side_step = 1,
    .ticks = 100,
    .warmup = 20,
    .keys = shrunk,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_dense_100k =
    SCENARIO("dense-100k", 100000, 10233, 100, 10, everybody_enters, everybody_walks,
             "a well visited continent: all move, 30 others in view");

const bench_scenario bench_bands = {
    .name = "bands",
    .doc = "a market day where all walk, 30 others in view, and each gets their positions by distance bands",
    .entities = 10000,
    .side = 3236,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .updates = true,
    .keys = view_100_bands,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_teleport_storm =
    SCENARIO("teleport-storm", 10000, 10000, 200, 20, everybody_enters, teleport_step,
             "scrolls, portals, spawn points: each tick a tenth of all jumps anywhere, the rest walks");

const bench_scenario bench_idle = SCENARIO("idle", 100000, 30000, 200, 10, everybody_enters, nobody_moves,
                                           "walk-100k without a move: the cost of the mere presence of entities");

const bench_scenario bench_speed_50 =
    SCENARIO("speed-50", 10000, 10000, 200, 20, everybody_enters, everybody_runs,
             "walk-10k with steps of up to 50, half a view: the cost of a fast vehicle for an index");

const bench_scenario bench_sparse_huge =
    SCENARIO("sparse-huge", 5000, 200000, 500, 50, everybody_enters, everybody_walks,
             "5,000 entities in a land of 200 km x 200 km: hardly any ever meet; memory by area, or by entities");

const bench_scenario bench_walk_20k = SCENARIO("walk-20k", 20000, 10000, 200, 20, everybody_enters, everybody_walks,
                                               "walk-10k with twice as many: what walk-outside is compared with");

const bench_scenario bench_walk_outside =
    SCENARIO("walk-outside", 20000, 10000, 200, 20, outside_begin, outside_step,
             "walk-20k as far outside of the world as that is wide: coordinates that the world was not made for");

const bench_scenario bench_ingest = {
    .name = "ingest",
    .doc = "walk-100k with moves from 1, 2 and 4 threads at once, as from a server's network threads",
    .entities = 100000,
    .side = 30000,
    .side_step = 1,
    .ticks = 100,
    .warmup = 10,
    .spreads = true,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_voxel = {
    .name = "voxel",
    .doc = "10,000 walk; after the ticks a move and a query that sees it in turn, by ph_apply() and by ticks",
    .entities = 10000,
    .side = 3236,
    .side_step = 1,
    .ticks = 20,
    .warmup = 5,
    .turns = true,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

const bench_scenario bench_ask_places = {
    .name = "queries",
    .doc = "dense-100k: after its ticks queries of circles, boxes, sectors and quads, and of the nearest",
    .entities = 100000,
    .side = 10233,
    .side_step = 1,
    .ticks = 20,
    .warmup = 5,
    .asks = true,
    .keys = view_100,
    .begin = everybody_enters,
    .step = everybody_walks,
};

/* ---- with and without features (--features); the fourth is in world_mmo.c ---- */

#define WORLD(title, count, width, measured, towers, first, each, models) \
    { \
        .name = (title), .doc = (models), .entities = (count), .side = (width), .side_step = 1, .ticks = (measured), \
        .warmup = 8, .featured = true, .keys = (towers), .begin = (first), .step = (each) \
    }

const bench_scenario bench_world_siege = WORLD("world-siege", 5000, 500, 30, small_towers, everybody_enters,
                                               everybody_walks, "for --features: crowd, where each sees more than 500");

const bench_scenario bench_world_city =
    WORLD("world-city", 10000, 10000, 40, view_100_towers, hotspot_begin, hotspot_step,
          "for --features: hotspot, where half of all are in a city of 1,000 x 1,000");

const bench_scenario bench_world_dense = WORLD("world-dense", 100000, 10233, 16, view_100_towers, everybody_enters,
                                               everybody_walks, "for --features: dense-100k, 30 others in view");

const bench_scenario bench_fight_10k =
    WORLD("fight-10k", 10000, 700, 20, small_towers, everybody_enters, everybody_walks,
          "for --features typical --hz 20 --workers 2: a fight of 10,000 in 700 x 700, more than 550 in view");
