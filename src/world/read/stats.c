/*
 * Counts over a world and its shards, between ticks; see query.h and stats.h.
 */
#include "world/read/stats.h"

#include <string.h>

#include "shards/interest/scratch.h"
#include "shards/state/storage.h"
#include "world/state/broadcast_types.h"
#include "world/state/piece_clock.h"
#include "world/state/update_types.h"
#include "world/table/instance_counts.h"

/* ---- while a tick runs ---- */

/* Counters of ticks, over all workers, shards and consumers. */
static phx_tick_baseline baseline_of(const phx_world *world)
{
    phx_tick_baseline baseline = {.applied = world->totals.applied, .refused_in_tick = world->totals.refused_in_tick};
    memcpy(baseline.refused, world->totals.refused, sizeof baseline.refused);
    for (uint32_t i = 0; i < world->worker_count; i++) {
        const phx_interest_counts *counts = &world->scratch[i].counts;
        baseline.enters += counts->enters;
        baseline.leaves += counts->leaves;
        baseline.pairs_tested += counts->pairs_tested;
    }
    for (uint32_t i = 0; i < world->shard_count; i++) {
        baseline.migrations += world->shards[i].counts.migrations;
        baseline.halo_records += world->shards[i].counts.copies;
    }
    for (uint32_t i = 0; i < world->def.consumers; i++) {
        const phx_consumer_sums sums = phx_consumer_sum(world->consumers[i].consumer);
        baseline.deliveries += sums.deliveries;
        baseline.updates += sums.updates;
        baseline.batch_bytes += sums.bytes;
    }
    return baseline;
}

void phx_stats_begin(phx_world *world)
{
    world->baseline = baseline_of(world);
    world->phase_ns = (phx_phase_ns){0};
    for (uint32_t i = 0; i < world->shard_count; i++) world->shard_progress[i].ns = (phx_phase_ns){0};
}

void phx_stats_share(phx_world *world)
{
    static const phx_interest_counts none;
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        phx_interest_counts_add(&world->shard_totals[chunk->shard].counts, &chunk->counts, &none);
    }
}

static uint64_t all_phases(const phx_phase_ns *ns)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < PHX_PHASES; p++) sum += ns->of[p];
    return sum;
}

static void add_phases(phx_phase_ns *sum, const phx_phase_ns *ns)
{
    for (uint32_t p = 0; p < PHX_PHASES; p++) sum->of[p] += ns->of[p];
}

/* The only shard, in a tick of one thread, has the times of the phases; it has no exchange. */
static void copy_times(phx_world *world)
{
    for (uint32_t p = PHX_PHASE_INDEX; p < PHX_PHASES; p++) world->shard_progress[0].ns.of[p] = world->phase_ns.of[p];
}

/* Adds the times of chunks and pieces to their shards. */
static void share_times(phx_world *world)
{
    const phx_broadcasts *broadcasts = &world->broadcasts;
    const phx_updates *updates = &world->updates;
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        world->shard_progress[chunk->shard].ns.of[PHX_PHASE_INTEREST] += chunk->interest_ns;
        world->shard_progress[chunk->shard].ns.of[PHX_PHASE_PUBLISH] += chunk->publish_ns;
    }
    for (uint32_t i = 0; broadcasts->message_count > 0 && i < broadcasts->piece_count; i++)
        world->shard_progress[broadcasts->pieces[i].shard].ns.of[PHX_PHASE_PUBLISH] += broadcasts->pieces[i].ns;
    for (uint32_t i = 0; world->updating && i < updates->piece_count; i++)
        world->shard_progress[updates->pieces[i].shard].ns.of[PHX_PHASE_PUBLISH] += updates->pieces[i].ns;
}

void phx_stats_end(phx_world *world)
{
    uint64_t tick_ns = all_phases(&world->phase_ns);
    if (phx_phases_whole(world)) copy_times(world);
    else share_times(world);
    for (uint32_t i = 0; i < world->shard_count; i++)
        add_phases(&world->shard_totals[i].ns, &world->shard_progress[i].ns);
    add_phases(&world->phase_ns_sum, &world->phase_ns);
    if (tick_ns > world->tick_ns_max) world->tick_ns_max = tick_ns;
}

/* ---- between ticks ---- */

static void add_producers(const phx_world *world, ph_stats *stats)
{
    for (uint32_t i = 0; i < world->def.producers_max; i++) {
        phx_producer *producer = &world->producers[i];
        phx_command_queue *queue = atomic_load_explicit(&producer->queue, memory_order_acquire);
        for (uint32_t s = 0; s < PH_STATUS_COUNT; s++)
            stats->refused[s] += atomic_load_explicit(&producer->refused[s], memory_order_relaxed);
        stats->refusals_untold += atomic_load_explicit(&producer->untold, memory_order_relaxed);
        if (!queue) continue;
        phx_command_queue_counts counts = phx_command_queue_count(queue);
        stats->commands += counts.accepted;
        stats->queued += counts.accepted - counts.released;
    }
}

