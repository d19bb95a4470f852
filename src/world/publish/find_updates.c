/*
 * Finds the due updates of a tick; see find_updates.h.
 */
#include "world/publish/find_updates.h"

#include "shards/interest/change_record.h"
#include "shards/publish/recipients.h"
#include "shards/state/update_bands.h"
#include "shards/tick/set_aside.h"
#include "world/state/piece_clock.h"
#include "world/state/update_types.h"

enum { SAMPLES_AHEAD = 2, OBSERVERS_AHEAD = 4, WAYS_AHEAD = 8, TAILS_AHEAD = 12 }; /* that are prefetched */

static bool emit_observer_updates(phx_world *world, phx_update_scratch *update_scratch, const phx_shard *shard,
                                  phx_band_observer observer)
{
    const phx_entered *of = &shard->bands.entered[observer.item];
    const phx_scratch *scratch = &world->scratch[of->worker];
    const phx_change *change = of->change == 0 ? NULL : &scratch->changes[of->change - 1];
    bool failed = false; /* no memory */
    PHX_ASSERT(!change || change->slot == observer.slot);
    /* A change that commits may be of a list that was stored: by relations, or cut by a limit. Before an evaluation the
     * view may have been another one, and relations that ended have left the set. */
    if ((!change || !(change->commits || change->evaluated)) &&
        phx_band_emit_in_view(update_scratch, shard, observer, change ? change->enter_count : 0, &failed))
        return true;
    if (failed) return false;
    if (!change) return phx_band_emit(update_scratch, shard, observer, NULL, 0);
    uint32_t buffer[PHX_ORDER_SHORT_MAX];
    const uint32_t *entered = phx_interest_entered(scratch, change, buffer);
    return phx_band_emit(update_scratch, shard, observer, entered, change->enter_count);
}

/* The observers of a piece, in the order of its places. */
typedef struct piece_observers {
    uint32_t count;
    uint32_t consumer[PHX_BATCH_PLACES_MAX]; /* PHX_SLOT_NONE: it is done, or it observes no more */
    phx_band_observer at[PHX_BATCH_PLACES_MAX];
} piece_observers;

/* While lists are derived they have rows side by side. Where few observe, most rows are passed over here. */
static void add_row_observers(const phx_shard *shard, const phx_update_piece *piece, piece_observers *of)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t first = shard->grid.blocks[piece->block].start[0] + piece->first;
    uint32_t count = 0;
    for (uint32_t row = first; row < first + piece->count; row++) {
        of->at[count] = (phx_band_observer){phx_row_slot(rows, row), row};
        count += rows->view[row] != 0.0f;
    }
    of->count = count;
}

static void add_batch_observers(const phx_shard *shard, const phx_update_piece *piece, piece_observers *of)
{
    phx_observer_batch batch = {.block = piece->block, .first = piece->first, .count = piece->count};
    phx_recipients_fill_batch(shard, &batch);
    of->count = 0;
    for (uint32_t place = 0; place < batch.count; place++)
        if (batch.slot[place] != PHX_SLOT_NONE)
            of->at[of->count++] = (phx_band_observer){batch.slot[place], batch.slot[place]};
}

static void find_observers(const phx_world *world, const phx_shard *shard, const phx_update_piece *piece,
                           piece_observers *of)
{
    if (shard->derives_lists) add_row_observers(shard, piece, of);
    else add_batch_observers(shard, piece, of);
    for (uint32_t i = 0; i < of->count; i++) {
        const phx_band_observer observer = of->at[i];
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): so many were added */
        const bool observes = phx_attr_observes(&shard->store.sets.attr[shard->bands.samples[observer.item].set]);
        const uint32_t consumer = world->def.consumers == 1 ? 0 : shard->store.name[observer.slot].consumer;
        of->consumer[i] = observes ? consumer : PHX_SLOT_NONE;
    }
}

/* Begins a group behind the worker's other ones. */
static phx_update_group group_begin(const phx_world *world, phx_update_worker *own, uint32_t consumer)
{
    phx_update_scratch_group(&own->update_scratch, world->updates.bands_most);
    return (phx_update_group){.consumer = consumer,
                              .observer_first = own->update_scratch.observer_count,
                              .due_first = own->update_scratch.due_count};
}

/* Room for one group more. false = no memory. */
static bool group_ready(phx_world *world, phx_update_worker *own)
{
    return phx_grow(&world->mem, (void **)&own->groups, &own->groups_capacity, own->group_count,
                    (size_t)own->group_count + 1, sizeof *own->groups);
}

/* Ends it; one without observers is none. */
static void group_end(phx_update_worker *own, phx_update_group group)
{
    group.observer_count = own->update_scratch.observer_count - group.observer_first;
    group.due_count = own->update_scratch.due_count - group.due_first;
    if (group.observer_count > 0) own->groups[own->group_count++] = group;
}

static bool is_of(const piece_observers *of, uint32_t number, uint32_t consumer)
{
    return number < of->count && of->consumer[number] == consumer;
}

