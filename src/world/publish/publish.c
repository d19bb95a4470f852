/*
 * From changes to batches; see publish.h.
 */
#include "world/publish/publish.h"

#include "shards/interest/event_naming.h"
#include "world/publish/change_counts.h"
#include "world/publish/edges.h"
#include "world/publish/fill_broadcasts.h"
#include "world/publish/set_aside.h"
#include "world/publish/updates.h"
#include "world/state/broadcast_types.h"
#include "world/state/piece_clock.h"

/* Drops the pending changes of observers with another consumer, or not ready. */
static void drop_silenced_observers(phx_world *world)
{
    for (uint32_t s = 0; s < world->shard_count; s++) {
        phx_shard *shard = &world->shards[s];
        for (uint32_t i = 0; i < shard->silenced_count; i++) {
            const phx_silenced *item = &shard->silenced[i];
            if (item->slot != PHX_SLOT_NONE && phx_store_attr(&shard->store, item->slot)->ready) continue;
            phx_consumer_drop_observer(world->consumers[item->consumer].consumer, item->observer);
        }
    }
}

/* Renames entities in pending changes. */
static void rename_pending(phx_world *world)
{
    for (uint32_t c = 0; c < world->def.consumers; c++)
        phx_consumer_rename(world->consumers[c].consumer, world->renames.items, world->renames.count);
}

/* ---- batches ---- */

/* Makes the consumer's batch of this tick, if it gets anything. false = no memory. */
static bool make_batch(phx_world *world, uint32_t consumer, phx_consumer_changes sum)
{
    static const phx_batch_broadcasts_size none;
    static const phx_edge_size no_edges;
    static const phx_batch_updates_size no_updates;
    const phx_broadcasts *broadcasts = &world->broadcasts;
    phx_batch_broadcasts_size broadcast_size = broadcasts->message_count > 0 ? broadcasts->sizes[consumer] : none;
    world->batches[consumer] = NULL;
    phx_edge_size edges = world->zoned ? world->edge_sizes[consumer] : no_edges;
    phx_batch_updates_size update_size = world->updating ? world->updates.sizes[consumer] : no_updates;
    if (sum.changes == 0 && broadcast_size.deliveries == 0 && phx_edge_total(edges) == 0 && update_size.updates == 0)
        return true;
    phx_batch *batch = phx_consumer_begin(world->consumers[consumer].consumer, sum.changes, sum.targets);
    world->batches[consumer] = batch;
    if (batch) batch->incarnations_before = world->causes.incarnations_before;
    return batch && phx_batch_broadcasts_reserve(&batch->broadcasts, &world->mem, broadcast_size) &&
           phx_batch_size_edges(&world->mem, batch, edges) &&
           phx_batch_updates_reserve(&batch->updates, &world->mem, update_size);
}

/* Turns counts into places: where the chunk's part of the batch begins. */
static void counts_to_places(phx_world *world, uint32_t consumer)
{
    phx_consumer_changes sum = {0};
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        phx_consumer_changes *place = phx_chunk_counts(world, i, consumer), own = *place;
        *place = sum;
        phx_add_counts(&sum, own);
    }
}

bool phx_publish_batches(phx_world *world)
{
    uint32_t consumers = world->def.consumers;
    if (consumers == 0) return true;
    if (world->broadcasts.message_count > 0 && !phx_fill_broadcasts_plan(world)) return false;
    drop_silenced_observers(world);
    if (world->stage_at == 0) phx_drop_set_aside(world);
    rename_pending(world);
    if (world->zoned) phx_count_edges(world);
    for (; world->stage_at < consumers; world->stage_at++) {
        uint32_t c = world->stage_at;
        phx_consumer_changes sum = {0};
        uint64_t targets = 0;
        for (uint32_t i = 0; i < world->chunk_count; i++) {
            const phx_consumer_changes *own = phx_chunk_counts(world, i, c);
            phx_add_counts(&sum, *own);
            targets += own->targets;
        }
        if (targets > UINT32_MAX) return false; /* more than a batch can count: as if there were no memory for it */
        if (!make_batch(world, c, sum)) return false;
        counts_to_places(world, c);
    }
    world->stage_at = 0;
    return true;
}

