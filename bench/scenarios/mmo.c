/*
 * mmo: one player to nine NPCs. NPCs stand in clusters (villages, camps) and patrol
 * between spots near their home: in a tick a fifth of them moves. Players walk every
 * tick, gather around clusters, popular ones above all, and travel between them. Only
 * players observe. mmo-all: the same steps, and all entities observe.
 */
#include "base/rng.h"
#include "bench/base/memory.h"
#include "bench/scenarios/scenarios.h"

#include <math.h>

enum {
    PLAYER_SHARE = 10,  /* one entity in so many is a player */
    CLUSTER_NPCS = 250, /* NPCs of a cluster, on average */
    LEG_TICKS = 8,      /* an NPC decides so often whether to walk on */
    LEG_SHARE = 5,      /* one NPC in so many walks */
    TRAVEL_SHARE = 64   /* a player that has reached a spot goes to another cluster once in so many times */
};

#define NPC_SPREAD 120.0f   /* standard deviation of homes around the middle of their cluster */
#define PATROL_RADIUS 16.0f /* of an NPC around its home: a leg is at most 32 long, 4 a tick */
#define PLAYER_SPREAD 80.0f /* standard deviation of the spots that players go to */

typedef struct walker {
    float goal[2]; /* player: where to; NPC: its home */
    float step[2]; /* NPC: of this leg, each tick */
    uint32_t cluster;
    bool walks;
} walker;

typedef struct mmo {
    uint32_t players;
    uint32_t cluster_count;
    ph_position *clusters;
    walker *walkers;
} mmo;

static void near_cluster(bench_stream *stream, uint32_t cluster, float spread, float spot[2])
{
    const mmo *state = stream->state;
    PHX_ASSERT(cluster < state->cluster_count);
    ph_position at = state->clusters[cluster];
    at.x += bench_bell(stream, spread);
    at.y += bench_bell(stream, spread);
    bench_reflect(&at, &stream->world);
    spot[0] = at.x;
    spot[1] = at.y;
}

/* The square of a uniform number: of 360 clusters the first draws one player in 19. */
static uint32_t popular_cluster(bench_stream *stream)
{
    const mmo *state = stream->state;
    float u = phx_rng_unit(&stream->rng);
    uint32_t cluster = (uint32_t)(u * u * (float)state->cluster_count);
    return cluster < state->cluster_count ? cluster : state->cluster_count - 1;
}

static void mmo_allocate(bench_stream *stream)
{
    mmo *state = stream->state;
    PHX_ASSERT(state->clusters == NULL && stream->tick == 0);
    state->players = stream->count / PLAYER_SHARE;
    state->cluster_count = 1 + (stream->count - state->players) / CLUSTER_NPCS;
    state->clusters = bench_alloc(stream->mem, state->cluster_count * sizeof *state->clusters);
    state->walkers = bench_alloc(stream->mem, stream->count * sizeof *state->walkers);
}

static void mmo_begin(bench_stream *stream, bench_frame *frame)
{
    mmo_allocate(stream);
    mmo *state = stream->state;
    uint32_t player_kind = bench_kind(stream->config, "player");
    uint32_t npc_kind = bench_kind(stream->config, "npc");
    for (uint32_t i = 0; i < state->cluster_count; i++) {
        state->clusters[i] = bench_place(stream, &stream->world);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        walker *own = &state->walkers[i];
        bool player = i < state->players;
        own->cluster = player ? popular_cluster(stream) : i % state->cluster_count;
        near_cluster(stream, own->cluster, player ? PLAYER_SPREAD : NPC_SPREAD, own->goal);
        stream->positions[i] = (ph_position){own->goal[0], own->goal[1], 0};
        bench_enter(stream, frame, i, player ? player_kind : npc_kind);
    }
}

