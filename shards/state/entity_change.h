/*
 * Consequences of a change of one entity: its state bits, its row's flags, its end. Called by the shard's owner in the
 * ingest, exchange and index phases, and at the commit of lists.
 */
#ifndef PHX_SHARDS_STATE_ENTITY_CHANGE_H
#define PHX_SHARDS_STATE_ENTITY_CHANGE_H

#include "shards/state/shard.h"

/* Derives the state bits of a slot, and the part of its name that depends on attributes. */
void phx_shard_flag(phx_shard *shard, uint32_t slot);

/* Ends a live slot: it is dead until the tick's end. */
void phx_shard_kill(phx_shard *shard, uint32_t slot);

/* Returns the ghost if it is of this incarnation, else PHX_SLOT_NONE; a ghost of an older incarnation ends. */
uint32_t phx_shard_same_ghost(phx_shard *shard, uint32_t slot, uint32_t incarnation);

/*
 * partial: an own observer's list is partial from now on, so it is stored (at the commit). Not partial: the list is to
 * be completed (in the index phase).
 */
void phx_shard_partial(phx_shard *shard, uint32_t slot, bool partial);

/* Sets the flags of the slot's row from attributes and state. */
void phx_shard_refresh_row(phx_shard *shard, uint32_t slot);

#endif
