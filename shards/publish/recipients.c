/*
 * Calls and their recipients; see recipients.h.
 */
#include "shards/publish/recipients.h"

#include <string.h>

#include "shards/state/view_reach.h"

void phx_recipients_free(phx_recipients *recipients, phx_mem *mem)
{
    phx_release(mem, (void **)&recipients->block_messages, &recipients->block_messages_capacity,
                sizeof *recipients->block_messages);
    phx_release(mem, (void **)&recipients->spare, &recipients->spare_capacity, sizeof *recipients->spare);
    phx_release(mem, (void **)&recipients->first, &recipients->first_capacity, sizeof *recipients->first);
}

/* ---- block messages ---- */

void phx_recipients_clear(phx_recipients *recipients)
{
    recipients->block_message_count = 0;
}

bool phx_recipients_add(phx_recipients *recipients, const phx_shard *shard, phx_block_message block_message)
{
    if (!phx_grow(shard->mem, (void **)&recipients->spare, &recipients->spare_capacity, recipients->block_message_count,
                  (size_t)recipients->block_message_count + 1, sizeof block_message))
        return false;
    recipients->spare[recipients->block_message_count++] = block_message;
    return true;
}

/* The towers of the rectangle that lie in a block, as a set. */
static uint64_t block_tower_mask(phx_rect rect, uint32_t bx, uint32_t by)
{
    bool meets = bx >= rect.x0 >> PHX_BLOCK_BITS && bx <= rect.x1 >> PHX_BLOCK_BITS &&
                 by >= rect.y0 >> PHX_BLOCK_BITS && by <= rect.y1 >> PHX_BLOCK_BITS;
    return meets ? phx_block_mask(rect, bx, by) : 0;
}

bool phx_recipients_add_block(phx_recipients *recipients, const phx_shard *shard, const phx_address_towers *to,
                              uint32_t bx, uint32_t by, phx_block_message block_message)
{
    block_message.towers = block_tower_mask(to->rect, bx, by);
    if (to->any_done) block_message.towers &= ~block_tower_mask(to->done, bx, by);
    return block_message.towers == 0 || phx_recipients_add(recipients, shard, block_message);
}

phx_rect phx_recipients_rect(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->global)
        return (phx_rect){0, 0, (uint16_t)(shard->rules->towers[0] - 1), (uint16_t)(shard->rules->towers[1] - 1)};
    float far = attr->reach + shard->margin_max;
    return phx_interest_rows_rect(shard, &shard->store.body[slot], far > shard->radius_max ? far : shard->radius_max);
}

bool phx_recipients_address(phx_recipients *recipients, const phx_shard *shard, uint32_t slot, uint32_t message)
{
    const phx_block_message block_message = {.message = message, .slot = slot, .observer = PHX_SLOT_NONE};
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_LIVE);
    return shard->storage->address_viewers(recipients, shard, &block_message);
}

bool phx_recipients_address_one(phx_recipients *recipients, const phx_shard *shard, uint32_t slot, uint32_t message,
                                uint32_t observer)
{
    const phx_block_message block_message = {.message = message, .slot = slot, .observer = observer};
    return shard->storage->address_observer(recipients, shard, &block_message);
}

bool phx_recipients_address_range(phx_recipients *recipients, const phx_shard *shard, const phx_broadcast_range *range,
                                  uint32_t slot, uint32_t message)
{
    const phx_block_message block_message = {.message = message, .slot = slot, .observer = PHX_SLOT_NONE};
    return shard->storage->address_box(recipients, shard, range->instance,
                                       phx_box_around(range->x, range->y, range->radius), &block_message);
}

/* Counting sort by block; the order inside a block stays. */
bool phx_recipients_sort(phx_recipients *recipients, const phx_shard *shard)
{
    uint32_t blocks = phx_recipients_blocks(shard), sum = 0;
    if (!phx_grow(shard->mem, (void **)&recipients->block_messages, &recipients->block_messages_capacity, 0,
                  recipients->block_message_count, sizeof *recipients->block_messages) ||
        !phx_grow(shard->mem, (void **)&recipients->first, &recipients->first_capacity, 0, (size_t)blocks + 2,
                  sizeof *recipients->first))
        return false;
    uint32_t *at = recipients->first + 1; /* at the end, first[b] is where block b begins */
    memset(recipients->first, 0, (blocks + 2) * sizeof *recipients->first);
    for (uint32_t i = 0; i < recipients->block_message_count; i++) at[recipients->spare[i].block + 1]++;
    for (uint32_t b = 0; b <= blocks; b++) at[b] = sum += at[b];
    for (uint32_t i = 0; i < recipients->block_message_count; i++)
        recipients->block_messages[at[recipients->spare[i].block]++] = recipients->spare[i];
    return true;
}

/* ---- observer batches ---- */

void phx_recipients_fill_batch(const phx_shard *shard, phx_observer_batch *batch)
{
    PHX_ASSERT(batch->count <= PHX_BATCH_PLACES_MAX);
    batch->towers = 0;
    batch->mixed = false;
    shard->storage->fill_batch(shard, batch);
}

/* ---- filter ---- */

/* Filters for a block message to one observer. */
static uint32_t filter_observer(const phx_shard *shard, const phx_observer_batch *batch,
                                const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                                uint32_t *out)
{
    const uint32_t place = shard->storage->place_of(shard, batch, block_message);
    if (place == batch->count) return 0;
    out[0] = place;
    return range ? phx_broadcast_range_reaches(shard, range, block_message->slot, self, block_message->observer)
                 : phx_recipients_sees(shard, block_message->observer, block_message->slot, self);
}

uint32_t phx_recipients_filter(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                               uint32_t *out)
{
    if (block_message->observer != PHX_SLOT_NONE) return filter_observer(shard, batch, block_message, range, self, out);
    return shard->storage->filter_batch(shard, batch, block_message, range, self, out);
}