static void add_consumers(const phx_world *world, ph_stats *stats)
{
    for (uint32_t i = 0; i < world->def.consumers; i++) {
        phx_consumer_counts counts = phx_consumer_count(world->consumers[i].consumer);
        stats->batches += counts.batches;
        stats->batch_bytes += counts.bytes;
        stats->batches_out += counts.out;
        if (counts.out_max > stats->batches_out_max) stats->batches_out_max = counts.out_max;
        stats->coalesced_ticks += counts.coalesced_ticks;
        stats->net_events += counts.pending;
        stats->deliveries += counts.deliveries;
        stats->deliveries_dropped += counts.deliveries_dropped;
        stats->deliveries_void += counts.deliveries_void;
        stats->mail_waiting += counts.deliveries_pending;
        stats->updates_waiting += counts.updates_pending;
        stats->edges_waiting += counts.edges_pending;
        stats->consumers_pending += counts.is_pending;
        stats->updates += counts.updates;
        stats->updates_replaced += counts.updates_replaced;
    }
}

static void add_shards(const phx_world *world, ph_stats *stats)
{
    for (uint32_t i = 0; i < world->shard_count; i++) stats->edges_waiting += world->shards[i].zones.edges.held;
    stats->areas = world->areas.live_count;
    stats->tower_size = (double)world->rules.tower_size;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        stats->ghosts += shard->store.ghost_count;
        stats->outside += shard->store.outside_count;
        stats->remote += shard->store.remote_count;
        stats->migrations += shard->counts.migrations;
        stats->halo_records += shard->counts.copies;
        stats->deferred_adds += shard->counts.deferred_adds;
        if (stats->deferred_adds_max < shard->counts.deferred_max)
            stats->deferred_adds_max = shard->counts.deferred_max;
        stats->observers += shard->ready_count;
        stats->observers_reset += shard->counts.resets;
        stats->list_entries += shard->counts.entries;
        stats->awake += shard->zones.activation.awake_count;
        stats->woken += shard->zones.activation.woken;
        stats->slept += shard->zones.activation.slept;
        stats->area_enters += shard->zones.area_members.entered;
        stats->area_leaves += shard->zones.area_members.left;
        phx_index_counts index = shard->counts.index;
        shard->storage->add_counts(shard, &index);
        stats->index_moves += index.moves;
        stats->index_steps += index.steps;
    }
}

static void add_workers(const phx_world *world, ph_stats *stats)
{
    for (uint32_t i = 0; i < world->worker_count; i++) {
        const phx_interest_counts *counts = &world->scratch[i].counts;
        stats->updates_held += world->updates.workers[i].held;
        stats->adds_held += counts->held;
        stats->observers_glanced += counts->by_delta;
        stats->observers_evaluated += counts->evaluated;
        stats->towers_visited += counts->ranges_visited;
        stats->pairs_tested += counts->pairs_tested;
        stats->pairs_exact += counts->pairs_exact;
        stats->enters += counts->enters;
        stats->leaves += counts->leaves;
        stats->list_entries += counts->enters - counts->leaves - counts->dropped;
    }
}

static void set_times(const phx_world *world, ph_stats *stats)
{
    const phx_phase_ns *ns = &world->phase_ns, *sum = &world->phase_ns_sum;
    stats->tick_ns = all_phases(ns);
    stats->ingest_ns = ns->of[PHX_PHASE_INGEST];
    stats->exchange_ns = ns->of[PHX_PHASE_EXCHANGE];
    stats->index_ns = ns->of[PHX_PHASE_INDEX];
    stats->interest_ns = ns->of[PHX_PHASE_INTEREST];
    stats->publish_ns = ns->of[PHX_PHASE_PUBLISH];
    stats->tick_ns_max = world->tick_ns_max;
    stats->tick_ns_sum = all_phases(sum);
    stats->ingest_ns_sum = sum->of[PHX_PHASE_INGEST];
    stats->exchange_ns_sum = sum->of[PHX_PHASE_EXCHANGE];
    stats->index_ns_sum = sum->of[PHX_PHASE_INDEX];
    stats->interest_ns_sum = sum->of[PHX_PHASE_INTEREST];
    stats->publish_ns_sum = sum->of[PHX_PHASE_PUBLISH];
}

