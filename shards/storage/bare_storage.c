/*
 * Storage without entries; see bare_storage.h. state/storage.h tells when each operation is called.
 */
#include "shards/storage/bare_storage.h"

#include "shards/publish/recipients_slots.h"
#include "shards/query/observers.h"
#include "shards/storage/no_operation.h"
#include "shards/tick/begin_end.h"

static void bare_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink)
{
    (void)instance; /* slots of all pass */
    const phx_store *store = &shard->store;
    sink->visited++;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if ((body->state & PHX_SLOT_ROW) && phx_box_has(box, body->x, body->y)) sink->take(sink, &slot, 1);
    }
}

static uint32_t no_items(const phx_shard *shard)
{
    (void)shard;
    return 0;
}

/* No list is found, so operations of the index phase and of evaluations are not called. */
const phx_storage phx_storage_bare = {
    .reserve_note = phx_storage_ready,
    .note_name = phx_storage_no_slot_work,
    .note_attr = phx_storage_no_attr_note,
    .change_instance = phx_storage_no_slot_work,
    .refresh_entry = phx_storage_no_slot_work,
    .remove_entry = phx_storage_no_slot_work,
    .mark_partial = phx_storage_no_slot_work,
    .follow_list = phx_storage_no_slot_work,
    .end_tick = phx_storage_no_work,
    .ended_valid = phx_shard_lists_valid,
    .add_counts = phx_storage_no_counts,
    .clear_counts = phx_storage_no_work,
    .derives = phx_storage_never,
    .derives_uncut = phx_storage_never,
    .list_before = phx_storage_no_list_before,
    .visit_list_before = phx_storage_no_list_visit,
    .list_had = phx_storage_no_list_had,
    .visit_list = phx_storage_no_list_visit,
    .visit_observers = phx_classical_visit_observers,
    .slots_in_range = bare_in_range,
    .items = no_items,
    .chunk_items = phx_storage_any_chunk,
    .blocks = phx_slots_blocks,
    .block_places = phx_slots_block_places,
    .fill_batch = phx_slots_fill_batch,
    .address_viewers = phx_slots_address_viewers,
    .address_observer = phx_slots_address_observer,
    .address_box = phx_slots_address_box,
    .place_of = phx_slots_place_of,
    .filter_batch = phx_storage_no_filter,
};
