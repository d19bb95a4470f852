/*
 * What follows from a change of one entity: its state bits, its row's flags, its end. Called by the shard's owner in
 * the ingest, exchange and index phases, and at the commit of lists.
 */
#ifndef PHX_SHARDS_STATE_ENTITY_CHANGE_H
#define PHX_SHARDS_STATE_ENTITY_CHANGE_H

#include "shards/state/shard.h"

/* What follows from the attributes: state bits, the name's part. */
void phx_shard_flag(phx_shard *shard, uint32_t slot);

/* A live slot dies. */
void phx_shard_kill(phx_shard *shard, uint32_t slot);

/* A ghost, or PHX_SLOT_NONE, if it is of this very incarnation, else PHX_SLOT_NONE; one of an older one dies. */
uint32_t phx_shard_same_ghost(phx_shard *shard, uint32_t slot, uint32_t incarnation);

/*
 * The own observer's list is complete no more: its targets are told by the list alone. Or it is to be completed. At the
 * commit; in the index phase.
 */
void phx_shard_partial(phx_shard *shard, uint32_t slot, bool partial);

/* The row's marks follow attributes and state. */
void phx_shard_refresh_row(phx_shard *shard, uint32_t slot);

#endif
