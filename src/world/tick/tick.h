/*
 * A tick: the only place that knows the order of the stages. The ticking thread.
 */
#ifndef PHX_WORLD_TICK_TICK_H
#define PHX_WORLD_TICK_TICK_H

#include "world/state/world.h"

ph_status phx_world_tick(phx_world *world, uint64_t *tick);

/* PH_OK, PH_BUSY, PH_EMPTY (no tick is open), PH_NO_MEMORY. */
ph_status phx_world_tick_finish(phx_world *world, uint64_t *tick);

/* Tests: the order in which shards, outboxes and chunks are worked on becomes a permutation by this seed. */
void phx_world_permute(phx_world *world, uint64_t seed);

#endif
