/*
 * Recipients of broadcasts with a classical index: a block is a range of PHX_SEATS_MAX slots, and each call is for one
 * observer. The operations of state/storage.h, called through broadcast_audience.h in phase publish.
 */
#ifndef PHX_SHARDS_PUBLISH_RECIPIENTS_SLOTS_H
#define PHX_SHARDS_PUBLISH_RECIPIENTS_SLOTS_H

#include "shards/publish/broadcast_audience.h"

bool phx_slots_call_near(phx_recipients *audience, const phx_shard *shard, const phx_broadcast_target *call);
bool phx_slots_call_observer(phx_recipients *audience, const phx_shard *shard, const phx_broadcast_target *call);
bool phx_slots_call_box(phx_recipients *audience, const phx_shard *shard, phx_box box,
                        const phx_broadcast_target *call);

uint32_t phx_slots_blocks(const phx_shard *shard);
uint32_t phx_slots_block_places(const phx_shard *shard, uint32_t block);
void phx_slots_fill_batch(const phx_shard *shard, phx_observer_batch *seats);
uint32_t phx_slots_place_of(const phx_shard *shard, const phx_observer_batch *seats, const phx_broadcast_target *call);

#endif
