/*
 * One pass over the slots of shards in the view, or of a part of them: at the end of a tick, by all workers that the
 * tick has. A worker takes a piece, a stretch of a shard's slots, collects points on its stack, and copies some at a
 * time to a place that it claims in the monitor's columns.
 */
#ifndef PHX_WORLD_MONITOR_POINTS_PASS_H
#define PHX_WORLD_MONITOR_POINTS_PASS_H

#include "world/monitor/places.h"
#include "world/state/world.h"

/* Shared by all workers. */
typedef struct phx_points_pass {
    phx_world *world;
    phx_monitor *monitor;
    phx_places_of places_of;
    phx_places_kernel *kernel;
    uint32_t points_max, stride, stretch_slots;
    uint32_t parts, part; /* the one at hand */
    bool wants_points, wants_grid, counts_cells;
    uint8_t detect; /* of the focus; 0, if it is not in the world */
} phx_points_pass;

/* Runs that a fill of so many points of a world of so many shards may have. */
uint32_t phx_points_runs_max(uint32_t shard_count, uint32_t points_max);

/* Slots of a stretch, by the slots of shards in the view. */
uint32_t phx_points_stretch_slots(const phx_points_pass *pass);

/* Finds the points of a part: its counts take the place of the ones that it had. */
void phx_points_pass_run(phx_points_pass *pass, uint32_t part);

#endif
