/*
 * Order of points: runs that workers found become one array, by shard, then slot. Called in any phase by the thread
 * that takes the frame, the frame's owner then.
 */
#ifndef PHX_WORLD_MONITOR_ORDER_H
#define PHX_WORLD_MONITOR_ORDER_H

#include "world/state/monitor_types.h"

void phx_points_order(phx_monitor *monitor);

#endif
