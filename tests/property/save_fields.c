/*
 * Every field of the structs that make a world, by hand: is it in an image (SAVED), does it follow from fields that are
 * (DERIVED), or is it of no use between two ticks, work memory, a count of statistics, or the host's (LEFT)? A field
 * that is added to a struct and not here does not compile: too few values are in a list. So is one that was removed.
 * Whoever adds a SAVED field adds it to src/world/image/tables.h, capture.c and restore*.c. The program itself counts.
 */
#include <stdio.h>

#include "support/check.h"
#include "world/state/world.h"

#pragma GCC diagnostic error "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wmissing-braces" /* of arrays of arrays */

#define FIELD_VALUE(type, name) from->name,
#define FIELD_ARRAY(type, name) {0},
#define FIELD_INIT(type, kind, name) FIELD_##kind(type, name)
#define FIELD_NAMED(type, kind, name) (void)from->name;     /* there is one of this name */
#define FIELD_NUMBER(type, kind, name) type##_field_##name, /* and it stands here once */
#define FIELD_ONE(type, kind, name) +1
#define FIELD_NONE(type, kind, name)

/* A list of fields, its struct filled by as many values, and its fields by name. */
#define FIELDS_OF(type) \
    enum { FIELDS_##type(type, FIELD_NUMBER, FIELD_NUMBER, FIELD_NUMBER) COUNT_##type }; \
    enum { SAVED_##type = 0 FIELDS_##type(type, FIELD_ONE, FIELD_NONE, FIELD_NONE) }; \
    void values_of_##type(const type *from); \
    void values_of_##type(const type *from) \
    { \
        const type values = {FIELDS_##type(type, FIELD_INIT, FIELD_INIT, FIELD_INIT)}; \
        (void)values; \
        FIELDS_##type(type, FIELD_NAMED, FIELD_NAMED, FIELD_NAMED) \
    }

/* clang-format off: one field a line, also where the macros are long */
#define FIELDS_phx_world(T, SAVED, DERIVED, LEFT) \
    LEFT(T, VALUE, mem) \
    SAVED(T, VALUE, def) \
    SAVED(T, VALUE, classes) \
    DERIVED(T, VALUE, rules) \
    DERIVED(T, VALUE, kind_count) \
    LEFT(T, VALUE, ungiven) \
    LEFT(T, VALUE, hints) \
    SAVED(T, VALUE, next_classes) \
    SAVED(T, VALUE, next_def) \
    DERIVED(T, VALUE, partition) \
    DERIVED(T, VALUE, shards) \
    LEFT(T, VALUE, shard_progress) \
    LEFT(T, VALUE, shard_mems) \
    LEFT(T, VALUE, shard_totals) \
    DERIVED(T, VALUE, halo_requests) \
    DERIVED(T, VALUE, halo_requests_before) \
    DERIVED(T, VALUE, shard_count) \
    DERIVED(T, VALUE, directory) \
    DERIVED(T, VALUE, relation_index) \
    SAVED(T, VALUE, attach) \
    SAVED(T, VALUE, areas) \
    DERIVED(T, VALUE, depths) \
    DERIVED(T, VALUE, around) \
    SAVED(T, VALUE, crowd) \
    DERIVED(T, VALUE, instances) \
    LEFT(T, VALUE, imports) \
    LEFT(T, VALUE, renames) \
    SAVED(T, VALUE, incarnations) \
    LEFT(T, VALUE, causes) \
    LEFT(T, VALUE, runs) \
    LEFT(T, VALUE, run_count) \
    LEFT(T, VALUE, runs_capacity) \
    LEFT(T, VALUE, runs_most) \
    LEFT(T, VALUE, runs_use) \
    LEFT(T, VALUE, run_at) \
    LEFT(T, VALUE, move_span) \
    LEFT(T, VALUE, apply) \
    LEFT(T, VALUE, begun) \
    LEFT(T, VALUE, move_sums) \
    LEFT(T, VALUE, movers) \
    LEFT(T, VALUE, producers) \
    SAVED(T, VALUE, consumers) \
    LEFT(T, VALUE, crew) \
    LEFT(T, VALUE, crew_own) \
    LEFT(T, VALUE, shared) \
    LEFT(T, VALUE, workers) \
    LEFT(T, VALUE, worker_count) \
    LEFT(T, VALUE, scratch) \
    LEFT(T, VALUE, shard_order) \
    LEFT(T, VALUE, order_capacity) \
    LEFT(T, VALUE, step_failed) \
    LEFT(T, VALUE, step) \
    LEFT(T, VALUE, chunks) \
    LEFT(T, VALUE, chunk_count) \
    LEFT(T, VALUE, chunks_capacity) \
    LEFT(T, VALUE, chunks_planned) \
    LEFT(T, VALUE, spreading) \
    LEFT(T, VALUE, chunk_counts) \
    LEFT(T, VALUE, chunk_counts_capacity) \
    LEFT(T, VALUE, begin_bits) \
    LEFT(T, VALUE, begin_bits_capacity) \
    LEFT(T, VALUE, batches) \
    LEFT(T, VALUE, broadcasts) \
    LEFT(T, VALUE, edge_sizes) \
    DERIVED(T, VALUE, zoned) \
    LEFT(T, VALUE, updates) \
    LEFT(T, VALUE, updating) \
    LEFT(T, VALUE, gate) \
    LEFT(T, VALUE, stage) \
    LEFT(T, VALUE, stage_at) \
    SAVED(T, VALUE, tick) \
    LEFT(T, VALUE, changes) \
    DERIVED(T, VALUE, towers_open) \
    LEFT(T, VALUE, finishing) \
    DERIVED(T, VALUE, any_outside) \
    LEFT(T, VALUE, resumed) \
    LEFT(T, VALUE, restoring) \
    LEFT(T, VALUE, restore_took_crew) \
    SAVED(T, VALUE, renews) \
    LEFT(T, VALUE, reclass) \
    LEFT(T, VALUE, monitors_asleep) \
    LEFT(T, VALUE, notes_costs) \
    LEFT(T, VALUE, journal) \
    LEFT(T, ARRAY, monitors) \
    LEFT(T, VALUE, monitors_open) \
    LEFT(T, VALUE, definitions) \
    LEFT(T, VALUE, totals) \
    LEFT(T, VALUE, phase_ns) \
    LEFT(T, VALUE, phase_ns_sum) \
    LEFT(T, VALUE, tick_ns_max) \
    LEFT(T, VALUE, monitor_ns) \
    LEFT(T, VALUE, monitor_ns_sum) \
    LEFT(T, VALUE, baseline)
FIELDS_OF(phx_world)

#define FIELDS_phx_shard(T, SAVED, DERIVED, LEFT) \
    LEFT(T, VALUE, mem) \
    DERIVED(T, VALUE, rules) \
    DERIVED(T, VALUE, storage) \
    DERIVED(T, VALUE, rules_storage) \
    DERIVED(T, VALUE, number) \
    DERIVED(T, VALUE, rect) \
    DERIVED(T, VALUE, move_constants) \
    SAVED(T, VALUE, tick) \
    LEFT(T, VALUE, dirty_stamp) \
    SAVED(T, VALUE, store) \
    DERIVED(T, VALUE, grid) \
    DERIVED(T, VALUE, ninegrid) \
    DERIVED(T, VALUE, classical) \
    LEFT(T, VALUE, blind) \
    LEFT(T, VALUE, lacks_copies) \
    DERIVED(T, VALUE, previous) \
    DERIVED(T, VALUE, heights) \
    DERIVED(T, VALUE, old_heights) \
    SAVED(T, VALUE, lists) \
    LEFT(T, VALUE, list_cuts) \
    SAVED(T, VALUE, annuli) \
    DERIVED(T, VALUE, annuli_capacity) \
    LEFT(T, VALUE, deferred) \
    LEFT(T, VALUE, applied) \
    SAVED(T, VALUE, relations) \
    DERIVED(T, VALUE, far) \
    SAVED(T, VALUE, bands) \
    LEFT(T, VALUE, restoring) \
    LEFT(T, VALUE, all_dirty) \
    LEFT(T, VALUE, far_dirty) \
    LEFT(T, VALUE, far_moved) \
    DERIVED(T, VALUE, bounded) \
    DERIVED(T, VALUE, bounded_slot) \
    DERIVED(T, VALUE, limited) \
    DERIVED(T, VALUE, flat) \
    DERIVED(T, VALUE, flat_before) \
    DERIVED(T, VALUE, uneven) \
    DERIVED(T, VALUE, heights_fit) \
    DERIVED(T, VALUE, heights_fit_before) \
    LEFT(T, VALUE, sight_changed) \
    LEFT(T, VALUE, global_moved) \
    LEFT(T, VALUE, changed) \
    LEFT(T, VALUE, any_discontinuous) \
    LEFT(T, VALUE, dense_tick) \
    LEFT(T, VALUE, dirty_count) \
    LEFT(T, VALUE, step_max) \
    LEFT(T, VALUE, step2_max) \
    DERIVED(T, VALUE, step_limit) \
    LEFT(T, VALUE, step_usual) \
    LEFT(T, VALUE, jumps_room) \
    LEFT(T, VALUE, step_pause) \
    LEFT(T, VALUE, stepped) \
    LEFT(T, VALUE, step2_sum) \
    DERIVED(T, VALUE, drift_limit) \
    DERIVED(T, VALUE, delta_allowed) \
    DERIVED(T, VALUE, derives_lists) \
    DERIVED(T, VALUE, kernels) \
    LEFT(T, VALUE, emigrant_candidates) \
    LEFT(T, VALUE, beginners) \
    SAVED(T, VALUE, partial_observers) \
    LEFT(T, VALUE, partial_not_listed) \
    LEFT(T, VALUE, owes_lists) \
    LEFT(T, VALUE, emigrant_list_first) \
    LEFT(T, VALUE, list_scratch) \
    LEFT(T, VALUE, outbox) \
    LEFT(T, VALUE, cursor) \
    LEFT(T, VALUE, received) \
    LEFT(T, VALUE, immigrants) \
    LEFT(T, VALUE, immigrant_lists) \
    LEFT(T, VALUE, pins) \
    DERIVED(T, VALUE, pins_before) \
    LEFT(T, VALUE, pin_count) \
    LEFT(T, VALUE, pins_capacity) \
    DERIVED(T, VALUE, pin_before_count) \
    LEFT(T, VALUE, pins_before_capacity) \
    LEFT(T, VALUE, pins_compared) \
    DERIVED(T, VALUE, neighbour_halos) \
    DERIVED(T, VALUE, neighbour_count) \
    LEFT(T, VALUE, neighbour_capacity) \
    DERIVED(T, VALUE, by_distance) \
    DERIVED(T, VALUE, interior) \
    DERIVED(T, VALUE, halo_free_box) \
    LEFT(T, VALUE, copy_sent) \
    LEFT(T, VALUE, begun) \
    DERIVED(T, VALUE, sent) \
    LEFT(T, VALUE, copied) \
    LEFT(T, VALUE, copied_next) \
    LEFT(T, VALUE, refreshed) \
    LEFT(T, VALUE, refreshed_any) \
    LEFT(T, VALUE, copies_due) \
    LEFT(T, VALUE, copies_repeat) \
    DERIVED(T, VALUE, radius_max) \
    DERIVED(T, VALUE, margin_max) \
    DERIVED(T, VALUE, radius_count) \
    DERIVED(T, VALUE, margin_count) \
    DERIVED(T, VALUE, radius_stale) \
    DERIVED(T, VALUE, visible_box) \
    DERIVED(T, VALUE, observing_count) \
    DERIVED(T, VALUE, ready_count) \
    LEFT(T, VALUE, silenced) \
    LEFT(T, VALUE, silenced_count) \
    LEFT(T, VALUE, silenced_capacity) \
    SAVED(T, VALUE, zones) \
    LEFT(T, VALUE, counts)
FIELDS_OF(phx_shard)

#define FIELDS_phx_store(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, body) \
    SAVED(T, VALUE, set) \
    SAVED(T, VALUE, name) \
    SAVED(T, VALUE, tail) \
    SAVED(T, VALUE, user_data) \
    LEFT(T, VALUE, capacity) \
    DERIVED(T, VALUE, slots) \
    LEFT(T, VALUE, free_first) \
    LEFT(T, VALUE, free_count) \
    LEFT(T, VALUE, dead_first) \
    LEFT(T, VALUE, dead_count) \
    DERIVED(T, VALUE, own_count) \
    DERIVED(T, VALUE, ghost_count) \
    DERIVED(T, VALUE, outside_count) \
    DERIVED(T, VALUE, remote_count) \
    DERIVED(T, VALUE, id_first) \
    DERIVED(T, VALUE, id_bits) \
    DERIVED(T, VALUE, kind_bits) \
    DERIVED(T, VALUE, traits) \
    SAVED(T, VALUE, sets) \
    DERIVED(T, VALUE, ghosts)
FIELDS_OF(phx_store)

#define FIELDS_phx_name(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, id) \
    SAVED(T, VALUE, incarnation) \
    DERIVED(T, VALUE, kind) \
    DERIVED(T, VALUE, consumer) \
    SAVED(T, VALUE, fresh)
FIELDS_OF(phx_name)

#define FIELDS_phx_body(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, x) \
    SAVED(T, VALUE, y) \
    SAVED(T, VALUE, z) \
    DERIVED(T, VALUE, tx) \
    DERIVED(T, VALUE, ty) \
    DERIVED(T, VALUE, row) \
    SAVED(T, VALUE, state) \
    LEFT(T, VALUE, changed)
FIELDS_OF(phx_body)

#define FIELDS_phx_attr(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, layers) \
    SAVED(T, VALUE, sees) \
    SAVED(T, VALUE, view) \
    SAVED(T, VALUE, margin) \
    SAVED(T, VALUE, reach) \
    SAVED(T, VALUE, visible) \
    SAVED(T, VALUE, cap) \
    SAVED(T, VALUE, given) \
    SAVED(T, VALUE, kind) \
    SAVED(T, VALUE, consumer) \
    SAVED(T, VALUE, stealth) \
    SAVED(T, VALUE, detect) \
    SAVED(T, VALUE, priority) \
    SAVED(T, VALUE, global) \
    SAVED(T, VALUE, veiled) \
    DERIVED(T, VALUE, ready) \
    SAVED(T, VALUE, ready_given) \
    DERIVED(T, VALUE, remote) \
    DERIVED(T, VALUE, spreads) \
    DERIVED(T, VALUE, banded) \
    LEFT(T, VALUE, reserved) \
    SAVED(T, VALUE, instance) \
    DERIVED(T, VALUE, crowd_step)
FIELDS_OF(phx_attr)

#define FIELDS_phx_relation(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, target) \
    SAVED(T, VALUE, view) \
    SAVED(T, VALUE, margin) \
    LEFT(T, VALUE, slot) \
    SAVED(T, VALUE, bits) \
    DERIVED(T, VALUE, back) \
    SAVED(T, VALUE, listed) \
    LEFT(T, VALUE, lists)
FIELDS_OF(phx_relation)

#define FIELDS_phx_list(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, block) \
    SAVED(T, VALUE, derived) \
    LEFT(T, VALUE, owed) \
    SAVED(T, VALUE, count) \
    SAVED(T, VALUE, size_class)
FIELDS_OF(phx_list)

#define FIELDS_phx_zones(T, SAVED, DERIVED, LEFT) \
    DERIVED(T, VALUE, on) \
    DERIVED(T, VALUE, activation_on) \
    DERIVED(T, VALUE, area_members_on) \
    LEFT(T, VALUE, put_off) \
    LEFT(T, VALUE, missed) \
    LEFT(T, VALUE, dirty) \
    LEFT(T, VALUE, dirty_count) \
    LEFT(T, VALUE, dirty_capacity) \
    DERIVED(T, VALUE, tower_members) \
    SAVED(T, VALUE, activation) \
    SAVED(T, VALUE, area_members) \
    DERIVED(T, VALUE, areas) \
    LEFT(T, VALUE, edges)
FIELDS_OF(phx_zones)

#define FIELDS_phx_activation(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, sleepers) \
    LEFT(T, VALUE, capacity) \
    DERIVED(T, VALUE, slots) \
    DERIVED(T, VALUE, wakers) \
    DERIVED(T, VALUE, cover) \
    LEFT(T, VALUE, turned) \
    LEFT(T, VALUE, turned_count) \
    LEFT(T, VALUE, turned_capacity) \
    DERIVED(T, VALUE, first) \
    DERIVED(T, VALUE, last) \
    DERIVED(T, VALUE, span) \
    DERIVED(T, VALUE, awake_count) \
    LEFT(T, VALUE, woken) \
    LEFT(T, VALUE, slept)
FIELDS_OF(phx_activation)

#define FIELDS_phx_activation_state(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, alone_since) \
    DERIVED(T, VALUE, next) \
    DERIVED(T, VALUE, before) \
    DERIVED(T, VALUE, instance) \
    DERIVED(T, VALUE, tx) \
    DERIVED(T, VALUE, ty) \
    DERIVED(T, VALUE, waker) \
    DERIVED(T, VALUE, npc) \
    SAVED(T, VALUE, awake) \
    DERIVED(T, VALUE, queued)
FIELDS_OF(phx_activation_state)

#define FIELDS_phx_areas(T, SAVED, DERIVED, LEFT) \
    LEFT(T, VALUE, mem) \
    DERIVED(T, VALUE, rules) \
    SAVED(T, VALUE, at) \
    DERIVED(T, VALUE, count) \
    LEFT(T, VALUE, capacity) \
    LEFT(T, VALUE, free_first) \
    DERIVED(T, VALUE, live_count) \
    DERIVED(T, ARRAY, levels_used) \
    DERIVED(T, ARRAY, level_counts) \
    SAVED(T, VALUE, follows) \
    DERIVED(T, VALUE, index) \
    DERIVED(T, VALUE, cells) \
    LEFT(T, VALUE, changes) \
    LEFT(T, VALUE, change_count) \
    LEFT(T, VALUE, changes_capacity)
FIELDS_OF(phx_areas)

#define FIELDS_phx_area_follow(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, anchor) \
    DERIVED(T, VALUE, area) \
    DERIVED(T, VALUE, next) \
    DERIVED(T, VALUE, before) \
    DERIVED(T, VALUE, at) \
    SAVED(T, VALUE, shape)
FIELDS_OF(phx_area_follow)

#define FIELDS_phx_area_follows(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, at) \
    DERIVED(T, VALUE, used) \
    LEFT(T, VALUE, capacity) \
    DERIVED(T, VALUE, count) \
    DERIVED(T, VALUE, free_first) \
    DERIVED(T, VALUE, anchors)
FIELDS_OF(phx_area_follows)

#define FIELDS_phx_area_entry(T, SAVED, DERIVED, LEFT) \
    DERIVED(T, ARRAY, links) \
    SAVED(T, VALUE, box) \
    SAVED(T, ARRAY, center) \
    SAVED(T, VALUE, radius) \
    SAVED(T, VALUE, shape) \
    DERIVED(T, VALUE, filtered) \
    SAVED(T, VALUE, keeps) \
    SAVED(T, VALUE, in_instance) \
    DERIVED(T, VALUE, live) \
    LEFT(T, VALUE, changed) \
    SAVED(T, VALUE, corner_count) \
    SAVED(T, VALUE, kind_count) \
    DERIVED(T, VALUE, level) \
    SAVED(T, ARRAY, kinds) \
    SAVED(T, VALUE, id) \
    SAVED(T, VALUE, layers) \
    SAVED(T, VALUE, z_low) \
    SAVED(T, VALUE, z_high) \
    SAVED(T, VALUE, instance) \
    SAVED(T, ARRAY, corners) \
    DERIVED(T, VALUE, follow)
FIELDS_OF(phx_area_entry)

#define FIELDS_phx_area_member(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, inside) \
    DERIVED(T, VALUE, x) \
    DERIVED(T, VALUE, y) \
    DERIVED(T, VALUE, z) \
    DERIVED(T, VALUE, safe_distance) \
    DERIVED(T, VALUE, safe_distance_z) \
    LEFT(T, VALUE, checked)
FIELDS_OF(phx_area_member)

#define FIELDS_phx_bands(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, histories) \
    LEFT(T, VALUE, items) \
    LEFT(T, VALUE, samples) \
    LEFT(T, VALUE, entered) \
    LEFT(T, VALUE, rows) \
    LEFT(T, VALUE, queries) \
    SAVED(T, VALUE, deferred) \
    SAVED(T, VALUE, pool) \
    LEFT(T, VALUE, unresolved) \
    LEFT(T, VALUE, histories_capacity) \
    LEFT(T, VALUE, items_capacity) \
    LEFT(T, VALUE, samples_capacity) \
    LEFT(T, VALUE, entered_capacity) \
    LEFT(T, VALUE, queries_capacity) \
    LEFT(T, VALUE, deferred_capacity) \
    LEFT(T, VALUE, unresolved_capacity) \
    LEFT(T, VALUE, unresolved_count) \
    DERIVED(T, VALUE, waiting) \
    DERIVED(T, VALUE, last_move) \
    LEFT(T, VALUE, sampled) \
    SAVED(T, VALUE, live)
FIELDS_OF(phx_bands)

#define FIELDS_phx_motion_history(T, SAVED, DERIVED, LEFT) \
    DERIVED(T, VALUE, x) \
    DERIVED(T, VALUE, y) \
    DERIVED(T, VALUE, z) \
    DERIVED(T, VALUE, hash) \
    SAVED(T, VALUE, moved) \
    DERIVED(T, VALUE, kind) \
    DERIVED(T, VALUE, known)
FIELDS_OF(phx_motion_history)

#define FIELDS_phx_crowd_result(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, shrunk) \
    LEFT(T, VALUE, counts) \
    LEFT(T, VALUE, shards) \
    DERIVED(T, ARRAY, share) \
    DERIVED(T, ARRAY, square) \
    LEFT(T, VALUE, shard_at) \
    LEFT(T, VALUE, change_at) \
    LEFT(T, VALUE, incarnations) \
    LEFT(T, VALUE, put_off) \
    LEFT(T, VALUE, most) \
    LEFT(T, VALUE, narrowed) \
    LEFT(T, VALUE, widened)
FIELDS_OF(phx_crowd_result)

#define FIELDS_phx_attach(T, SAVED, DERIVED, LEFT) \
    SAVED(T, VALUE, parent_of) \
    DERIVED(T, VALUE, family_of) \
    SAVED(T, VALUE, families) \
    DERIVED(T, VALUE, family_count) \
    LEFT(T, VALUE, families_capacity) \
    LEFT(T, VALUE, free_first) \
    LEFT(T, VALUE, mem)
FIELDS_OF(phx_attach)

#define FIELDS_phx_consumer_slot(T, SAVED, DERIVED, LEFT) \
    LEFT(T, VALUE, state) \
    LEFT(T, VALUE, generation) \
    SAVED(T, VALUE, consumer) \
    SAVED(T, VALUE, renews)
FIELDS_OF(phx_consumer_slot)

#define FIELDS_phx_producer(T, SAVED, DERIVED, LEFT) \
    LEFT(T, VALUE, state) \
    LEFT(T, VALUE, generation) \
    LEFT(T, VALUE, queue) \
    LEFT(T, VALUE, tick_refusals) \
    LEFT(T, VALUE, in_tick) \
    LEFT(T, VALUE, sequence) \
    LEFT(T, VALUE, own) \
    LEFT(T, VALUE, own_first) \
    LEFT(T, VALUE, own_count) \
    LEFT(T, VALUE, own_capacity) \
    LEFT(T, VALUE, head) \
    LEFT(T, VALUE, has_head) \
    LEFT(T, ARRAY, refused) \
    LEFT(T, VALUE, untold)
FIELDS_OF(phx_producer)
/* clang-format on */

int main(void)
{
    uint32_t fields = 0, saved = 0;
    fields += COUNT_phx_world, saved += SAVED_phx_world;
    fields += COUNT_phx_shard, saved += SAVED_phx_shard;
    fields += COUNT_phx_store, saved += SAVED_phx_store;
    fields += COUNT_phx_name, saved += SAVED_phx_name;
    fields += COUNT_phx_body, saved += SAVED_phx_body;
    fields += COUNT_phx_attr, saved += SAVED_phx_attr;
    fields += COUNT_phx_relation, saved += SAVED_phx_relation;
    fields += COUNT_phx_list, saved += SAVED_phx_list;
    fields += COUNT_phx_zones, saved += SAVED_phx_zones;
    fields += COUNT_phx_activation, saved += SAVED_phx_activation;
    fields += COUNT_phx_activation_state, saved += SAVED_phx_activation_state;
    fields += COUNT_phx_areas, saved += SAVED_phx_areas;
    fields += COUNT_phx_area_follow, saved += SAVED_phx_area_follow;
    fields += COUNT_phx_area_follows, saved += SAVED_phx_area_follows;
    fields += COUNT_phx_area_entry, saved += SAVED_phx_area_entry;
    fields += COUNT_phx_area_member, saved += SAVED_phx_area_member;
    fields += COUNT_phx_bands, saved += SAVED_phx_bands;
    fields += COUNT_phx_motion_history, saved += SAVED_phx_motion_history;
    fields += COUNT_phx_crowd_result, saved += SAVED_phx_crowd_result;
    fields += COUNT_phx_attach, saved += SAVED_phx_attach;
    fields += COUNT_phx_consumer_slot, saved += SAVED_phx_consumer_slot;
    fields += COUNT_phx_producer, saved += SAVED_phx_producer;
    CHECK(saved > 0 && saved < fields, "%u of %u", saved, fields);
    (void)printf("%u fields, %u saved\n", fields, saved);
    return check_done("save_fields");
}
