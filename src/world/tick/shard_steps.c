/*
 * Steps over shards and chunks; see shard_steps.h. A piece writes only its shard (or its observers) and its worker's
 * memory, so pieces of one step never meet.
 */
#include "world/tick/shard_steps.h"

#include "shards/exchange/halo.h"
#include "shards/exchange/migrate_out.h"
#include "shards/exchange/receive.h"
#include "shards/interest/change_record.h"
#include "shards/interest/run.h"
#include "shards/storage/bare_storage.h"
#include "shards/tick/begin_end.h"
#include "shards/tick/blind_tick.h"
#include "shards/tick/reindex.h"
#include "shards/tick/row_positions.h"
#include "shards/tick/set_aside.h"
#include "shards/tick/zones_stage.h"
#include "world/monitor/costs.h"
#include "world/monitor/monitor.h"
#include "world/publish/change_counts.h"
#include "world/publish/event_bound.h"
#include "world/state/piece_clock.h"
#include "world/state/shard_parts.h"

/* ---- shards ---- */

typedef struct shard_run {
    phx_world *world;
    phx_shard_step step;
} shard_run;

static void shard_body(void *context, uint32_t worker, uint32_t piece)
{
    const shard_run *run = context;
    phx_world *world = run->world;
    uint32_t shard = world->shard_order[piece];
    phx_shard_progress *progress = &world->shard_progress[shard];
    (void)worker;
    if (progress->step_done == world->step) return;
    uint64_t from = phx_piece_now_ns(world);
    bool done = run->step(world, shard);
    progress->ns.of[phx_phase_of(world->stage)] += phx_piece_now_ns(world) - from;
    if (done) progress->step_done = world->step;
    else atomic_store_explicit(&world->step_failed, 1, memory_order_relaxed);
}

bool phx_run_shards(phx_world *world, phx_shard_step step, bool fresh)
{
    shard_run run = {world, step};
    if (fresh) world->step++;
    atomic_store_explicit(&world->step_failed, 0, memory_order_relaxed);
    phx_parallel_for(world->workers, world->shard_count, shard_body, &run);
    return atomic_load_explicit(&world->step_failed, memory_order_relaxed) == 0;
}

/* ---- exchange ---- */

/* Has a shard to fill its outbox in this round? The records of the last round were read. */
static bool fill_due(phx_world *world, uint32_t index, bool nothing_to_send)
{
    phx_outbox_reset(&world->shards[index].outbox);
    if (nothing_to_send) world->shard_progress[index].all_sent = true;
    return !world->shard_progress[index].all_sent;
}

/* Allocates the outbox once there is something to send. false = no memory. */
static bool outbox_ready(phx_world *world, uint32_t index)
{
    return phx_outbox_ready(&world->shards[index].outbox, world->def.exchange_bytes);
}

bool phx_step_send_migrants(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    const phx_partition *partition = &world->partition;
    if (!fill_due(world, index, shard->emigrant_candidates.count == 0)) return true;
    return outbox_ready(world, index) &&
           phx_shard_send_migrants(shard, partition->column_of, partition->row_of, partition->columns,
                                   &world->shard_progress[index].all_sent);
}

bool phx_step_send_pins(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    if (!fill_due(world, index, shard->relations.set_count == 0)) return true;
    if (!outbox_ready(world, index)) return false;
    phx_shard_send_pins(shard, &world->directory, &world->shard_progress[index].all_sent);
    return true;
}

bool phx_step_send_copies(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    if (!fill_due(world, index, !phx_shard_copies_due(shard))) return true;
    return outbox_ready(world, index) && phx_shard_send_copies(shard, world->halo_requests, world->shard_count,
                                                               &world->shard_progress[index].all_sent);
}

/* Writes the homes of immigrants into the directory: existing entries, each written by one shard. */
static void report_immigrants(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    for (uint32_t i = 0; i < shard->immigrants.count; i++) {
        uint32_t slot = shard->immigrants.at[i];
        uint64_t id = shard->store.name[slot].id;
        uint64_t attached = phx_directory_find(&world->directory, id) & PHX_HOME_ATTACHED;
        phx_directory_set(&world->directory, id, phx_home(index, slot) | attached);
    }
}

