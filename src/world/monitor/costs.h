/*
 * The cost of the interest phase by cell of a frame's grid: the distances compared for each chunk, where the chunk is:
 * at some of its rows; at all of its slots with a list, by the lists' lengths, as slots of a chunk are anywhere; at
 * observers of some of its entries, which are noted in the interest phase, as entries of tasks end before the tick.
 * Filled by the ticking thread, at the end of a tick.
 */
#ifndef PHX_WORLD_MONITOR_COSTS_H
#define PHX_WORLD_MONITOR_COSTS_H

#include "world/state/world.h"

/* Notes observers of a chunk that is done. By its worker, in the interest phase. */
void phx_costs_note(const phx_world *world, phx_chunk *chunk);

void phx_costs_fill(const phx_world *world, phx_monitor *monitor);

#endif
