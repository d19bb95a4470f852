/*
 * Every list against brute force, an observer at a time: between ticks, from any thread; the caller is inside the
 * gate. What is expected comes from positions and attributes of all entities where they live, not from rows, cards,
 * indexes, copies or marks. Nothing of the world is written.
 */
#ifndef PHX_WORLD_READ_VERIFY_H
#define PHX_WORLD_READ_VERIFY_H

#include <pharos/query.h>

#include "world/state/world.h"

/* See ph_verify(). PH_OK, PH_BAD_ARGUMENT, PH_NO_MEMORY: the observer that it came to is still to be checked. */
ph_status phx_verify(phx_world *world, uint64_t pairs, ph_verification *progress, ph_difference *difference);

#endif
