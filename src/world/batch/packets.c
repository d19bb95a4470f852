/*
 * The join of a batch's arrays by observer; see packets.h.
 */
#include "world/batch/packets.h"

enum { PACKED = INT32_MIN }; /* in `next`: the record is in a packet already */

enum { HEAD, NEXT }; /* the two spare words */

/* One array of records, deliveries or updates; the batch is the library's memory, so its records may be written. */
typedef struct joined_array {
    char *records;
    uint32_t count, bytes, link; /* of a record; where its links are */
} joined_array;

_Static_assert(offsetof(ph_delivery, observer) == 0 && offsetof(ph_update, observer) == 0, "ids come first");

static joined_array deliveries_of(const ph_batch *batch)
{
    return (joined_array){(char *)(uintptr_t)batch->deliveries, batch->delivery_count, sizeof(ph_delivery),
                          offsetof(ph_delivery, reserved)};
}

static joined_array updates_of(const ph_batch *batch)
{
    return (joined_array){(char *)(uintptr_t)batch->updates, batch->update_count, sizeof(ph_update),
                          offsetof(ph_update, reserved)};
}

static uint64_t observer_at(const joined_array *array, uint32_t i)
{
    return *(const uint64_t *)(const void *)(array->records + (size_t)i * array->bytes);
}

static uint32_t *links_at(const joined_array *array, uint32_t i)
{
    return (uint32_t *)(void *)(array->records + (size_t)i * array->bytes + array->link);
}

static uint32_t bucket_of(const joined_array *array, phx_hash_key key, uint64_t observer)
{
    return (uint32_t)((phx_hash_any(key, observer) >> 32) * array->count >> 32);
}

static void link_records(const joined_array *array, phx_hash_key key)
{
    PHX_ASSERT(array->count <= INT32_MAX);
    for (uint32_t i = 0; i < array->count; i++) links_at(array, i)[HEAD] = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        uint32_t *head = &links_at(array, bucket_of(array, key, observer_at(array, i)))[HEAD];
        links_at(array, i)[NEXT] = *head;
        *head = i + 1;
    }
}

/* The record of an observer, marked as packed; NULL = none that is not packed. */
static const void *pack_record(const joined_array *array, phx_hash_key key, uint64_t observer)
{
    if (array->count == 0) return NULL;
    uint32_t place = links_at(array, bucket_of(array, key, observer))[HEAD];
    while (place != 0) {
        uint32_t *next = &links_at(array, place - 1)[NEXT];
        if (observer_at(array, place - 1) == observer) {
            *next |= (uint32_t)PACKED;
            return array->records + (size_t)(place - 1) * array->bytes;
        }
        place = *next & INT32_MAX;
    }
    return NULL;
}

static bool is_packed(const joined_array *array, uint32_t i)
{
    return links_at(array, i)[NEXT] & (uint32_t)PACKED;
}

void phx_packets_begin(const ph_batch *batch, phx_hash_key key, ph_packets *packets)
{
    const joined_array deliveries = deliveries_of(batch), updates = updates_of(batch);
    link_records(&deliveries, key);
    link_records(&updates, key);
    *packets = (ph_packets){.batch = batch, .key = {key.near, key.far}};
}

/* Steps over records that are in packets already. false = the array has no more. */
static bool find_unpacked(const joined_array *array, uint32_t *at)
{
    while (*at < array->count && is_packed(array, *at)) ++*at;
    return *at < array->count;
}

typedef enum walk_stage { WALK_CHANGES, WALK_DELIVERIES, WALK_UPDATES, WALK_OVER } walk_stage;

bool phx_packets_next(ph_packets *packets, ph_packet *packet)
{
    const ph_batch *batch = packets->batch;
    const joined_array deliveries = deliveries_of(batch), updates = updates_of(batch);
    const phx_hash_key key = {.near = packets->key[0], .far = packets->key[1]};
    if (packets->stage == WALK_CHANGES && packets->at < batch->change_count) {
        const ph_change *change = &batch->changes[packets->at++];
        *packet = (ph_packet){.observer = change->observer,
                              .user_data = change->user_data,
                              .change = change,
                              .delivery = pack_record(&deliveries, key, change->observer),
                              .update = pack_record(&updates, key, change->observer)};
        return true;
    }
    if (packets->stage == WALK_CHANGES) {
        packets->stage = WALK_DELIVERIES;
        packets->at = 0;
    }
    if (packets->stage == WALK_DELIVERIES && find_unpacked(&deliveries, &packets->at)) {
        const ph_delivery *delivery = &batch->deliveries[packets->at++];
        *packet = (ph_packet){.observer = delivery->observer,
                              .user_data = delivery->user_data,
                              .delivery = delivery,
                              .update = pack_record(&updates, key, delivery->observer)};
        return true;
    }
    if (packets->stage == WALK_DELIVERIES) {
        packets->stage = WALK_UPDATES;
        packets->at = 0;
    }
    if (packets->stage == WALK_UPDATES && find_unpacked(&updates, &packets->at)) {
        const ph_update *update = &batch->updates[packets->at++];
        *packet = (ph_packet){.observer = update->observer, .user_data = update->user_data, .update = update};
        return true;
    }
    packets->stage = WALK_OVER;
    return false;
}
