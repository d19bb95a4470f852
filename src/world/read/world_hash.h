/*
 * The hash of a world between ticks: over all state that an observer could receive, in no order. By a reader.
 */
#ifndef PHX_WORLD_READ_WORLD_HASH_H
#define PHX_WORLD_READ_WORLD_HASH_H

#include "world/state/world.h"

uint64_t phx_query_hash(const phx_world *world);

#endif
