/*
 * Finds the updates that are due in a tick, by pieces of the shards' observers (publish/updates.h plans them).
 *
 * In the publish phase, by all workers; without the memory, by the ticking thread alone.
 */
#ifndef PHX_WORLD_PUBLISH_FIND_UPDATES_H
#define PHX_WORLD_PUBLISH_FIND_UPDATES_H

#include "world/state/world.h"

/* Finds the due updates of the undone pieces. false = no memory: call again. */
bool phx_updates_find(phx_world *world);

/* The same, observer by observer: sets aside each that there is no memory for, and no other one. */
void phx_updates_find_short(phx_world *world);

#endif
