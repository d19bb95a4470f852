/*
 * The points of a frame in their order: what workers found in runs, by shard, then slot. By the thread that takes the
 * frame, which is the frame's owner then.
 */
#ifndef PHX_WORLD_MONITOR_ORDER_H
#define PHX_WORLD_MONITOR_ORDER_H

#include "world/state/monitor_types.h"

void phx_points_order(phx_monitor *monitor);

#endif
