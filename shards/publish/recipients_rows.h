/*
 * Recipients of broadcasts by rows: a block is a block of the grid, its places are its rows. The operations of
 * state/storage.h, called through recipients.h in phase publish, by any worker.
 */
#ifndef PHX_SHARDS_PUBLISH_RECIPIENTS_ROWS_H
#define PHX_SHARDS_PUBLISH_RECIPIENTS_ROWS_H

#include "shards/publish/recipients.h"

bool phx_rows_address_viewers(phx_addressed *addressed, const phx_shard *shard, const phx_block_message *block_message);
bool phx_rows_address_observer(phx_addressed *addressed, const phx_shard *shard,
                               const phx_block_message *block_message);
bool phx_rows_address_box(phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                          const phx_block_message *block_message);

uint32_t phx_rows_blocks(const phx_shard *shard);
uint32_t phx_rows_block_places(const phx_shard *shard, uint32_t block);
void phx_rows_fill_batch(const phx_shard *shard, phx_observer_batch *batch);
uint32_t phx_rows_place_of(const phx_shard *shard, const phx_observer_batch *batch,
                           const phx_block_message *block_message);
uint32_t phx_rows_filter_batch(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                               uint32_t *out);

#endif