static void set_last(const phx_world *world, ph_stats *stats)
{
    const phx_tick_baseline now = baseline_of(world), *before = &world->baseline;
    stats->last_applied = now.applied - before->applied;
    stats->last_refused = now.refused_in_tick - before->refused_in_tick;
    for (uint32_t s = 0; s < PH_STATUS_COUNT; s++) stats->last_refused_by[s] = now.refused[s] - before->refused[s];
    stats->last_enters = now.enters - before->enters;
    stats->last_leaves = now.leaves - before->leaves;
    stats->last_deliveries = now.deliveries - before->deliveries;
    stats->last_migrations = now.migrations - before->migrations;
    stats->last_halo_records = now.halo_records - before->halo_records;
    stats->last_pairs_tested = now.pairs_tested - before->pairs_tested;
    stats->last_updates = now.updates - before->updates;
    stats->last_payload_bytes = world->broadcasts.payload_bytes;
    stats->last_batch_bytes = now.batch_bytes - before->batch_bytes;
}

void phx_query_stats(const phx_world *world, ph_stats *stats)
{
    const phx_world_totals *totals = &world->totals;
    *stats = (ph_stats){.ticks = phx_world_ended_tick(world),
                        .entities = phx_directory_count(&world->directory),
                        .instances = phx_instances_live(&world->instances, phx_directory_count(&world->directory)),
                        .attached = phx_idmap_count(&world->attach.parent_of),
                        .applied = totals->applied,
                        .refused_in_tick = totals->refused_in_tick,
                        .refusals_untold = totals->untold,
                        .exchange_rounds = totals->rounds,
                        .broadcasts = totals->broadcasts,
                        .payload_bytes = totals->payload_bytes,
                        .queued_max = totals->queued_max,
                        .ticks_spread = totals->ticks_spread,
                        .ticks_short = totals->ticks_short,
                        .applies = totals->applies,
                        .monitors = atomic_load_explicit(&world->monitors_open, memory_order_relaxed),
                        .monitor_ns = world->monitor_ns,
                        .monitor_ns_sum = world->monitor_ns_sum,
                        .crowd_observers = phx_idmap_count(&world->crowd.shrunk),
                        .crowd_narrowed = world->crowd.narrowed,
                        .crowd_widened = world->crowd.widened,
                        .crowd_most = world->def.crowd_entities > 0 ? world->crowd.most : 0,
                        .bytes = atomic_load_explicit(&world->mem.bytes, memory_order_relaxed)};
    for (uint32_t s = 0; s < PH_STATUS_COUNT; s++) stats->refused[s] = totals->refused[s];
    add_producers(world, stats);
    add_consumers(world, stats);
    add_shards(world, stats);
    add_workers(world, stats);
    set_times(world, stats);
    set_last(world, stats);
}

void phx_query_shard_stats(const phx_world *world, uint32_t index, ph_shard_stats *stats)
{
    const phx_shard *shard = &world->shards[index];
    const phx_interest_counts *counts = &world->shard_totals[index].counts;
    const phx_phase_ns *ns = &world->shard_progress[index].ns, *sum = &world->shard_totals[index].ns;
    uint32_t blocks = shard->outbox.used > shard->outbox.most ? shard->outbox.used : shard->outbox.most;
    *stats = (ph_shard_stats){.entities = shard->store.own_count,
                              .observers = shard->ready_count,
                              .ghosts = shard->store.ghost_count,
                              .list_entries = shard->counts.entries + counts->enters - counts->leaves - counts->dropped,
                              .bytes = atomic_load_explicit(&shard->mem->bytes, memory_order_relaxed),
                              .touched = shard->dirty_count,
                              .enters = counts->enters,
                              .leaves = counts->leaves,
                              .observers_glanced = counts->by_delta,
                              .observers_evaluated = counts->evaluated,
                              .towers_visited = counts->ranges_visited,
                              .pairs_tested = counts->pairs_tested,
                              .pairs_exact = counts->pairs_exact,
                              .updates = shard->counts.updates,
                              .migrations = shard->counts.migrations,
                              .halo_records = shard->counts.copies,
                              .deferred_adds = shard->counts.deferred_adds,
                              .deferred_adds_max = shard->counts.deferred_max,
                              .outbox_bytes_max = (uint64_t)blocks * sizeof(phx_record_block),
                              .ingest_ns = ns->of[PHX_PHASE_INGEST],
                              .exchange_ns = ns->of[PHX_PHASE_EXCHANGE],
                              .index_ns = ns->of[PHX_PHASE_INDEX],
                              .interest_ns = ns->of[PHX_PHASE_INTEREST],
                              .publish_ns = ns->of[PHX_PHASE_PUBLISH],
                              .ingest_ns_sum = sum->of[PHX_PHASE_INGEST],
                              .exchange_ns_sum = sum->of[PHX_PHASE_EXCHANGE],
                              .index_ns_sum = sum->of[PHX_PHASE_INDEX],
                              .interest_ns_sum = sum->of[PHX_PHASE_INTEREST],
                              .publish_ns_sum = sum->of[PHX_PHASE_PUBLISH]};
    memcpy(stats->refused, world->shard_totals[index].refused, sizeof world->shard_totals[index].refused);
}
