/*
 * world-mmo: the world of --features in which few observe. One player to nine NPCs; six of ten of both are in ten
 * towns, the rest anywhere. Players walk in every tick, of the NPCs a fifth does, others after a while.
 */
#include "base/rng.h"
#include "bench/scenarios/scenarios.h"

enum {
    PLAYER_SHARE = 10, /* the first of so many parts are players */
    TOWNS = 10,        /* in a grid of TOWN_COLUMNS x TOWN_ROWS places */
    TOWN_COLUMNS = 4,
    TOWN_ROWS = 3,
    WALK_SHARE = 5, /* one NPC in so many walks, ... */
    WALK_TICKS = 8  /* ... for so many ticks */
};

#define TOWN_SIDE 0.07f /* of the world's side */

/* The town of an entity, or the whole world. */
static bench_area home_of(const bench_stream *stream, uint32_t index)
{
    const bench_area *world = &stream->world;
    uint32_t town = index / 5 % TOWNS;
    if (index % 5 >= 3) {
        return *world;
    }
    const float place[2] = {((float)(town % TOWN_COLUMNS) + 0.5f) / TOWN_COLUMNS,
                            ((float)(town / TOWN_COLUMNS) + 0.5f) / TOWN_ROWS};
    bench_area area;
    for (uint32_t axis = 0; axis < 2; axis++) {
        float size = world->high[axis] - world->low[axis];
        area.low[axis] = world->low[axis] + size * (place[axis] - TOWN_SIDE / 2);
        area.high[axis] = area.low[axis] + size * TOWN_SIDE;
    }
    return area;
}

static void mmo_begin(bench_stream *stream, bench_frame *frame)
{
    uint32_t npc = ph_config_kind(stream->config, "npc");
    uint32_t players = bench_stream_players(stream);
    for (uint32_t i = 0; i < stream->count; i++) {
        bench_area home = home_of(stream, i);
        stream->positions[i] = bench_place(stream, &home);
        bench_enter(stream, frame, i, i < players ? 0 : npc);
    }
}

static void mmo_step(bench_stream *stream, bench_frame *frame)
{
    uint32_t players = bench_stream_players(stream);
    for (uint32_t i = 0; i < stream->count; i++) {
        uint64_t mixed = phx_mix64(i * 0x9e3779b97f4a7c15u + stream->tick / WALK_TICKS);
        if (i < players || mixed % WALK_SHARE == 0) {
            bench_area home = home_of(stream, i);
            bench_walk(stream, frame, i, &home);
        }
    }
}

static const char *const mmo_keys[] = {"view=100", "npc.view=0", "tower_size=200", NULL};

const bench_scenario bench_world_mmo = {
    .name = "world-mmo",
    .doc = "for --features: a tenth are players, which observe; six of ten are in towns; a fifth of the NPCs walks",
    .entities = 50000,
    .side = 10000,
    .side_step = 1,
    .ticks = 30,
    .warmup = 8,
    .featured = true,
    .player_share = PLAYER_SHARE,
    .keys = mmo_keys,
    .begin = mmo_begin,
    .step = mmo_step,
};
