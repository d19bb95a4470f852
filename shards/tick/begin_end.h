/*
 * Begin and end of a tick of one shard: begin by the ticking thread in the ingest phase, end by the shard's owner at
 * the end of the publish phase.
 */
#ifndef PHX_SHARDS_TICK_BEGIN_END_H
#define PHX_SHARDS_TICK_BEGIN_END_H

#include "shards/state/shard.h"

/* Opens the tick: from here to phx_shard_index() the shard is iterated and adds are deferred. */
void phx_shard_begin(phx_shard *shard, uint64_t tick);

/* Are exactly the derived lists without memory? range = radius. For PHX_VALIDATE. */
bool phx_shard_lists_valid(const phx_shard *shard);

void phx_shard_end(phx_shard *shard);

#endif
