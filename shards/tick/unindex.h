/*
 * A shard without memory for the index phase: it goes on with an index that needs none, its observers are set aside.
 * The shard's owner, or the ticking thread.
 */
#ifndef PHX_SHARDS_TICK_UNINDEX_H
#define PHX_SHARDS_TICK_UNINDEX_H

#include "shards/state/shard.h"

/*
 * Ends the index phase of a shard that stopped in it. All lists are emptied and owed, none is found in this tick. The
 * number of observers whose list that ended. What lists held is the caller's to count.
 */
uint64_t phx_shard_unindex(phx_shard *shard);

/* The index phase that follows: the shard has its own index again, and all slots are to come in. false = no memory. */
bool phx_shard_restore_index(phx_shard *shard);

#endif
