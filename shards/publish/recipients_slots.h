/*
 * Recipients of broadcasts with a classical index: a block is a range of PHX_BATCH_PLACES_MAX slots, and each block
 * message is for one observer. The operations of state/storage.h, called through recipients.h in phase publish, by any
 * worker.
 */
#ifndef PHX_SHARDS_PUBLISH_RECIPIENTS_SLOTS_H
#define PHX_SHARDS_PUBLISH_RECIPIENTS_SLOTS_H

#include "shards/publish/recipients.h"

bool phx_slots_address_viewers(phx_addressed *addressed, const phx_shard *shard,
                               const phx_block_message *block_message);
bool phx_slots_address_observer(phx_addressed *addressed, const phx_shard *shard,
                                const phx_block_message *block_message);
bool phx_slots_address_box(phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                           const phx_block_message *block_message);

uint32_t phx_slots_blocks(const phx_shard *shard);
uint32_t phx_slots_block_places(const phx_shard *shard, uint32_t block);
void phx_slots_fill_batch(const phx_shard *shard, phx_observer_batch *batch);
uint32_t phx_slots_place_of(const phx_shard *shard, const phx_observer_batch *batch,
                            const phx_block_message *block_message);

#endif
