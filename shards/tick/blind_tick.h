/*
 * Blind ticks: a shard without memory for its copies or for the index phase. No list is found: all own observers are
 * set aside, and near entities are found without entries (storage/bare_storage.h) until the next index phase.
 * phx_shard.blind; by the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_BLIND_TICK_H
#define PHX_SHARDS_TICK_BLIND_TICK_H

#include "shards/state/shard.h"
#include "shards/state/storage.h"

/* The index phase of a blind tick, also behind an index phase that stopped. Needs no memory. */
void phx_shard_index_blind(phx_shard *shard, const phx_storage *bare);

/*
 * The index phase after a blind tick: the shard has its own storage again, and all slots are deferred adds. false = no
 * memory, nothing changed.
 */
bool phx_shard_restore_index(phx_shard *shard);

/* Ingest phase: the rules have other towers, and the shard, which has no entity, these ones. Without memory it has no
 * storage of its own until the index phase. */
void phx_shard_take_towers(phx_shard *shard, phx_rect rect, const phx_storage *bare);

#endif
