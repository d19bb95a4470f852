/*
 * The focus of a monitor: one entity in full, its list with the reasons, and the differences of its list from tick to
 * tick. By the ticking thread at the end of a tick; the order of its targets by the thread that takes the frame.
 */
#ifndef PHX_WORLD_MONITOR_FOCUS_H
#define PHX_WORLD_MONITOR_FOCUS_H

#include "world/state/world.h"

/* In each tick, or the frames that come have no events: notes the events of the list of this entity; 0 = there is no
 * focus. */
void phx_focus_follow(const phx_world *world, phx_monitor *monitor, uint64_t id);
/* Instead: nothing is read, and events of this tick are left out. */
void phx_focus_leave(phx_monitor *monitor, uint64_t id);
/* Fills focus and events of the frame. */
void phx_focus_fill(const phx_world *world, phx_monitor *monitor);
/* Brings the targets of a full frame into the order of a cap. */
void phx_focus_order(phx_monitor *monitor);

#endif
