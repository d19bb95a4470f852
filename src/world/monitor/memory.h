/*
 * The memory of a monitor: all of it is made when it is opened. In any phase, by the thread that opens it; freed by the
 * side that ends it.
 */
#ifndef PHX_WORLD_MONITOR_MEMORY_H
#define PHX_WORLD_MONITOR_MEMORY_H

#include "world/state/world.h"

/* A monitor with this definition, which was checked. NULL = no memory. */
phx_monitor *phx_monitor_make(phx_world *world, const ph_monitor_def *def);
void phx_monitor_free(phx_mem *whole, phx_monitor *monitor);

#endif
