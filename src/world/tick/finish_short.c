/*
 * Finishes a tick without the memory that it lacks; see finish_short.h.
 */
#include "world/tick/finish_short.h"

#include "shards/interest/run.h"
#include "shards/state/beginners.h"
#include "shards/tick/set_aside.h"
#include "world/ingest/crowd_control.h"
#include "world/ingest/import_arrival.h"
#include "world/ingest/refuse.h"
#include "world/publish/change_counts.h"
#include "world/publish/edges.h"
#include "world/publish/fill_broadcasts.h"
#include "world/publish/find_updates.h"
#include "world/publish/publish.h"
#include "world/publish/set_aside.h"
#include "world/publish/updates.h"
#include "world/queue/commands.h"
#include "world/read/stats.h"
#include "world/state/broadcast_types.h"
#include "world/state/move_types.h"
#include "world/state/update_types.h"
#include "world/tick/shard_steps.h"

/* Gives back memory of scratches that holds no result. */
static void relieve_scratches(phx_world *world)
{
    for (uint32_t w = 0; w < world->worker_count; w++) phx_scratch_relieve(&world->scratch[w]);
}

void phx_finish_release_spare(phx_world *world)
{
    for (uint32_t c = 0; c < world->def.consumers; c++) phx_consumer_relieve(world->consumers[c].consumer);
    if (world->stage > PHX_STAGE_PLAN) return; /* the scratches have results */
    for (uint32_t w = 0; w < world->worker_count; w++) {
        phx_scratch_free(&world->scratch[w]);
        world->scratch[w] = (phx_scratch){.mem = world->scratch[w].mem, .counts = world->scratch[w].counts};
    }
}

/* ---- observers that are set aside ---- */

/* Sets aside the observer of a change that is not committed. */
static void drop_change(phx_world *world, const phx_chunk *chunk, phx_change *change)
{
    phx_shard *shard = &world->shards[chunk->shard];
    phx_shard_set_aside(shard, change->slot);
    phx_clear_change(change);
}

/* The shard of an undone observer. */
typedef struct undone {
    phx_world *world;
    phx_shard *shard;
} undone;

/* Clears the change of an observer that may have been covered. */
static void drop_change_of(phx_world *world, const phx_shard *shard, uint32_t slot)
{
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        phx_change *changes = phx_chunk_changes(world, chunk);
        for (uint32_t c = 0; chunk->shard == shard->number && c < chunk->change_count; c++)
            if (changes[c].slot == slot) drop_change(world, chunk, &changes[c]);
    }
}

static void drop_undone(void *user, uint32_t slot, bool block)
{
    const undone *at = user;
    if (!phx_observer_holds_list(at->shard, slot)) return;
    if (block) drop_change_of(at->world, at->shard, slot);
    phx_shard_set_aside(at->shard, slot);
}

/* Sets aside the observers that were not covered. */
static void drop_rows(phx_world *world)
{
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        phx_chunk *chunk = &world->chunks[i];
        undone at = {world, &world->shards[chunk->shard]};
        phx_interest_undone(&world->scratch[0], at.shard, chunk->first + chunk->done, chunk->count - chunk->done,
                            drop_undone, &at);
        chunk->count = chunk->done;
    }
    /* the last chunks may have no room for their shares */
    while (world->chunk_count > world->chunks_planned && world->chunks[world->chunk_count - 1].done == 0)
        world->chunk_count--;
    for (uint32_t i = 0; i < world->chunk_count; i++)
        if (world->chunks[i].done == 0) phx_publish_count(world, i);
}

enum { ROWS_MAX = 256 }; /* rows set aside at once */

/* Slots of some rows that were not covered. */
typedef struct passed_rows {
    uint32_t slots[ROWS_MAX], count;
    bool block; /* the order of rows is unknown */
} passed_rows;

static void note_row(void *user, uint32_t slot, bool block)
{
    passed_rows *taken = user;
    taken->block |= block;
    if (!taken->block && taken->count < ROWS_MAX) taken->slots[taken->count++] = slot;
}

