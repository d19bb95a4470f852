/*
 * Compares lists with brute force, an observer at a time: between ticks, from any thread; the caller is inside the
 * gate. The expected list follows from positions and attributes of all entities in their own shards, not from rows,
 * cell entries, indexes, ghosts or marks. The world is not written.
 */
#ifndef PHX_WORLD_READ_VERIFY_H
#define PHX_WORLD_READ_VERIFY_H

#include <pharos/query.h>

#include "world/state/world.h"

/* See ph_verify(). PH_OK, PH_BAD_ARGUMENT, PH_NO_MEMORY: the observer at hand is not checked yet. */
ph_status phx_verify(phx_world *world, uint64_t pairs, ph_verification *progress, ph_difference *difference);

#endif
