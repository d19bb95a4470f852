/*
 * Hints: lines for the host's log about a world that is set up so that it tells nothing. By the ticking thread at the
 * end of a tick, only if the definition has a log.
 */
#ifndef PHX_WORLD_TICK_HINTS_H
#define PHX_WORLD_TICK_HINTS_H

#include "world/state/world.h"

/* Writes a line for each hint that applies since this tick. */
void phx_log_hints(phx_world *world);

#endif
