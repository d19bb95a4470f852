/*
 * Moves in parallel: of a long stretch of moves every worker looks up a slice in the
 * directory and sorts it by shard, then every shard's worker applies what is its own, in
 * slice order, which is command order. In the ingest phase, called by ingest.c.
 */
#ifndef PHX_WORLD_ROUTE_H
#define PHX_WORLD_ROUTE_H

#include "base/mem.h"
#include "world/cmdq.h"

struct phx_world;

/* A run of one producer's snapshot. */
typedef struct phx_run {
    phx_cmd_run commands;
    uint32_t producer;
    uint32_t reserved;
} phx_run;

/* A move on its way to its shard. */
typedef struct phx_routed {
    uint32_t slot;
    float x, y, z;
} phx_routed;

typedef struct phx_route_list {
    phx_routed *items;
    uint32_t count, capacity;
} phx_route_list;

/* A move that can not be: told in order once the stretch is through. */
typedef struct phx_route_refusal {
    uint64_t sequence, id;
    uint32_t producer;
    ph_status status;
} phx_route_refusal;

/* One worker's part. Written by that worker while routing, read by all while applying. */
typedef struct phx_router {
    phx_route_list *lists; /* one per shard */
    phx_route_refusal *refusals;
    uint32_t refusal_count, refusals_capacity;
} __attribute__((aligned(PHX_CACHE_LINE))) phx_router;

/* false = no memory. One router per worker, if there are several. */
bool phx_routers_init(struct phx_world *world);
void phx_routers_free(struct phx_world *world);

/* Applies the MOVE runs [first, end) of world->runs. false = no memory: call again with the same range. */
bool phx_route_moves(struct phx_world *world, uint32_t first, uint32_t end);

#endif
