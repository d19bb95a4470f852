/*
 * Storage in a classical index; see classical_storage.h. state/storage.h tells when each operation is called, and
 * index/index.h has the contract of the indexes.
 */
#include "shards/storage/classical_storage.h"

#include "shards/classical/registry.h"
#include "shards/interest/run_slots.h"
#include "shards/publish/recipients_slots.h"
#include "shards/query/observers.h"
#include "shards/query/slots_in_range.h"
#include "shards/state/view_reach.h"
#include "shards/storage/no_operation.h"
#include "shards/tick/begin_end.h"

static bool make_classical(phx_shard *shard)
{
    const phx_index_env env = {.mem = shard->mem, .rules = shard->rules, .store = &shard->store, .rect = shard->rect};
    shard->classical = phx_index_make(shard->rules->index, &env);
    return shard->classical;
}

static void free_classical(phx_shard *shard)
{
    phx_index_free(shard->classical);
    shard->classical = NULL;
}

/* ---- index phase and the tick's end ---- */

static bool update_classical(phx_shard *shard)
{
    return !shard->changed || phx_index_update(shard->classical, &shard->store, shard->tick, shard->dirty_stamp);
}

static bool updated_classical_valid(const phx_shard *shard)
{
    return shard->classical->ops->valid(shard->classical);
}

static void add_classical_counts(const phx_shard *shard, phx_index_counts *to)
{
    to->moves += shard->classical->counts.moves;
    to->steps += shard->classical->counts.steps;
}

static void clear_classical_counts(phx_shard *shard)
{
    shard->classical->counts = (phx_index_counts){0};
}

/* ---- reading ---- */

static void classical_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink)
{
    (void)instance; /* an index has the slots of all */
    shard->classical->ops->around(shard->classical, box, sink);
}

/* ---- evaluation ---- */

static bool slot_dirty_near(const phx_shard *shard, uint32_t observer, float radius)
{
    const phx_index_ops *ops = shard->classical->ops;
    const phx_box box = phx_shard_box(shard, &shard->store.body[observer], radius);
    return shard->bounded || !ops->any_dirty_near || ops->any_dirty_near(shard->classical, observer, box);
}

static bool differ_classical(const phx_shard *shard, uint32_t observer, phx_sink *sink)
{
    const phx_index_ops *ops = shard->classical->ops;
    return ops->differ && ops->differ(shard->classical, observer, sink);
}

/* ---- work ---- */

static uint32_t slot_items(const phx_shard *shard)
{
    return shard->store.slots;
}

/* No notes and no entries to refresh: the index is given all changes of a tick at once, in the index phase. */
const phx_storage phx_storage_classical = {
    .leaves_out_ghosts = false,
    .has_deltas = false,
    .unmarked_when_dense = false,
    .mixes_instances = true,
    .scans_in_part = false,
    .searches_columns = false,
    .items_are_slots = true,
    .make = make_classical,
    .free = free_classical,
    .reserve_note = phx_storage_ready,
    .note_name = phx_storage_no_slot_work,
    .note_attr = phx_storage_no_attr_note,
    .change_instance = phx_storage_no_slot_work,
    .refresh_entry = phx_storage_no_slot_work,
    .remove_entry = phx_storage_no_slot_work,
    .mark_partial = phx_storage_no_slot_work,
    .follow_list = phx_storage_no_slot_work,
    .update = update_classical,
    .updated_valid = updated_classical_valid,
    .end_tick = phx_storage_no_work,
    .ended_valid = phx_shard_lists_valid,
    .add_counts = add_classical_counts,
    .clear_counts = clear_classical_counts,
    .derives = phx_storage_never,
    .derives_uncut = phx_storage_never,
    .list_before = phx_storage_no_list_before,
    .visit_list_before = phx_storage_no_list_visit,
    .list_had = phx_storage_no_list_had,
    .visit_list = phx_storage_no_list_visit,
    .visit_observers = phx_classical_visit_observers,
    .slots_in_range = classical_in_range,
    .any_dirty_near = slot_dirty_near,
    .targets_max = phx_storage_all_slots,
    .scan = phx_classical_scan,
    .differ = differ_classical,
    .items = slot_items,
    .chunk_items = phx_storage_any_chunk,
    .run = phx_slots_run,
    .visit_undone = phx_slots_visit_undone,
    .blocks = phx_slots_blocks,
    .block_places = phx_slots_block_places,
    .fill_batch = phx_slots_fill_batch,
    .address_viewers = phx_slots_address_viewers,
    .address_observer = phx_slots_address_observer,
    .address_box = phx_slots_address_box,
    .place_of = phx_slots_place_of,
    .filter_batch = phx_storage_no_filter,
};
