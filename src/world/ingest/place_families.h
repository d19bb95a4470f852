/*
 * Attached entities move to their roots. In the ingest phase, by the ticking thread.
 */
#ifndef PHX_WORLD_INGEST_PLACE_FAMILIES_H
#define PHX_WORLD_INGEST_PLACE_FAMILIES_H

#include "world/state/world.h"

/* Moves an attached child to the position and instance of its root. false = no memory. */
bool phx_ingest_place_at_root(phx_world *world, uint64_t child);
/*
 * The same of all children of an entity, and of the world. false = no memory for some: call again, or go on, and they
 * follow in the next tick.
 */
bool phx_ingest_place_children(phx_world *world, uint64_t id);
bool phx_ingest_place_all(phx_world *world);

#endif
