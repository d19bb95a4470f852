/*
 * Received records: immigrants, pins and copies of other shards. In the exchange phase, by the shard's owner, a barrier
 * after the senders wrote them.
 */
#ifndef PHX_SHARDS_EXCHANGE_RECEIVE_H
#define PHX_SHARDS_EXCHANGE_RECEIVE_H

#include "shards/state/shard.h"

/* Takes one block of a source, in the order of blocks. lists: the source's lists, which stay until the tick ends. */
bool phx_shard_receive(phx_shard *shard, const phx_record_block *block, const phx_list_record *lists);

/* The world has put the immigrants into the directory. */
void phx_shard_immigrants_reported(phx_shard *shard);

/*
 * There is no memory to receive all: immigrants that were not reported yet are gone here, and stay with the shards that
 * sent them. The tick is blind.
 */
void phx_shard_return_immigrants(phx_shard *shard);

#endif
