/*
 * The answers of a frame, to questions that wait, on the state that the frame shows. By the ticking thread, at the end
 * of a tick, for a bounded time.
 */
#ifndef PHX_WORLD_MONITOR_ANSWERS_H
#define PHX_WORLD_MONITOR_ANSWERS_H

#include "world/state/world.h"

void phx_answers_fill(const phx_world *world, phx_monitor *monitor);

#endif