/* A shard that lacks copies takes no more of them. */
static bool stop_receiving(phx_world *world, uint32_t index)
{
    world->shard_progress[index].source = 0;
    world->shard_progress[index].held = NULL;
    world->shards[index].received = 0;
    return true;
}

bool phx_step_receive(phx_world *world, uint32_t index)
{
    phx_shard_progress *progress = &world->shard_progress[index];
    if (world->shards[index].lacks_copies) return stop_receiving(world, index);
    for (; progress->source < world->shard_count; progress->source++) {
        uint32_t source = world->shard_order[progress->source];
        const phx_outbox *from = &world->shards[source].outbox;
        if (!progress->held) progress->held = phx_outbox_first(from, index);
        for (; progress->held; progress->held = phx_outbox_after(from, progress->held))
            if (!phx_shard_receive(&world->shards[index], progress->held, from->lists)) return false;
    }
    progress->source = 0;
    return true;
}

bool phx_step_arrive(phx_world *world, uint32_t index)
{
    const phx_partition *partition = &world->partition;
    phx_shard *shard = &world->shards[index];
    phx_shard_let_go(shard, partition->column_of, partition->row_of, partition->columns);
    report_immigrants(world, index);
    phx_shard_immigrants_reported(shard);
    world->halo_requests[index] = phx_shard_measure(shard);
    return true;
}

void phx_abandon_exchange(phx_world *world)
{
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        (void)stop_receiving(world, i);
        world->shard_progress[i].all_sent = false;
        phx_shard_return_immigrants(shard);
        phx_shard_stop_sending(shard);
        shard->blind = shard->lacks_copies = true;
    }
}

/* ---- index, commit, end ---- */

bool phx_step_index(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    if (!shard->blind) return phx_shard_index(shard, &world->directory, &world->renames);
    phx_shard_index_blind(shard, &phx_storage_bare);
    return true;
}

bool phx_step_zones(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    if (!shard->lacks_copies) return phx_shard_zones(shard);
    phx_zones_put_off(&shard->zones);
    return true;
}

/* ---- rows ---- */

static void copy_rows_unit(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    uint32_t parts = phx_shard_parts(world);
    phx_shard *shard = &world->shards[world->shard_order[piece / parts]];
    (void)worker;
    if (shard->grid.positions_stale) phx_rows_copy_positions(shard, piece % parts, parts);
}

void phx_copy_row_positions(phx_world *world)
{
    bool any = false;
    for (uint32_t i = 0; i < world->shard_count; i++) any |= world->shards[i].grid.positions_stale;
    if (!any) return;
    phx_parallel_for(world->workers, world->shard_count * phx_shard_parts(world), copy_rows_unit, world);
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        if (!shard->grid.positions_stale) continue;
        phx_rows_copied(shard);
        PHX_VALIDATE(phx_grid_valid(&shard->grid, &shard->store));
    }
}

/* ---- commit ---- */

/* The next chunk: behind the planned ones of the shard come rests of any shard. */
static uint32_t next_chunk(const phx_world *world, const phx_shard_progress *progress)
{
    return progress->chunk + 1 == progress->chunk_end ? world->chunks_planned : progress->chunk + 1;
}

bool phx_step_commit(phx_world *world, uint32_t index)
{
    phx_shard_progress *progress = &world->shard_progress[index];
    for (; progress->chunk < world->chunk_count; progress->chunk = next_chunk(world, progress), progress->change = 0) {
        const phx_chunk *chunk = &world->chunks[progress->chunk];
        if (chunk->shard != index || chunk->commit_count == 0) continue;
        const phx_scratch *scratch = &world->scratch[chunk->worker];
        for (; progress->change < chunk->change_count; progress->change++) {
            const phx_change *change = &scratch->changes[chunk->change_first + progress->change];
            if (change->commits && !phx_interest_commit(&world->shards[index], scratch, change)) return false;
        }
    }
    return true;
}

