/*
 * The points of a frame, at the tick's end: entities in the view, and their number by cell, by passes (points_pass.h).
 * The order of points, which follows from their slots alone, is made by the thread that takes the frame (order.h): so
 * one pass over the entities is enough.
 */
#ifndef PHX_WORLD_MONITOR_POINTS_H
#define PHX_WORLD_MONITOR_POINTS_H

#include "world/state/world.h"

/* Fills points and grid of the frame. Its view is set. */
void phx_points_fill(phx_world *world, phx_monitor *monitor);

#endif
