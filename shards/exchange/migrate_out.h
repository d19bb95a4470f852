/*
 * Emigrants: own entities that left the rectangle become records in the outbox, and ghosts. In the exchange phase, by
 * the shard's owner.
 */
#ifndef PHX_SHARDS_EXCHANGE_MIGRATE_OUT_H
#define PHX_SHARDS_EXCHANGE_MIGRATE_OUT_H

#include "shards/state/shard.h"

/*
 * Sends emigrants. *done: all their records are in the outbox; else it is full and the call continues in the next
 * round.
 */
bool phx_shard_send_migrants(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard,
                             uint32_t columns, bool *done);

#endif