/* Sets aside the first observers of a chunk: one; twice as many each time that no observer behind them finds memory. */
static bool pass_over(phx_world *world, phx_chunk *chunk)
{
    phx_shard *shard = &world->shards[chunk->shard];
    passed_rows taken = {.count = 0};
    uint32_t most = chunk->passed > 0 ? 2 * chunk->passed : 1;
    if (most > ROWS_MAX) most = ROWS_MAX;
    if (most > chunk->count) most = chunk->count;
    phx_interest_undone(&world->scratch[0], shard, chunk->first, most, note_row, &taken);
    if (taken.block) return false;
    for (uint32_t i = 0; i < taken.count; i++)
        if (phx_observer_holds_list(shard, taken.slots[i])) phx_shard_set_aside(shard, taken.slots[i]);
    chunk->first += most;
    chunk->count -= most;
    chunk->passed = most;
    return true;
}

/* Did the events found so far take the memory? Then more events would take it from their own batches. */
static bool filled_by_events(const phx_world *world)
{
    enum { EVENTS_AT_LEAST = 1 << 16 }; /* 2 MiB of a batch, and an event for each entity, as in a steady tick */
    const uint64_t events_kept = EVENTS_AT_LEAST + phx_directory_count(&world->directory);
    return atomic_load_explicit(&world->spreading.found, memory_order_relaxed) > events_kept;
}

/*
 * Behind an observer without memory others may find memory. So the phase is run again with the rest of its chunks.
 * false = all observers that are not covered have to be set aside.
 */
static bool pass_over_some(phx_world *world)
{
    bool left = false;
    if (filled_by_events(world)) return false;
    if (!phx_split_undone(world)) return false;
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        phx_chunk *chunk = &world->chunks[i];
        if (chunk->done == chunk->count) continue;
        if (!pass_over(world, chunk)) return false;
        left |= chunk->count > 0;
    }
    if (left) relieve_scratches(world);
    return left;
}

/* There are no chunks: no observer was covered. */
static void drop_shards(phx_world *world)
{
    world->chunk_count = world->chunks_planned = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        world->shard_progress[i].chunk = world->shard_progress[i].chunk_end = 0;
        for (uint32_t slot = 0; shard->changed && slot < shard->store.slots; slot++)
            if (phx_observer_holds_list(shard, slot)) phx_shard_set_aside(shard, slot);
    }
}

/* Sets aside observers with more enters than the limit: there was no memory to cut their changes. */
static void drop_uncut(phx_world *world)
{
    const uint32_t limit = atomic_load_explicit(&world->spreading.limit, memory_order_relaxed);
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        phx_change *changes = phx_chunk_changes(world, chunk);
        for (uint32_t c = 0; c < chunk->change_count; c++)
            if (changes[c].enter_count > limit) drop_change(world, chunk, &changes[c]);
        phx_publish_count(world, i);
    }
}

/* Sets aside observers that begin a list: a later tick sends it. */
static void drop_beginners(phx_world *world)
{
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        for (uint32_t b = 0; b < shard->beginners.count; b++) {
            const uint32_t slot = shard->beginners.at[b];
            if (!phx_shard_begins(shard, slot)) continue;
            drop_change_of(world, shard, slot);
            phx_shard_set_aside(shard, slot);
        }
    }
    for (uint32_t i = 0; i < world->chunk_count; i++) phx_publish_count(world, i);
}

/* Commits each change that finds memory, and sets aside the observers of the others. */
static void commit_shard(phx_world *world, uint32_t index)
{
    phx_shard_progress *progress = &world->shard_progress[index];
    if (progress->step_done == world->step) return;
    while (!phx_step_commit(world, index)) { /* each time with one change less */
        const phx_chunk *chunk = &world->chunks[progress->chunk];
        drop_change(world, chunk, phx_chunk_changes(world, chunk) + progress->change);
        phx_publish_count(world, progress->chunk);
    }
    progress->step_done = world->step;
}

/* Stores deferred updates, and sizes the updates of all consumers; these all go if a batch can not count them. */
static void place_updates(phx_world *world)
{
    phx_updates_defer_short(world);
    if (phx_updates_place(world)) return;
    for (uint32_t i = 0; i < world->shard_count; i++) phx_set_banded_aside(world, i);
    world->updates.piece_count = 0;
    world->updating = false;
}

/* ---- broadcasts ---- */

