/*
 * Storage by cell entries of the nine-grid; see ninegrid_storage.h. state/storage.h tells when each operation is
 * called.
 */
#include "shards/storage/ninegrid_storage.h"

#include "shards/interest/delta_ninegrid.h"
#include "shards/ninegrid/crossings.h"
#include "shards/ninegrid/ninegrid.h"
#include "shards/ninegrid/tick_end.h"
#include "shards/publish/recipients_ninegrid.h"
#include "shards/query/observers.h"
#include "shards/query/seen.h"
#include "shards/query/slots_in_range.h"
#include "shards/state/view_reach.h"
#include "shards/storage/no_operation.h"

static bool make_cells(phx_shard *shard)
{
    return phx_ninegrid_init(&shard->ninegrid, shard->mem, shard->rules);
}

static void free_cells(phx_shard *shard)
{
    phx_ninegrid_free(&shard->ninegrid, shard->mem);
}

/* ---- a change of one entity: a note of the state that the entry shows ---- */

static bool reserve_cell_note(phx_shard *shard)
{
    return phx_ninegrid_reserve(&shard->ninegrid, shard->mem);
}

static void note_cell_entry(phx_shard *shard, uint32_t slot)
{
    phx_ninegrid_note(&shard->ninegrid, &shard->store, slot);
}

static void note_cell_attr(phx_shard *shard, uint32_t slot, const phx_attr *next)
{
    phx_ninegrid_note_attr(&shard->ninegrid, &shard->store, slot, next);
}

static void mark_cell_partial(phx_shard *shard, uint32_t slot)
{
    phx_ninegrid_update_kind(&shard->ninegrid, &shard->store, slot);
}

/* ---- index phase and the tick's end ---- */

static bool update_cells(phx_shard *shard)
{
    const phx_ninegrid_input in = {.rules = shard->rules,
                                   .store = &shard->store,
                                   .deferred = &shard->deferred,
                                   .tick = shard->tick,
                                   .changed = shard->changed,
                                   .evaluate_all = shard->all_dirty || shard->far_dirty};
    return phx_ninegrid_index(&shard->ninegrid, shard->mem, &in);
}

static bool updated_cells_valid(const phx_shard *shard)
{
    (void)shard; /* entries are old and new ones until the tick's end */
    return true;
}

static void end_cell_tick(phx_shard *shard)
{
    phx_ninegrid_end_tick(&shard->ninegrid, shard->rules, &shard->store);
}

static bool ended_cells_valid(const phx_shard *shard)
{
    return phx_ninegrid_valid(&shard->ninegrid, shard->rules, &shard->store);
}

/* ---- reading ---- */

static uint32_t cell_list_before(const phx_shard *shard, uint32_t slot, uint32_t *out, uint64_t *pairs)
{
    (void)pairs; /* no distance is compared */
    return phx_ninegrid_list(&shard->ninegrid, shard->rules, &shard->store, slot, out);
}

static void visit_cells_before(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    _Static_assert((int)PHX_NINEGRID_PIECE <= (int)PHX_LIST_PIECE_MAX, "a piece of entries is told as it is");
    phx_ninegrid_list_visit(&shard->ninegrid, shard->rules, &shard->store, slot, visit, user);
}

static bool cell_list_had(const phx_shard *shard, uint32_t slot, uint32_t target)
{
    return phx_ninegrid_list_has(&shard->ninegrid, shard->rules, &shard->store, slot, target);
}

/* ---- evaluation ---- */

static bool cell_dirty_near(const phx_shard *shard, uint32_t observer, float radius)
{
    const phx_rect rect = phx_interest_towers(shard->rules, &shard->store.body[observer], radius);
    return phx_ninegrid_dirty(&shard->ninegrid, phx_store_instance(&shard->store, observer), rect, shard->tick);
}

static void scan_cells(const phx_shard *shard, uint32_t observer, float radius, phx_range_scan *scan)
{
    const phx_body *body = &shard->store.body[observer];
    const phx_rect rect = phx_interest_towers(shard->rules, body, radius);
    const bool whole = !(radius < phx_store_attr(&shard->store, observer)->view);
    const phx_range area = {body->x, body->y, whole ? INFINITY : radius, shard->rules->shape == PH_SHAPE_SQUARE};
    phx_tower_columns *columns = scan->tower_columns;
    phx_ninegrid_collect(&shard->ninegrid, &shard->store, phx_store_instance(&shard->store, observer), rect, columns);
    const phx_span all = {0, columns->count};
    scan->count = shard->kernels->range_scan(&columns->rows, all, &area, scan->hits, scan->squares);
    scan->visited += columns->towers;
    scan->pairs += columns->count;
}

/* ---- work ---- */

static uint32_t cell_items(const phx_shard *shard)
{
    return shard->ninegrid.item_count;
}

const phx_storage phx_storage_ninegrid = {
    .leaves_out_ghosts = false,
    .has_deltas = false,
    .unmarked_when_dense = true,
    .mixes_instances = false,
    .scans_in_part = true,
    .searches_columns = true,
    .items_are_slots = false,
    .make = make_cells,
    .free = free_cells,
    .reserve_note = reserve_cell_note,
    .note_name = note_cell_entry,
    .note_attr = note_cell_attr,
    .change_instance = phx_storage_no_slot_work,
    .refresh_entry = note_cell_entry,
    .remove_entry = note_cell_entry,
    .mark_partial = mark_cell_partial,
    .follow_list = phx_storage_no_slot_work,
    .update = update_cells,
    .updated_valid = updated_cells_valid,
    .end_tick = end_cell_tick,
    .ended_valid = ended_cells_valid,
    .add_counts = phx_storage_no_counts,
    .clear_counts = phx_storage_no_work,
    .derives = phx_ninegrid_plain,
    .derives_uncut = phx_ninegrid_plain,
    .list_before = cell_list_before,
    .visit_list_before = visit_cells_before,
    .list_had = cell_list_had,
    .visit_list = phx_ninegrid_visit_list,
    .visit_observers = phx_ninegrid_visit_observers,
    .slots_in_range = phx_ninegrid_in_range,
    .any_dirty_near = cell_dirty_near,
    .targets_max = phx_storage_all_slots,
    .scan = scan_cells,
    .differ = NULL,
    .items = cell_items,
    .chunk_items = phx_storage_any_chunk,
    .run = phx_ninegrid_run,
    .visit_undone = phx_ninegrid_visit_undone,
    .blocks = phx_ninegrid_blocks,
    .block_places = phx_ninegrid_block_places,
    .fill_batch = phx_ninegrid_fill_batch,
    .address_viewers = phx_ninegrid_address_viewers,
    .address_observer = phx_ninegrid_address_observer,
    .address_box = phx_ninegrid_address_box,
    .place_of = phx_ninegrid_place_of,
    .filter_batch = phx_ninegrid_filter_batch,
};
