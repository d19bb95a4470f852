/*
 * Parts of a frame that are copies of the world's numbers: shards, statistics, live keys, and the pointers to all
 * parts. By the ticking thread, at the end of a tick.
 */
#ifndef PHX_WORLD_MONITOR_PARTS_H
#define PHX_WORLD_MONITOR_PARTS_H

#include "world/state/world.h"

void phx_parts_fill(const phx_world *world, phx_monitor *monitor);

#endif
