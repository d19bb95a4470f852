/*
 * Recipients by slots; see recipients_slots.h.
 */
#include "shards/publish/recipients_slots.h"

#include "shards/query/slots_in_range.h"
#include "shards/state/view_reach.h"

/* ---- block messages ---- */

/* The box of all observers that may see the entity without a relation. */
static phx_box seen_from_box(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->global) return phx_box_all();
    float far = attr->reach + shard->margin_max;
    return phx_shard_box(shard, &shard->store.body[slot], far > shard->radius_max ? far : shard->radius_max);
}

/* A block message to each own observer in a box. */
typedef struct address_sink {
    phx_sink sink;
    phx_addressed *addressed;
    const phx_shard *shard;
    phx_box box;
    phx_block_message block_message;
} address_sink;

static bool target_slot(phx_addressed *addressed, phx_block_message block_message, uint32_t observer)
{
    block_message.towers = ~0ull;
    block_message.block = observer / PHX_BATCH_PLACES_MAX;
    block_message.observer = observer;
    return phx_recipients_add(addressed, block_message);
}

static void target_slots(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const address_sink *at = (const address_sink *)sink;
    const phx_store *store = &at->shard->store;
    for (uint32_t i = 0; i < count; i++) {
        const phx_body *body = &store->body[slots[i]];
        bool observes = (body->state & PHX_SLOT_OWN) && phx_attr_observes(phx_store_attr(store, slots[i]));
        if (!observes || !phx_box_has(at->box, body->x, body->y)) continue;
        at->addressed->failed |= !target_slot(at->addressed, at->block_message, slots[i]);
    }
}

static bool address_slots(phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                          phx_block_message block_message)
{
    address_sink to = {
        .sink.take = target_slots, .addressed = addressed, .shard = shard, .box = box, .block_message = block_message};
    addressed->failed = false;
    phx_slots_in_range(shard, &instance, box, &to.sink);
    return !addressed->failed;
}

bool phx_slots_address_viewers(phx_addressed *addressed, const phx_shard *shard, const phx_block_message *block_message)
{
    return address_slots(addressed, shard, phx_store_instance(&shard->store, block_message->slot),
                         seen_from_box(shard, block_message->slot), *block_message);
}

bool phx_slots_address_observer(phx_addressed *addressed, const phx_shard *shard,
                                const phx_block_message *block_message)
{
    const phx_body *body = &shard->store.body[block_message->observer];
    return phx_box_has(seen_from_box(shard, block_message->slot), body->x, body->y) ||
           target_slot(addressed, *block_message, block_message->observer);
}

bool phx_slots_address_box(phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                           const phx_block_message *block_message)
{
    return address_slots(addressed, shard, instance, box, *block_message);
}

/* ---- observer batches ---- */

uint32_t phx_slots_blocks(const phx_shard *shard)
{
    return (shard->store.slots + PHX_BATCH_PLACES_MAX - 1) / PHX_BATCH_PLACES_MAX;
}

uint32_t phx_slots_block_places(const phx_shard *shard, uint32_t block)
{
    uint32_t left = shard->store.slots - block * PHX_BATCH_PLACES_MAX;
    return left < PHX_BATCH_PLACES_MAX ? left : PHX_BATCH_PLACES_MAX;
}

void phx_slots_fill_batch(const phx_shard *shard, phx_observer_batch *batch)
{
    const phx_store *store = &shard->store;
    uint32_t first = batch->block * PHX_BATCH_PLACES_MAX + batch->first;
    for (uint32_t slot = first; slot < first + batch->count; slot++) {
        bool observes = (store->body[slot].state & PHX_SLOT_OWN) && phx_attr_observes(phx_store_attr(store, slot));
        batch->slot[slot - first] = observes ? slot : PHX_SLOT_NONE;
    }
    batch->towers = ~0ull;
}

uint32_t phx_slots_place_of(const phx_shard *shard, const phx_observer_batch *batch,
                            const phx_block_message *block_message)
{
    (void)shard;
    return phx_recipients_find(batch, block_message->observer, block_message->observer % PHX_BATCH_PLACES_MAX);
}