bool phx_step_end(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    const phx_interest_counts *counts = &world->shard_totals[index].counts;
    const bool recounts = shard->owes_lists;
    phx_shard_end(shard);
    if (recounts)
        shard->counts.entries = phx_shard_count_entries(shard) - (counts->enters - counts->leaves - counts->dropped);
    return true;
}

/* ---- interest ---- */

/*
 * Few enough rows that a worker's last chunk is short, enough that taking a chunk costs little. A shard with few rows
 * has half as many in each: its observers mostly have many targets, and there are not many chunks to even out.
 */
enum { CHUNK_ROWS = 256, FEW_ROWS = 8192 };

/* Plans the chunks of one shard. false = no memory. */
static bool plan_chunks(phx_world *world, uint32_t shard)
{
    const uint32_t rows = phx_interest_rows(&world->shards[shard]);
    const uint32_t wanted = rows < FEW_ROWS ? CHUNK_ROWS / 2 : CHUNK_ROWS;
    for (uint32_t first = 0, count; first < rows; first += count) {
        count = phx_interest_piece(&world->shards[shard], first, wanted);
        if (!phx_add_chunk(world, (phx_chunk){.shard = shard, .first = first, .count = count})) return false;
    }
    return true;
}

bool phx_plan_chunks(phx_world *world)
{
    world->chunk_count = 0;
    phx_spread_begin(world);
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard_progress *progress = &world->shard_progress[world->shard_order[i]];
        progress->chunk = world->chunk_count;
        if (!plan_chunks(world, world->shard_order[i])) return false;
        progress->chunk_end = world->chunk_count;
    }
    world->chunks_planned = world->chunk_count;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (world->shard_progress[i].chunk == world->shard_progress[i].chunk_end)
            world->shard_progress[i].chunk = world->chunks_planned;
    return phx_publish_room(world);
}

static void interest_body(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    phx_scratch *scratch = &world->scratch[worker];
    phx_chunk *chunk = &world->chunks[piece];
    if (chunk->done == chunk->count || chunk->done > 0) return;
    uint64_t from = phx_piece_now_ns(world);
    chunk->worker = worker;
    chunk->change_first = scratch->change_count;
    chunk->target_first = scratch->target_count;
    chunk->overflow_first = scratch->overflow_count;
    uint32_t commits = scratch->commit_count;
    phx_interest_counts counts = scratch->counts;
    chunk->done =
        phx_interest_run(scratch, &world->directory, &world->shards[chunk->shard], chunk->first, chunk->count);
    chunk->change_count = scratch->change_count - chunk->change_first;
    chunk->commit_count = scratch->commit_count - commits;
    phx_interest_counts_add(&chunk->counts, &scratch->counts, &counts);
    if (PHX_UNLIKELY(world->notes_costs)) phx_costs_note(world, chunk);
    phx_spread_chunk(world, piece);
    phx_publish_count(world, piece);
    chunk->interest_ns += phx_piece_now_ns(world) - from;
    if (chunk->done < chunk->count) atomic_store_explicit(&world->step_failed, 1, memory_order_relaxed);
}

bool phx_split_undone(phx_world *world)
{
    uint32_t count = world->chunk_count;
    for (uint32_t i = 0; i < count; i++) {
        phx_chunk *chunk = &world->chunks[i];
        if (chunk->done == 0 || chunk->done == chunk->count) continue;
        phx_chunk rest = {
            .shard = chunk->shard, .first = chunk->first + chunk->done, .count = chunk->count - chunk->done};
        if (!phx_add_chunk(world, rest)) return false;
        world->chunks[i].count = world->chunks[i].done;
    }
    return phx_publish_room(world);
}

bool phx_run_interest(phx_world *world)
{
    if (!phx_split_undone(world)) return false;
    atomic_store_explicit(&world->step_failed, 0, memory_order_relaxed);
    phx_parallel_for(world->workers, world->chunk_count, interest_body, world);
    return atomic_load_explicit(&world->step_failed, memory_order_relaxed) == 0;
}
