/*
 * Observers without memory for the events of a tick are set aside: their lists are emptied, their changes are cleared,
 * and a later tick sends their whole lists. In the interest or publish phase that memory ends in, by the ticking
 * thread.
 */
#ifndef PHX_WORLD_PUBLISH_SET_ASIDE_H
#define PHX_WORLD_PUBLISH_SET_ASIDE_H

#include "world/state/world.h"

/* Before the batches: clears changes of observers that were set aside, and drops their pending ones. */
void phx_drop_set_aside(phx_world *world);

/* Silences the observer of a change that goes to no batch. */
void phx_silence_observer(phx_world *world, uint64_t observer);

/* Sets aside the observers of a shard that have a list and bands: their lists, when sent again, have all positions. */
void phx_set_banded_aside(phx_world *world, uint32_t shard);

/* Has the slot an own observer with a list to set aside? */
bool phx_observer_holds_list(const phx_shard *shard, uint32_t slot);

/* Clears a change. */
void phx_clear_change(phx_change *change);

/* Clears changes of observers that were set aside after the commit. */
void phx_clear_owed(phx_world *world, const phx_chunk *chunk);

#endif