enum {
    NAMES_IN_CACHE = 1 << 14, /* so few in the whole world (256 KiB) are in a near cache anyway; with more, */
    CHANGES_AHEAD = 32,       /* names of changes ahead are prefetched, and */
    TARGETS_AHEAD = 96,       /* names of targets: about as many as so many changes have; */
    TARGETS_ASKED =
        PHX_ORDER_SHORT_MAX,      /* of one change: a change with more is in order, and the hardware prefetches it; */
    TARGETS_AT_ONCE = 4,          /* more than most changes have: no branch on their number */
    EVENTS_IN_CACHE = 1 << 15,    /* the columns of a batch with more (1.1 MiB) are in no near cache, and */
    EVENTS_AHEAD = PHX_ORDER_MOST /* lines of events ahead are prefetched: about as many wait to be written */
};

/* Copy of a chunk into the batches. */
typedef struct filling {
    phx_shard *shard;
    const phx_scratch *scratch;
    phx_consumer_changes *places; /* by consumer: where its next change goes */
    phx_event_writer *writer;
    bool far;            /* names are not in a near cache */
    bool positioned;     /* events have positions: bodies are read, too */
    bool capped;         /* some lists may be cut, and the list of each change is asked */
    uint32_t asked, end; /* of its targets and unused words: prefetched so far, and all */
} filling;

/* Prefetches the names of changes and targets ahead, which are in no order of memory. */
static inline void await_names(filling *at, const phx_change *own, bool more)
{
    const phx_name *name = at->shard->store.name;
    const uint64_t *user_data = at->shard->store.user_data;
    uint32_t count = own->leave_count + own->enter_count;
    uint32_t end = own->target_first + (count < TARGETS_ASKED ? count : TARGETS_ASKED) + TARGETS_AHEAD;
    if (at->asked < own->target_first) at->asked = own->target_first; /* behind a long change */
    if (more) __builtin_prefetch(&name[own[CHANGES_AHEAD].slot]);
    if (more && user_data) __builtin_prefetch(&user_data[own[CHANGES_AHEAD].slot]);
    if (more && at->capped) __builtin_prefetch(&at->shard->store.tail[own[CHANGES_AHEAD].slot]);
    for (; at->asked < end && at->asked + TARGETS_AT_ONCE <= at->end; at->asked += TARGETS_AT_ONCE) {
        const uint32_t *target = at->scratch->targets + at->asked;
        for (uint32_t i = 0; i < TARGETS_AT_ONCE; i++)
            __builtin_prefetch(&name[phx_target_word_slot(phx_target_word_at(target, i))]);
        for (uint32_t i = 0; user_data && i < TARGETS_AT_ONCE; i++)
            __builtin_prefetch(&user_data[phx_target_word_slot(phx_target_word_at(target, i))]);
        for (uint32_t i = 0; at->positioned && i < TARGETS_AT_ONCE; i++)
            __builtin_prefetch(&at->shard->store.body[phx_target_word_slot(phx_target_word_at(target, i))]);
    }
}

/* Prefetches lines of events behind this change, of the same chunk: the ones of others are written by other workers. */
static inline void await_events(const filling *at, const phx_change *change, const phx_batch *batch, uint32_t to,
                                uint32_t count)
{
    const uint32_t all = batch->given.target_count, ahead = EVENTS_AHEAD + count;
    if (all <= EVENTS_IN_CACHE || all - to < ahead || at->end - change->target_first < ahead) return;
    phx_event_columns_await(&batch->columns, to + EVENTS_AHEAD, to + ahead);
}

/* Copies one change and its targets to their places in the batch. */
static inline void copy_change(const filling *at, const phx_change *change, phx_batch *batch,
                               phx_consumer_changes *place)
{
    phx_store *store = &at->shard->store;
    uint32_t fresh = phx_store_report(store, change->slot) ? PH_CHANGE_FRESH : 0;
    uint32_t count = change->leave_count + change->enter_count, to = place->targets;
    PHX_ASSERT(place->changes < batch->given.change_count && to + count <= batch->given.target_count);
    batch->changes[place->changes++] = (ph_change){.observer = store->name[change->slot].id,
                                                   .user_data = phx_store_user_data(store, change->slot),
                                                   .first = to,
                                                   .leave_count = change->leave_count,
                                                   .enter_count = change->enter_count,
                                                   .flags = change->flags | fresh};
    await_events(at, change, batch, to, count);
    if (count > 0) phx_event_writer_add(at->writer, at->scratch, change, &batch->columns, to);
    place->targets = to + count;
}

