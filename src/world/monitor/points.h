/*
 * The points of a frame: entities in the view, and their number by cell. At the end of a tick, by all workers that the
 * tick has. A worker takes a piece of a shard's slots, collects points on its stack, and copies some at a time to a
 * place that it claims in the monitor's columns. Their order, which follows from pieces alone, is made by the thread
 * that takes the frame (order.h): so one pass over the entities is enough.
 */
#ifndef PHX_WORLD_MONITOR_POINTS_H
#define PHX_WORLD_MONITOR_POINTS_H

#include "world/state/world.h"

/* Runs that a fill of so many points of a world of so many shards may have. */
uint32_t phx_points_runs_max(uint32_t shard_count, uint32_t points_max);

/* Fills points and grid of the frame, whose view is set. */
void phx_points_fill(phx_world *world, phx_monitor *monitor);

#endif
