/*
 * The table of worlds: a slot is taken before its world is made, and free again once it has ended. Any thread.
 */
#ifndef PHX_API_WORLD_SLOTS_H
#define PHX_API_WORLD_SLOTS_H

#include "api/handles.h"

/* NULL: all are taken. */
phx_world_slot *phx_world_slot_acquire(void);
/* Publishes the world of a taken slot. Returns its handle. */
ph_world phx_world_slot_fill(phx_world_slot *slot, phx_world *world);
/* There is no world in it, or no more. */
void phx_world_slot_drop(phx_world_slot *slot);

#endif