static void player_step(bench_stream *stream, bench_frame *frame, uint32_t index)
{
    mmo *state = stream->state;
    walker *own = &state->walkers[index];
    ph_position *at = &stream->positions[index];
    float dx = own->goal[0] - at->x;
    float dy = own->goal[1] - at->y;
    float distance = sqrtf(dx * dx + dy * dy);
    if (distance <= BENCH_STEP) {
        at->x = own->goal[0];
        at->y = own->goal[1];
        if (phx_rng_below(&stream->rng, TRAVEL_SHARE) == 0) {
            own->cluster = popular_cluster(stream);
        }
        near_cluster(stream, own->cluster, PLAYER_SPREAD, own->goal);
    } else {
        at->x += dx * (BENCH_STEP / distance);
        at->y += dy * (BENCH_STEP / distance);
    }
    bench_frame_move(frame, (uint64_t)index + 1, at->x, at->y, at->z);
}

static void npc_step(bench_stream *stream, bench_frame *frame, uint32_t index)
{
    mmo *state = stream->state;
    walker *own = &state->walkers[index];
    ph_position *at = &stream->positions[index];
    if ((stream->tick + index) % LEG_TICKS == 0) {
        own->walks = phx_rng_below(&stream->rng, LEG_SHARE) == 0;
        if (own->walks) {
            float spot[2];
            bench_disc(stream, PATROL_RADIUS, spot);
            own->step[0] = (own->goal[0] + spot[0] - at->x) / (float)LEG_TICKS;
            own->step[1] = (own->goal[1] + spot[1] - at->y) / (float)LEG_TICKS;
        }
    }
    if (own->walks) {
        at->x += own->step[0];
        at->y += own->step[1];
        bench_frame_move(frame, (uint64_t)index + 1, at->x, at->y, at->z);
    }
}

static void mmo_step(bench_stream *stream, bench_frame *frame)
{
    const mmo *state = stream->state;
    for (uint32_t i = 0; i < state->players; i++) {
        player_step(stream, frame, i);
    }
    for (uint32_t i = state->players; i < stream->count; i++) {
        npc_step(stream, frame, i);
    }
}

static void mmo_end(bench_stream *stream)
{
    mmo *state = stream->state;
    if (state->clusters != NULL) {
        phx_free(stream->mem, state->clusters, state->cluster_count * sizeof *state->clusters, PHX_CACHE_LINE);
        phx_free(stream->mem, state->walkers, stream->count * sizeof *state->walkers, PHX_CACHE_LINE);
    }
}

static const char *const mmo_keys[] = {"view=0", "player.view=100", "npc.view=0", NULL};
static const char *const activation_keys[] = {"view=0",     "player.view=100",   "player.wakes=true",
                                              "npc.view=0", "activation_span=2", NULL};
static const char *const mmo_all_keys[] = {"view=100", "player.view=100", "npc.view=100", NULL};

const bench_scenario bench_mmo = {
    .name = "mmo",
    .doc = "an evening on a live realm: a tenth are players, which observe and gather; NPCs patrol, a fifth moves",
    .entities = 100000,
    .side = 20000,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .keys = mmo_keys,
    .state_bytes = sizeof(mmo),
    .begin = mmo_begin,
    .step = mmo_step,
    .end = mmo_end,
};

const bench_scenario bench_activation = {
    .name = "activation",
    .doc = "mmo, and each NPC has an edge when players come within two towers of it, and when they have gone",
    .entities = 100000,
    .side = 20000,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .zones = true,
    .keys = activation_keys,
    .state_bytes = sizeof(mmo),
    .begin = mmo_begin,
    .step = mmo_step,
    .end = mmo_end,
};

const bench_scenario bench_mmo_all = {
    .name = "mmo-all",
    .doc = "mmo where NPCs observe as well, as for their own senses: the gain of mmo's few observers",
    .entities = 100000,
    .side = 20000,
    .side_step = 1,
    .ticks = 50,
    .warmup = 5,
    .keys = mmo_all_keys,
    .state_bytes = sizeof(mmo),
    .begin = mmo_begin,
    .step = mmo_step,
    .end = mmo_end,
};
