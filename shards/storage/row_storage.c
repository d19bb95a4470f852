/*
 * Storage by rows of the grid; see row_storage.h. state/storage.h tells when each operation is called.
 */
#include "shards/storage/row_storage.h"

#include "shards/grid/block_summary.h"
#include "shards/grid/row_edit.h"
#include "shards/interest/run_rows.h"
#include "shards/publish/recipients_rows.h"
#include "shards/query/observers.h"
#include "shards/query/prev_list.h"
#include "shards/query/seen.h"
#include "shards/query/slots_in_range.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"
#include "shards/storage/no_operation.h"
#include "shards/tick/begin_end.h"
#include "shards/tick/reindex.h"

/* ---- a change of one entity ---- */

static void refresh_row(phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    const uint32_t word = phx_row_word_of(slot, body->state & PHX_SLOT_SPECIAL).bits;
    const float view = phx_grid_view(&shard->store, slot);
    uint32_t *row_word = &shard->grid.rows.slot[body->row];
    float *row_view = &shard->grid.rows.view[body->row];
    if (*row_word == word && *row_view == view) return; /* most attributes are none of a row's */
    const phx_row_word word_before = {*row_word};
    const float view_before = *row_view;
    *row_word = word;
    *row_view = view;
    phx_grid_changed(&shard->grid, body->row, view_before, word_before);
}

/* Only a list that passed its limit, and the end of the last relation, change the view column. */
static void follow_row_list(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_ROW);
    if (!phx_related_of(shard, slot)) body->state = (uint16_t)(body->state & ~PHX_SLOT_RELATED);
    if (shard->grid.rows.view[body->row] != phx_grid_view(&shard->store, slot)) refresh_row(shard, slot);
}

static void misplace_row(phx_shard *shard, uint32_t slot)
{
    phx_grid_misplace(&shard->grid, &shard->store.body[slot], slot);
}

/* ---- index phase and the tick's end ---- */

static bool updated_rows_valid(const phx_shard *shard)
{
    const phx_grid *grid = &shard->grid;
    return (grid->positions_stale || phx_grid_valid(grid, &shard->store)) && phx_shard_outside_valid(shard);
}

/* ---- reading ---- */

static bool row_list_derives(const phx_shard *shard, uint32_t slot)
{
    return shard->derives_lists && phx_grid_plain(&shard->store, slot);
}

/* Relations count, too: which of their targets are listed is noted with them. */
static bool uncut_row_list_derives(const phx_shard *shard, uint32_t slot)
{
    return shard->derives_lists && phx_attr_observes(phx_store_attr(&shard->store, slot)) &&
           phx_store_attr_decides(&shard->store, slot);
}

/* ---- evaluation ---- */

static bool row_dirty_near(const phx_shard *shard, uint32_t observer, float radius)
{
    const phx_rect rect = phx_interest_towers(shard->rules, &shard->store.body[observer], radius);
    return phx_grid_dirty(&shard->grid, phx_store_instance(&shard->store, observer), rect, shard->tick);
}

/* In view now, in the old list, and from farther off. */
static size_t row_targets_max(const phx_shard *shard, uint32_t observer, uint32_t related)
{
    enum { SLOTS_MAX = 1 << 13 }; /* slots of a shard: room for all costs less than finding out the number each time */
    const phx_list *list = &shard->store.tail[observer].list;
    const phx_body *body = &shard->store.body[observer];
    const phx_attr *attr = phx_store_attr(&shard->store, observer);
    bool all = !list->derived && shard->store.slots <= SLOTS_MAX;
    size_t now = all ? shard->store.slots
                     : phx_grid_most(&shard->grid, attr->instance, phx_interest_rows_rect(shard, body, attr->view));
    size_t old = list->derived ? phx_prev_list_max(shard, observer) : list->count;
    size_t far = shard->far.entry_count;
    return now + old + far + related;
}

static uint32_t row_items(const phx_shard *shard)
{
    return shard->grid.row_end;
}

/* No notes: previous rows tell what was (grid/prev_rows.h). The grid itself is a part of every shard. */
const phx_storage phx_storage_rows = {
    .leaves_out_ghosts = true,
    .has_deltas = true,
    .unmarked_when_dense = true,
    .mixes_instances = false,
    .scans_in_part = true,
    .searches_columns = false,
    .items_are_slots = false,
    .make = phx_storage_ready,
    .free = phx_storage_no_work,
    .reserve_note = phx_storage_ready,
    .note_name = phx_storage_no_slot_work,
    .note_attr = phx_storage_no_attr_note,
    .change_instance = misplace_row,
    .refresh_entry = refresh_row,
    .remove_entry = misplace_row,
    .mark_partial = refresh_row,
    .follow_list = follow_row_list,
    .update = phx_rows_update,
    .updated_valid = updated_rows_valid,
    .end_tick = phx_storage_no_work,
    .ended_valid = phx_shard_lists_valid,
    .add_counts = phx_storage_no_counts,
    .clear_counts = phx_storage_no_work,
    .derives = row_list_derives,
    .derives_uncut = uncut_row_list_derives,
    .list_before = phx_prev_list,
    .visit_list_before = phx_prev_list_visit,
    .list_had = phx_prev_list_has,
    .visit_list = phx_rows_visit_list,
    .visit_observers = phx_rows_visit_observers,
    .slots_in_range = phx_rows_in_range,
    .any_dirty_near = row_dirty_near,
    .targets_max = row_targets_max,
    .scan = phx_rows_scan,
    .differ = NULL,
    .items = row_items,
    .chunk_items = phx_rows_chunk_items,
    .run = phx_rows_run,
    .visit_undone = phx_rows_visit_undone,
    .blocks = phx_rows_blocks,
    .block_places = phx_rows_block_places,
    .fill_batch = phx_rows_fill_batch,
    .address_viewers = phx_rows_address_viewers,
    .address_observer = phx_rows_address_observer,
    .address_box = phx_rows_address_box,
    .place_of = phx_rows_place_of,
    .filter_batch = phx_rows_filter_batch,
};
