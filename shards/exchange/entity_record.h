/*
 * Records of migrants and of copies: the part that both have. In the exchange phase, by the shard that sends.
 */
#ifndef PHX_SHARDS_EXCHANGE_ENTITY_RECORD_H
#define PHX_SHARDS_EXCHANGE_ENTITY_RECORD_H

#include "shards/state/shard.h"

/* The record of a migrant, or of a copy, which leaves out what nobody needs of it. */
void phx_shard_fill_entity(const phx_shard *shard, uint32_t slot, phx_record_type type, phx_record *record);

#endif
