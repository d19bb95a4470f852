/*
 * An entity as a capsule: with all that hang on it, and all that a world has of them. For readers, between ticks.
 */
#ifndef PHX_WORLD_READ_EXPORT_H
#define PHX_WORLD_READ_EXPORT_H

#include "world/queue/capsule.h"
#include "world/state/world.h"

/* See ph_export(). *bytes: its size, also with PH_TOO_LARGE; 0 with any other refusal. */
ph_status phx_export(phx_world *world, uint64_t id, const phx_stays *stays, void *capsule, size_t size, size_t *bytes);

#endif