/* Refuses all broadcasts of the tick: no observer has received one. */
static void refuse_broadcasts(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    for (uint32_t m = 0; m < b->message_count; m++) {
        const phx_message *message = &b->messages[m];
        const phx_producer_run run = {.commands = {.op = PHX_OP_BROADCAST, .sequence_first = message->sequence},
                                      .producer = message->producer};
        phx_ingest_refuse(world, &run, 0, phx_message_command(b, message)->id, PH_NO_MEMORY);
        world->totals.applied--;
        world->totals.broadcasts--;
    }
    world->totals.payload_bytes -= b->payload_bytes;
    b->message_count = b->piece_count = 0;
    b->payload_bytes = 0;
}

/* ---- batches ---- */

/* The consumer of a change; false: it goes to none. */
static bool consumer_of_change(const phx_world *world, const phx_chunk *chunk, const phx_change *change,
                               uint32_t consumer)
{
    return phx_change_is_delivered(change) && world->shards[chunk->shard].store.name[change->slot].consumer == consumer;
}

static uint32_t targets_of(const phx_change *change)
{
    return change->leave_count + change->enter_count;
}

/*
 * Keeps, in order, each change of a consumer that fits into half of the targets beside the changes kept before it, and
 * sets the observers of the others aside: so one change that is too large takes no other one with it. false = there
 * were none.
 */
static bool halve_changes(phx_world *world, uint32_t consumer)
{
    uint64_t all = 0, kept = 0;
    bool any = false;
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        const phx_change *changes = phx_chunk_changes(world, chunk);
        for (uint32_t c = 0; c < chunk->change_count; c++)
            if (consumer_of_change(world, chunk, &changes[c], consumer)) all += targets_of(&changes[c]);
    }
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        phx_change *changes = phx_chunk_changes(world, chunk);
        for (uint32_t c = 0; c < chunk->change_count; c++) {
            if (!consumer_of_change(world, chunk, &changes[c], consumer)) continue;
            const uint32_t targets = targets_of(&changes[c]);
            any = true;
            if (targets > 0 && kept + targets <= all / 2) kept += targets;
            else phx_silence_observer(world, world->shards[chunk->shard].store.name[changes[c].slot].id);
        }
    }
    return any;
}

/* The same for updates. */
static bool halve_updates(phx_world *world, uint32_t consumer)
{
    phx_updates *u = &world->updates;
    uint64_t all = world->updating ? u->sizes[consumer].due : 0, kept = 0;
    if (!world->updating || u->sizes[consumer].updates == 0) return false;
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++) {
            phx_update_group *group = &own->groups[g];
            for (uint32_t n = 0; group->consumer == consumer && n < group->observer_count; n++) {
                const phx_observer_updates *updates = &own->update_scratch.observers[group->observer_first + n];
                if (updates->due_count == 0) continue;
                if (kept + updates->due_count <= all / 2) kept += updates->due_count;
                else phx_silence_observer(world, world->shards[piece->shard].store.name[updates->slot].id);
            }
        }
    }
    return true;
}

/* Counts the changes and updates left for a consumer after observers were set aside. */
static void count_left(phx_world *world, uint32_t consumer)
{
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        phx_clear_owed(world, &world->chunks[i]);
        phx_publish_recount(world, i, consumer);
    }
    if (world->updating) phx_updates_replace(world, consumer);
}

/*
 * The consumer's batch has no memory: half of its changes and updates go, and their observers are set aside; again and
 * again; then its broadcasts go, then its edges wait for the next tick.
 */
static void cut_batch(phx_world *world)
{
    const uint32_t consumer = world->stage_at;
    phx_broadcasts *b = &world->broadcasts;
    if (b->message_count > 0 && !phx_fill_broadcasts_plan(world)) {
        refuse_broadcasts(world);
        return;
    }
    phx_consumer_abandon(world->consumers[consumer].consumer);
    const bool changes = halve_changes(world, consumer), updates = halve_updates(world, consumer);
    count_left(world, consumer);
    if (changes || updates) return;
    if (b->message_count > 0 && b->sizes[consumer].deliveries > 0) phx_fill_broadcasts_drop(world, consumer);
    else phx_hold_edges(world, consumer);
}

/* ---- exchange, index ---- */

