/*
 * Monitors of a world: opening and closing, the way of views, questions and frames between the monitor's thread and the
 * ticking thread, and the fill at the end of a tick. Called through src/api by the monitor's thread, and by
 * tick/tick.c. See pharos/monitor.h for the contract.
 */
#ifndef PHX_WORLD_MONITOR_MONITOR_H
#define PHX_WORLD_MONITOR_MONITOR_H

#include "world/state/world.h"

/* ---- any thread ---- */

/* The definition was checked. PH_TAKEN, PH_NO_MEMORY. *index, *generation of the new handle. */
ph_status phx_monitor_open(phx_world *world, const ph_monitor_def *def, uint32_t *index, uint16_t *generation);

/* ---- the monitor's thread ---- */

void phx_monitor_close(phx_world *world, uint32_t index);
/* The view was checked. */
void phx_monitor_watch(phx_monitor *monitor, const ph_monitor_view *view);
/* The question was checked. PH_FULL. */
ph_status phx_monitor_ask(phx_monitor *monitor, const ph_monitor_question *question);
ph_status phx_monitor_take(phx_monitor *monitor, const ph_monitor_frame **frame);
ph_status phx_monitor_return(phx_monitor *monitor, const ph_monitor_frame *frame);
void phx_monitor_count(const phx_monitor *monitor, ph_monitor_stats *stats);

/* ---- the ticking thread ---- */

/* Is a monitor open, or being opened? */
static inline bool phx_monitors_any(const phx_world *world)
{
    return PHX_UNLIKELY(atomic_load_explicit(&world->monitors_open, memory_order_relaxed) > 0);
}

/* The tick ended, and the world is as readers will find it: fills the frames that are due; again: once more. */
void phx_monitors_fill(phx_world *world, bool again);
/* The world ends. */
void phx_monitors_free(phx_world *world);

#endif
