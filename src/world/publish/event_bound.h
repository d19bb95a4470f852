/*
 * The bound on the events of one tick (events_max). A tick with more events fills the lists of all observers over
 * several ticks, the best enters first: no observer gets more than one number of enters (ph_change has the rule).
 *
 * The number follows from the enters of all observers, and is known only behind the interest phase. The observers done
 * so far already give a limit that the number can not exceed, so enters beyond the limit need no memory. In the phase
 * each worker counts, lowers the limit, and cuts its own changes by it. The stage behind the phase cuts all changes to
 * the number. The result depends on no order of workers.
 */
#ifndef PHX_WORLD_PUBLISH_EVENT_BOUND_H
#define PHX_WORLD_PUBLISH_EVENT_BOUND_H

#include "world/state/world.h"

/* Begins, before the interest phase. */
void phx_spread_begin(phx_world *world);
/* Counts the changes of a chunk, the last ones of the worker's scratch, and cuts them by the limit. */
void phx_spread_chunk(phx_world *world, uint32_t chunk);
/* Behind the phase: if the bound is exceeded, cuts all changes. false = no memory: call again. */
bool phx_spread_tick(phx_world *world);

#endif
