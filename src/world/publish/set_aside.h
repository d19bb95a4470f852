/*
 * Observers whose events of a tick there is no memory for: their lists are emptied, their changes are none, and they
 * are told all that they see in a later tick. The ticking thread.
 */
#ifndef PHX_WORLD_PUBLISH_SET_ASIDE_H
#define PHX_WORLD_PUBLISH_SET_ASIDE_H

#include "world/state/world.h"

/* Before the batches: changes of observers that were set aside are none, and nothing is pending for them. */
void phx_drop_set_aside(phx_world *world);

/* The observer of a batch that goes nowhere. */
void phx_silence_observer(phx_world *world, uint64_t observer);

/* told: its list is that of this tick already. Once is enough. */
void phx_set_aside(phx_world *world, phx_shard *shard, uint32_t slot, bool told);

/* The change is none. */
void phx_clear_change(phx_change *change);

/* Changes of observers that were set aside once all was committed are none. */
void phx_clear_owed(phx_world *world, const phx_chunk *chunk);

#endif
