/*
 * Emigrants: own entities that left the rectangle become records in the outbox, and, once all records of all shards are
 * received, ghosts. In the exchange phase, by the shard's owner.
 */
#ifndef PHX_SHARDS_EXCHANGE_MIGRATE_OUT_H
#define PHX_SHARDS_EXCHANGE_MIGRATE_OUT_H

#include "shards/state/shard.h"

/*
 * Sends emigrants, which stay own entities. *done: all their records are in the outbox; else it is full and the call
 * continues in the next round. false = no memory: call again.
 */
bool phx_shard_send_migrants(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard,
                             uint32_t columns, bool *done);

/* Turns emigrants into ghosts: all were received. */
void phx_shard_let_go(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard, uint32_t columns);

/* The tick's end: emigrants that could not be sent are emigrants of the next tick, unless they left the world. */
void phx_shard_keep_emigrants(phx_shard *shard);

#endif
