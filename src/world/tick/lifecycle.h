/*
 * Creation, reconfiguration and end of a world. By the host's thread, which holds the gate. Between ticks.
 */
#ifndef PHX_WORLD_TICK_LIFECYCLE_H
#define PHX_WORLD_TICK_LIFECYCLE_H

#include "world/state/world.h"

/* crew: its workers, which other worlds may have too; NULL = workers of its own. PH_OK, PH_NO_MEMORY. def was checked.
 */
ph_status phx_world_create(const ph_world_def *def, phx_crew *crew, phx_world **world);

/* Destroys a world; the caller holds the gate. */
void phx_world_destroy(phx_world *world);

/* Does any class wake NPCs? */
bool phx_world_wakes(const ph_world_def *def);

/* The towers of its rules: their side, and their number along each axis. */
void phx_world_set_towers(phx_world *world, float side);

/* Changes the world's keys. def was checked, and only live keys differ. PH_OK, PH_NO_MEMORY. */
ph_status phx_world_reconfigure(phx_world *world, const ph_world_def *def);

#endif
