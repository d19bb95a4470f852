/*
 * The areas of a frame: which meet the view, where they stand now. By the ticking thread, at the end of a tick.
 */
#ifndef PHX_WORLD_MONITOR_AREAS_H
#define PHX_WORLD_MONITOR_AREAS_H

#include "world/state/world.h"

void phx_areas_fill(const phx_world *world, phx_monitor *monitor);

#endif
