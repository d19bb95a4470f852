/*
 * A world's creation, new keys, and end. The caller's gate keeps everything else out.
 */
#ifndef PHX_WORLD_TICK_LIFECYCLE_H
#define PHX_WORLD_TICK_LIFECYCLE_H

#include "world/state/world.h"

/* PH_OK, PH_NO_MEMORY. def was checked. */
ph_status phx_world_create(const ph_world_def *def, phx_world **world);

/* The gate is the caller's. */
void phx_world_destroy(phx_world *world);

/* Does any class wake NPCs? */
bool phx_world_wakes(const ph_world_def *def);

/* def was checked and its differences are live ones. PH_NO_MEMORY. */
ph_status phx_world_reconfigure(phx_world *world, const ph_world_def *def);

#endif