/* Prefetches the consumer's observers behind one. */
static void prefetch_observers(const phx_shard *shard, const piece_observers *of, uint32_t number, uint32_t consumer)
{
    const uint32_t next = number + SAMPLES_AHEAD, near = number + OBSERVERS_AHEAD, way = number + WAYS_AHEAD,
                   tail = number + TAILS_AHEAD;
    if (is_of(of, tail, consumer)) phx_band_prefetch_tail(shard, of->at[tail]);
    if (is_of(of, way, consumer)) phx_band_prefetch_way(shard, of->at[way]);
    if (is_of(of, near, consumer)) phx_band_prefetch(shard, of->at[near]);
    if (is_of(of, next, consumer)) phx_band_prefetch_targets(shard, of->at[next]);
}

/* Emits the updates of one consumer's observers, from one on; they are done then. false = no memory. */
static bool emit_update_group(phx_world *world, phx_update_worker *own, const phx_shard *shard, piece_observers *of,
                              uint32_t from)
{
    phx_update_scratch *update_scratch = &own->update_scratch;
    const phx_update_group group = group_begin(world, own, of->consumer[from]);
    if (!group_ready(world, own)) return false;
    for (uint32_t i = from; i < of->count; i++) {
        prefetch_observers(shard, of, i, group.consumer);
        if (of->consumer[i] != group.consumer) continue;
        if (!emit_observer_updates(world, update_scratch, shard, of->at[i])) return false;
        of->consumer[i] = PHX_SLOT_NONE;
    }
    group_end(own, group);
    return true;
}

static bool emit_piece_updates(phx_world *world, phx_update_worker *own, phx_update_piece *piece)
{
    const phx_shard *shard = &world->shards[piece->shard];
    phx_update_scratch *update_scratch = &own->update_scratch;
    piece_observers of;
    const uint32_t deferred = update_scratch->deferred_count;
    uint32_t observers = update_scratch->observer_count, due = update_scratch->due_count;
    phx_band_open_block(update_scratch, shard, piece->block);
    find_observers(world, shard, piece, &of);
    piece->group_first = own->group_count;
    for (uint32_t i = 0; i < of.count; i++) {
        if (of.consumer[i] == PHX_SLOT_NONE) continue;
        if (emit_update_group(world, own, shard, &of, i)) continue;
        own->group_count = piece->group_first;
        update_scratch->observer_count = observers;
        update_scratch->due_count = due;
        update_scratch->deferred_count = deferred;
        return false;
    }
    piece->group_count = own->group_count - piece->group_first;
    own->held += (update_scratch->deferred_count - deferred) / 2;
    return true;
}

static void update_piece_body(void *context, uint32_t worker, uint32_t index)
{
    phx_world *world = context;
    phx_updates *u = &world->updates;
    phx_update_piece *piece = &u->pieces[index];
    if (piece->worker != PHX_SLOT_NONE) return;
    uint64_t from = phx_piece_now_ns(world);
    bool done = emit_piece_updates(world, &u->workers[worker], piece);
    piece->ns += phx_piece_now_ns(world) - from;
    if (done) piece->worker = worker;
    else atomic_store_explicit(&world->step_failed, 1, memory_order_relaxed);
}

bool phx_updates_find(phx_world *world)
{
    atomic_store_explicit(&world->step_failed, 0, memory_order_relaxed);
    phx_parallel_for(world->workers, world->updates.piece_count, update_piece_body, world);
    return atomic_load_explicit(&world->step_failed, memory_order_relaxed) == 0;
}

/* ---- without the memory ---- */

/* The worker with the most room for further updates. */
static uint32_t roomiest_worker(const phx_world *world)
{
    uint32_t best = 0, most = 0;
    for (uint32_t w = 0; w < world->worker_count; w++) {
        const phx_update_scratch *scratch = &world->updates.workers[w].update_scratch;
        const uint32_t room = scratch->due_capacity - scratch->due_count;
        if (room > most) {
            best = w;
            most = room;
        }
    }
    return best;
}

/* Emits the updates of one observer as a group of its own. false = no memory. */
static bool emit_alone(phx_world *world, phx_update_worker *own, const phx_shard *shard, phx_band_observer observer,
                       uint32_t consumer)
{
    phx_update_scratch *scratch = &own->update_scratch;
    const phx_update_group group = group_begin(world, own, consumer);
    if (!group_ready(world, own)) return false;
    if (!emit_observer_updates(world, scratch, shard, observer)) return false;
    group_end(own, group);
    return true;
}

/* Emits a piece, observer by observer; sets aside each that there is no memory for. */
static void emit_piece_short(phx_world *world, phx_update_piece *piece)
{
    phx_shard *shard = &world->shards[piece->shard];
    piece_observers of;
    find_observers(world, shard, piece, &of);
    piece->worker = roomiest_worker(world);
    phx_update_worker *own = &world->updates.workers[piece->worker];
    const uint32_t deferred = own->update_scratch.deferred_count;
    piece->group_first = own->group_count;
    for (uint32_t i = 0; i < of.count; i++) {
        if (of.consumer[i] == PHX_SLOT_NONE || emit_alone(world, own, shard, of.at[i], of.consumer[i])) continue;
        phx_shard_set_aside(shard, of.at[i].slot);
    }
    piece->group_count = own->group_count - piece->group_first;
    own->held += (own->update_scratch.deferred_count - deferred) / 2;
}

void phx_updates_find_short(phx_world *world)
{
    for (uint32_t i = 0; i < world->updates.piece_count; i++)
        if (world->updates.pieces[i].worker == PHX_SLOT_NONE) emit_piece_short(world, &world->updates.pieces[i]);
}