/* Shards that have not finished the step are blind in this tick. */
static void blind_undone(phx_world *world, bool lacks_copies)
{
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        if (world->shard_progress[i].step_done == world->step) continue;
        shard->blind = true;
        shard->lacks_copies |= lacks_copies;
    }
}

static void put_off_zones(phx_world *world)
{
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (world->shard_progress[i].step_done != world->step) phx_zones_put_off(&world->shards[i].zones);
}

/* ---- stages ---- */

phx_stage phx_finish_stage(phx_world *world)
{
    switch (world->stage) {
    case PHX_STAGE_COLLECT:
        return PHX_STAGE_INGEST; /* what there is no room for waits in its queues, and is collected by the next tick */
    case PHX_STAGE_NOTE_APPLIED:
        return PHX_STAGE_END_APPLY; /* the tick goes on at once, so no query is asked */
    case PHX_STAGE_FOLLOW:
        if (world->apply.running) return PHX_STAGE_END_APPLY;
        return phx_crowd_due(world) ? PHX_STAGE_CROWD_COUNT : phx_stage_after_ingest(world);
    case PHX_STAGE_CROWD_COUNT:
    case PHX_STAGE_CROWD_DECIDE:
    case PHX_STAGE_CROWD_APPLY:
        world->crowd.put_off = true;
        return phx_stage_after_ingest(world);
    case PHX_STAGE_ARRIVE_IMPORTS:
        phx_imports_give_up(world);
        return PHX_STAGE_ARRIVE_IMPORTS;
    case PHX_STAGE_SEND_MIGRANTS:
    case PHX_STAGE_RECEIVE_MIGRANTS:
    case PHX_STAGE_SEND_PINS:
    case PHX_STAGE_RECEIVE_PINS:
    case PHX_STAGE_SEND_COPIES:
        phx_abandon_exchange(world);
        phx_imports_give_up(world); /* of lists and histories nothing is kept */
        return PHX_STAGE_INDEX;
    case PHX_STAGE_RECEIVE_COPIES:
        blind_undone(world, true);
        return PHX_STAGE_RECEIVE_COPIES;
    case PHX_STAGE_INDEX:
        blind_undone(world, false);
        return PHX_STAGE_INDEX;
    case PHX_STAGE_ZONES:
        put_off_zones(world);
        return PHX_STAGE_PLAN;
    case PHX_STAGE_PLAN:
        drop_shards(world);
        return PHX_STAGE_COMMIT;
    case PHX_STAGE_INTEREST:
        if (pass_over_some(world)) return PHX_STAGE_INTEREST;
        drop_rows(world);
        return PHX_STAGE_SPREAD;
    case PHX_STAGE_SPREAD:
        drop_uncut(world);
        phx_stats_share(world);
        return PHX_STAGE_BEGINNERS;
    case PHX_STAGE_BEGINNERS:
        drop_beginners(world);
        return PHX_STAGE_COMMIT;
    case PHX_STAGE_COMMIT:
        for (uint32_t i = 0; i < world->shard_count; i++) commit_shard(world, i);
        if (world->broadcasts.message_count > 0) return PHX_STAGE_LOCATE;
        world->broadcasts.piece_count = 0;
        return PHX_STAGE_FIND_RECIPIENTS; /* that stage knows the next one */
    case PHX_STAGE_TARGET:
    case PHX_STAGE_PIECES:
    case PHX_STAGE_FIND_RECIPIENTS:
        refuse_broadcasts(world);
        return PHX_STAGE_FIND_RECIPIENTS; /* that stage has no pieces now, and knows the next one */
    case PHX_STAGE_UPDATES:
        (void)phx_updates_plan(world, true);
        return PHX_STAGE_FIND_UPDATES;
    case PHX_STAGE_FIND_UPDATES:
        phx_updates_find_short(world);
        return PHX_STAGE_DEFER_UPDATES;
    case PHX_STAGE_DEFER_UPDATES:
        place_updates(world);
        return PHX_STAGE_BATCHES;
    case PHX_STAGE_BATCHES:
        cut_batch(world);
        return PHX_STAGE_BATCHES;
    case PHX_STAGE_OFFER:
        phx_publish_keep(world);
        return PHX_STAGE_OFFER;
    default:
        phx_panic(__FILE__, __LINE__, "a stage that wants no memory stopped");
    }
}
