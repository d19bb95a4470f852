/*
 * Records of migrants and of copies: their common part. In the exchange phase, by the sending shard's owner.
 */
#ifndef PHX_SHARDS_EXCHANGE_ENTITY_RECORD_H
#define PHX_SHARDS_EXCHANGE_ENTITY_RECORD_H

#include "shards/state/shard.h"

/* Fills the record of a migrant, or of a copy, without fields that a copy does not need. */
void phx_shard_fill_entity(const phx_shard *shard, uint32_t slot, phx_record_type type, phx_record *record);

#endif