static void fill_changes_unit(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    phx_chunk *chunk = &world->chunks[piece];
    const phx_change *changes = phx_chunk_changes(world, chunk);
    (void)worker;
    if (chunk->change_count == 0) return;
    uint64_t from = phx_piece_now_ns(world);
    const phx_change *last = changes + chunk->change_count;
    phx_event_writer writer;
    phx_event_writer_begin(&writer, &world->shards[chunk->shard], &world->causes,
                           phx_depths_any(&world->depths) ? &world->depths : NULL);
    filling at = {.shard = &world->shards[chunk->shard],
                  .writer = &writer,
                  .scratch = &world->scratch[chunk->worker],
                  .places = phx_chunk_counts(world, piece, 0),
                  .far = phx_directory_count(&world->directory) > NAMES_IN_CACHE,
                  .positioned = world->def.positions,
                  .capped = world->causes.traits & PHX_TRAIT_CAPS,
                  .asked = changes->target_first,
                  .end = last[-1].target_first + last[-1].leave_count + last[-1].enter_count};
    for (const phx_change *change = changes; change < last; change++) {
        if (at.far) await_names(&at, change, last - change > CHANGES_AHEAD);
        if (!phx_change_is_delivered(change)) continue;
        uint32_t consumer = phx_consumer_of_change(world, chunk, change);
        copy_change(&at, change, world->batches[consumer], &at.places[consumer]);
    }
    phx_event_writer_flush(&writer);
    chunk->cause_lookups = writer.lookups;
    chunk->publish_ns += phx_piece_now_ns(world) - from;
}

/* What decides the causes of this tick's events. */
static void find_cause_scope(phx_world *world)
{
    phx_cause_scope *scope = &world->causes;
    scope->directory = &world->directory;
    scope->shards = world->shards;
    scope->incarnations_given = world->incarnations - scope->incarnations_before;
    scope->several = world->shard_count > 1;
    bool changed = false, hides = false;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        changed |= world->shards[i].sight_changed;
        scope->traits |= world->shards[i].store.traits;
        hides |= world->shards[i].relations.hides > 0;
    }
    scope->by_relations = !(scope->traits & PHX_TRAIT_HIDES);
    scope->hides = changed && (hides || !scope->by_relations);
}

void phx_publish_fill(phx_world *world)
{
    if (world->def.consumers == 0) return;
    find_cause_scope(world);
    phx_parallel_for(world->workers, world->chunk_count, fill_changes_unit, world);
    if (world->broadcasts.message_count > 0) phx_fill_broadcasts_fill(world);
    if (world->zoned) phx_fill_edges(world);
    if (world->updating) phx_updates_fill(world);
}

/* Ends a consumer's tick, and tells the host of a batch that was handed over. false = no memory. */
static bool offer_batch(phx_world *world, uint32_t index)
{
    phx_consumer *consumer = world->consumers[index].consumer;
    const ph_batch_hook *hook = &world->def.batches;
    const uint64_t before = hook->offered ? phx_consumer_handed_over(consumer) : 0;
    if (!phx_consumer_offer(consumer, world->batches[index], world->tick)) return false;
    if (hook->offered && phx_consumer_handed_over(consumer) != before) hook->offered(hook->user, index);
    return true;
}

bool phx_publish_offer(phx_world *world)
{
    for (; world->stage_at < world->def.consumers; world->stage_at++)
        if (!offer_batch(world, world->stage_at)) return false;
    world->stage_at = 0;
    return true;
}

/* Sets aside the observers of a batch's changes and updates. */
static void set_aside_delivered(phx_world *world, const ph_batch *given, const phx_batch *batch)
{
    for (uint32_t i = 0; i < given->change_count; i++) phx_silence_observer(world, given->changes[i].observer);
    for (uint32_t i = 0; i < batch->updates.size.updates; i++)
        phx_silence_observer(world, batch->updates.updates[i].observer);
}

void phx_publish_keep(phx_world *world)
{
    phx_consumer *consumer = world->consumers[world->stage_at].consumer;
    phx_batch *batch = world->batches[world->stage_at];
    if (!phx_consumer_keep(consumer, batch, world->tick)) {
        set_aside_delivered(world, &batch->given, batch);
        phx_consumer_drop_broadcasts(consumer, batch->broadcasts.size.heard);
        phx_consumer_strip(batch);
        bool kept = phx_consumer_keep(consumer, batch, world->tick);
        PHX_ASSERT(kept); /* a batch with edges alone is kept as it is */
        (void)kept;
    }
    world->stage_at++;
}
