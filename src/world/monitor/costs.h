/*
 * The cost of the interest phase by cell of a frame's grid: the distances compared for each chunk, where the chunk is.
 * By the ticking thread, at the end of a tick.
 */
#ifndef PHX_WORLD_MONITOR_COSTS_H
#define PHX_WORLD_MONITOR_COSTS_H

#include "world/state/world.h"

void phx_costs_fill(const phx_world *world, phx_monitor *monitor);

#endif
