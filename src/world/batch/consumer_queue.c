/*
 * Hand-over of batches to one consumer and their return; see consumer_queue.h for the contract. In the publish phase on
 * the ticking thread; take, return and close on the consumer's thread.
 */
#include "world/batch/consumer_queue.h"

#include <stdatomic.h>

#include "world/batch/broadcast_backlog.h"
#include "world/batch/packets.h"
#include "world/batch/relay.h"
#include "world/batch/update_backlog.h"

enum { BOUND_MAX = 65536 };

struct phx_consumer {
    /* never changes */
    phx_mem *mem;
    bool positioned; /* events have positions */
    phx_net_changes *net_changes;
    phx_net_changes *edges; /* the net difference of edges */
    phx_broadcast_backlog *backlog;
    phx_update_backlog *update_backlog;
    uint32_t bound;
    /* by the ticking thread */
    _Alignas(PHX_CACHE_LINE) phx_batch *spare;
    phx_batch *made;
    phx_batch *filling;
    phx_batch *kept,
        *kept_last; /* batches with edges for which the net difference had no memory, by next_spare; the oldest first */
    uint32_t kept_count, kept_edges;
    phx_batch *trimmed; /* the last batch of trim_one() */
    uint32_t made_count;
    uint32_t out_count, out_max;
    uint64_t tick;                /* of the last offer */
    uint64_t tick_first;          /* of the net difference, when there is one; */
    uint32_t incarnations_before; /* of that tick */
    uint64_t batches, coalesced_ticks, events, bytes;
    uint64_t heard; /* deliveries of broadcasts handed over at once */
    uint64_t due;   /* updates handed over at once */
    /*
     * Something is pending since the last offer. Written by the ticking thread; its release after the hand-over pairs
     * with the acquire in phx_consumer_pending(): a thread that reads 0 finds every batch that was handed over before.
     */
    _Alignas(PHX_CACHE_LINE) _Atomic uint32_t pending;
    phx_relay relay; /* each thread has its half */
};

phx_consumer *phx_consumer_create(phx_mem *mem, uint32_t bound, uint32_t broadcast_bytes, const phx_net_world *world)
{
    PHX_ASSERT(bound >= 1 && bound <= BOUND_MAX);
    phx_consumer *c = phx_alloc_zero(mem, sizeof(*c), PHX_CACHE_LINE);
    if (c == NULL) {
        return NULL;
    }
    c->mem = mem;
    c->bound = bound;
    c->positioned = world != NULL && world->locate != NULL;
    c->net_changes = phx_net_changes_create(mem, world);
    c->edges = phx_net_changes_create(mem, NULL);
    c->backlog = phx_broadcast_backlog_create(mem, broadcast_bytes);
    c->update_backlog = phx_update_backlog_create(mem);
    bool made = phx_relay_init(&c->relay, mem, bound);
    if (!made || c->net_changes == NULL || c->edges == NULL || c->backlog == NULL || c->update_backlog == NULL) {
        phx_consumer_destroy(c);
        return NULL;
    }
    return c;
}

void phx_consumer_destroy(phx_consumer *c)
{
    if (c == NULL) {
        return;
    }
    while (c->made != NULL) {
        phx_batch *batch = c->made;
        c->made = batch->next_made;
        phx_batch_destroy(c->mem, batch);
    }
    phx_net_changes_destroy(c->net_changes);
    phx_net_changes_destroy(c->edges);
    phx_broadcast_backlog_destroy(c->backlog);
    phx_update_backlog_destroy(c->update_backlog);
    phx_relay_free(&c->relay);
    phx_free(c->mem, c, sizeof(*c), PHX_CACHE_LINE);
}

/* ---- ticking thread ---- */

static void batch_recycle(phx_consumer *c, phx_batch *batch)
{
    PHX_ASSERT(phx_batch_valid(batch));
    batch->state = PHX_BATCH_SPARE;
    batch->merged = false;
    phx_batch_trim(c->mem, batch);
    batch->next_spare = c->spare; /* the batch used last is the first again: it is in the cache, and has grown */
    c->spare = batch;
}

/*
 * Spare batches that are not used are not trimmed when they come back: so one of all is trimmed in each tick, in turn.
 */
static void trim_one(phx_consumer *c)
{
    phx_batch *next = c->trimmed != NULL ? c->trimmed->next_made : NULL;
    c->trimmed = next != NULL ? next : c->made;
    if (c->trimmed != NULL && c->trimmed->state == PHX_BATCH_SPARE) {
        phx_batch_trim(c->mem, c->trimmed);
    }
}

/* Collects returned batches. Bounded by out_count: only this thread hands over. */
static void collect_returned(phx_consumer *c)
{
    for (phx_batch *batch; (batch = phx_relay_collect(&c->relay)) != NULL;) {
        PHX_ASSERT(batch->state == PHX_BATCH_OUT);
        PHX_ASSERT(c->out_count > 0);
        c->out_count--;
        batch_recycle(c, batch);
    }
}

static phx_batch *batch_obtain(phx_consumer *c)
{
    phx_batch *batch = c->spare;
    if (batch != NULL) {
        PHX_ASSERT(batch->state == PHX_BATCH_SPARE);
        c->spare = batch->next_spare;
        return batch;
    }
    PHX_ASSERT(c->made_count <= c->bound + c->kept_count); /* none is spare: all batches made are out or kept */
    batch = phx_batch_create(c->mem, c->positioned);
    if (batch == NULL) {
        return NULL;
    }
    batch->next_made = c->made;
    c->made = batch;
    c->made_count++;
    return batch;
}

phx_batch *phx_consumer_begin(phx_consumer *c, uint32_t change_count, uint32_t target_count)
{
    collect_returned(c);
    phx_batch *batch = c->filling != NULL ? c->filling : batch_obtain(c);
    c->filling = NULL;
    if (batch == NULL) {
        return NULL;
    }
    PHX_ASSERT(!batch->merged); /* an offer that failed is repeated first */
    if (!phx_batch_reserve(c->mem, batch, change_count, target_count)) {
        batch_recycle(c, batch);
        return NULL;
    }
    batch->given.change_count = change_count;
    batch->given.target_count = target_count;
    batch->broadcasts.size = (phx_batch_broadcasts_size){0};
    batch->given.activation_count = batch->given.crossing_count = 0;
    batch->updates.size = (phx_batch_updates_size){0};
    batch->state = PHX_BATCH_FILLING;
    c->filling = batch;
    return batch;
}

void phx_consumer_drop_observer(phx_consumer *c, uint64_t observer)
{
    PHX_ASSERT(c->filling == NULL || !c->filling->merged); /* its tick is in the net difference already */
    phx_net_changes_drop_observer(c->net_changes, observer);
    phx_broadcast_backlog_drop_observer(c->backlog, observer);
    phx_update_backlog_drop_observer(c->update_backlog, observer);
}

/* Sets the given fields of the broadcasts. */
static void show_broadcasts(phx_batch *batch)
{
    const phx_batch_broadcasts *broadcasts = &batch->broadcasts;
    ph_batch *given = &batch->given;
    given->messages = broadcasts->messages;
    given->payload = (const uint8_t *)broadcasts->payload;
    given->deliveries = broadcasts->deliveries;
    given->heard = broadcasts->heard;
    given->payload_bytes = broadcasts->size.payload;
    given->message_count = broadcasts->size.messages;
    given->delivery_count = broadcasts->size.deliveries;
    given->heard_count = broadcasts->size.heard;
}

/* Sets the given fields of the updates. */
static void show_updates(phx_batch *batch)
{
    const phx_batch_updates *updates = &batch->updates;
    ph_batch *given = &batch->given;
    given->updates = updates->updates;
    given->due = updates->due;
    given->bands = updates->bands;
    given->moved = updates->moved;
    given->update_count = updates->size.updates;
    given->due_count = updates->size.due;
    given->moved_count = updates->size.moved;
}

/* Hands a batch over; phx_relay_ready() made room. */
static void hand_over(phx_consumer *c, phx_batch *batch, uint64_t tick_first, uint64_t tick)
{
    PHX_ASSERT(c->out_count < c->bound);
    PHX_ASSERT(tick_first <= tick);
    PHX_ASSERT(batch->given.change_count <= batch->changes_capacity);
    PHX_ASSERT(batch->given.target_count <= batch->events_capacity);
    batch->given.tick_first = tick_first;
    batch->given.tick = tick;
    batch->given.dropped = phx_broadcast_backlog_count(c->backlog).untold;
    phx_broadcast_backlog_report_drops(c->backlog);
    show_broadcasts(batch);
    show_updates(batch);
    batch->state = PHX_BATCH_OUT;
    batch->merged = false;
    c->out_count++;
    if (c->out_count > c->out_max) c->out_max = c->out_count;
    c->batches++;
    c->events += batch->given.target_count;
    const size_t event_bytes =
        sizeof(ph_target) + sizeof(uint16_t) + sizeof(uint8_t) + (c->positioned ? sizeof(ph_position) : 0);
    c->bytes += (uint64_t)batch->given.change_count * sizeof(ph_change) +
                (uint64_t)batch->given.target_count * event_bytes + phx_batch_broadcasts_bytes(&batch->broadcasts) +
                phx_batch_updates_bytes(&batch->updates);
    phx_relay_put(&c->relay, batch);
}

static uint32_t edges_in(const phx_batch *batch)
{
    return batch->given.activation_count + batch->given.crossing_count;
}

/* Has the batch only edges, which are not merged yet? */
static bool edges_alone(const phx_batch *batch)
{
    return !batch->merged && batch->given.change_count == 0 && batch->broadcasts.size.deliveries == 0 &&
           batch->updates.size.updates == 0;
}

static bool is_pending(const phx_consumer *c)
{
    phx_broadcast_backlog_counts broadcasts = phx_broadcast_backlog_count(c->backlog);
    return c->kept != NULL || phx_net_changes_count(c->net_changes).observers > 0 ||
           phx_net_changes_count(c->edges).pending > 0 || broadcasts.pending > 0 || broadcasts.untold > 0 ||
           phx_update_backlog_count(c->update_backlog).pending > 0;
}

/* An `on` edge is as an enter: it has the present name of the entity. */
static void rename_kept(phx_consumer *c, const phx_rename *item)
{
    for (phx_batch *batch = c->kept; batch != NULL; batch = batch->next_spare) {
        for (uint32_t i = 0; i < edges_in(batch); i++) {
            ph_edge *edge = &batch->edges[i];
            if (edge->on && edge->id == item->id && edge->incarnation == item->incarnation) {
                edge->user_data = item->user_data;
            }
        }
    }
}

void phx_consumer_rename(phx_consumer *c, const phx_rename *items, uint32_t count)
{
    PHX_ASSERT(c->filling == NULL || !c->filling->merged); /* its names are of its tick's end already */
    if (count == 0 || !is_pending(c)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        phx_net_changes_rename(c->net_changes, &items[i]);
        phx_net_changes_rename(c->edges, &items[i]);
        phx_broadcast_backlog_rename(c->backlog, items[i].id, items[i].user_data);
        phx_update_backlog_rename(c->update_backlog, items[i].id, items[i].user_data);
        rename_kept(c, &items[i]);
    }
}

/* Copies edges to `to`, which may be their own place or before it, without the ones of this stay. Returns how many. */
static uint32_t drop_kept_range(ph_edge *edges, uint32_t count, ph_edge *to, phx_net_stay of)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (edges[i].id != of.id || edges[i].incarnation != of.incarnation) to[left++] = edges[i];
    return left;
}

void phx_consumer_drop_edges(phx_consumer *c, phx_net_stay of)
{
    PHX_ASSERT(c->filling == NULL);
    phx_net_changes_drop_edges(c->edges, of);
    for (phx_batch *batch = c->kept; batch != NULL; batch = batch->next_spare) {
        ph_batch *given = &batch->given;
        ph_edge *crossings = batch->edges + given->activation_count;
        c->kept_edges -= edges_in(batch);
        given->activation_count = drop_kept_range(batch->edges, given->activation_count, batch->edges, of);
        given->crossing_count =
            drop_kept_range(crossings, given->crossing_count, batch->edges + given->activation_count, of);
        c->kept_edges += edges_in(batch);
    }
}

/* Merges kept edges of earlier ticks into the net difference. false = no memory, some may be merged. */
static bool merge_kept(phx_consumer *c)
{
    while (c->kept != NULL) {
        phx_batch *batch = c->kept;
        if (!phx_net_changes_merge_edges(c->edges, batch)) {
            return false;
        }
        c->kept = batch->next_spare;
        c->kept_count--;
        c->kept_edges -= edges_in(batch);
        batch_recycle(c, batch);
    }
    return true;
}

/* The net difference begins with the batch of this tick. */
static void begin_net(phx_consumer *c, const phx_batch *batch, uint64_t tick)
{
    c->tick_first = tick;
    c->incarnations_before = batch->incarnations_before;
}

/* Keeps the batch, which has edges alone, as it is. */
static void keep_edges(phx_consumer *c, phx_batch *batch, uint64_t tick)
{
    if (!is_pending(c)) {
        begin_net(c, batch, tick);
    }
    batch->next_spare = NULL;
    if (c->kept == NULL) c->kept = batch;
    else c->kept_last->next_spare = batch;
    c->kept_last = batch;
    c->kept_count++;
    c->kept_edges += edges_in(batch);
    c->coalesced_ticks++;
}

/* Merges the tick into the net difference and the backlogs, once. false = no memory. */
static bool merge_tick(phx_consumer *c, phx_batch *batch, uint64_t tick)
{
    if (batch->merged) {
        return true;
    }
    bool first = !is_pending(c);
    if (!phx_broadcast_backlog_reserve_push(c->backlog, &batch->broadcasts) ||
        !phx_net_changes_reserve(c->net_changes, batch) || !phx_update_backlog_reserve(c->update_backlog, batch) ||
        !phx_net_changes_merge_edges(c->edges, batch)) {
        return false;
    }
    bool merged = phx_net_changes_merge(c->net_changes, batch);
    PHX_ASSERT(merged); /* room was reserved */
    (void)merged;
    phx_broadcast_backlog_push(c->backlog, &batch->broadcasts);
    phx_update_backlog_merge(c->update_backlog, batch);
    if (first) {
        begin_net(c, batch, tick);
    }
    c->coalesced_ticks++;
    batch->merged = true;
    return true;
}

/*
 * Hands net difference and backlogs over in the tick's own batch, which was merged, or in a spare one. false = no
 * memory.
 */
static bool deliver_net(phx_consumer *c, phx_batch *merged, uint64_t tick)
{
    phx_batch *batch = merged != NULL ? merged : batch_obtain(c);
    if (batch == NULL) {
        return false;
    }
    if (!phx_relay_ready(&c->relay) || !phx_broadcast_backlog_reserve_drain(c->backlog, &batch->broadcasts) ||
        !phx_net_changes_reserve_drain(c->net_changes, batch) ||
        !phx_update_backlog_reserve_drain(c->update_backlog, &batch->updates) ||
        !phx_net_changes_drain_edges(c->edges, batch)) {
        if (merged == NULL) {
            batch_recycle(c, batch);
        }
        return false;
    }
    batch->incarnations_before = c->incarnations_before;
    bool drained = phx_net_changes_drain(c->net_changes, batch);
    PHX_ASSERT(drained); /* room was reserved */
    (void)drained;
    phx_broadcast_backlog_drain(c->backlog, &batch->broadcasts);
    phx_update_backlog_drain(c->update_backlog, &batch->updates);
    hand_over(c, batch, c->tick_first, tick);
    return true;
}

/* Has the batch content, or had it some? batch may be NULL. */
static bool batch_has_content(const phx_batch *batch)
{
    return batch != NULL && (batch->given.change_count > 0 || batch->merged || batch->broadcasts.size.deliveries > 0 ||
                             edges_in(batch) > 0 || batch->updates.size.updates > 0);
}

/* Written only on a change: the consumer's thread may read it all the time. */
static void show_pending(phx_consumer *c)
{
    uint32_t pending = is_pending(c);
    if (atomic_load_explicit(&c->pending, memory_order_relaxed) == pending) return;
    atomic_store_explicit(&c->pending, pending, memory_order_release); /* pairs with phx_consumer_pending() */
}

bool phx_consumer_offer(phx_consumer *c, phx_batch *batch, uint64_t tick)
{
    PHX_ASSERT(tick > c->tick);
    PHX_ASSERT(batch == c->filling);
    collect_returned(c);
    if (!merge_kept(c)) {
        return false;
    }
    bool room = c->out_count < c->bound;
    bool changed = batch_has_content(batch);
    if (changed && room && !is_pending(c)) {
        PHX_ASSERT(!batch->merged); /* it would be pending */
        if (!phx_relay_ready(&c->relay)) {
            return false;
        }
        c->heard += batch->broadcasts.size.heard;
        c->due += batch->updates.size.due;
        hand_over(c, batch, tick, tick);
    } else {
        if (changed && !merge_tick(c, batch, tick)) {
            return false;
        }
        if (room && is_pending(c)) {
            if (!deliver_net(c, batch, tick)) {
                return false;
            }
        } else if (batch != NULL) {
            batch_recycle(c, batch);
        }
    }
    c->filling = NULL;
    c->tick = tick;
    show_pending(c);
    trim_one(c);
    return true;
}

uint64_t phx_consumer_handed_over(const phx_consumer *c)
{
    return c->batches;
}

void phx_consumer_relieve(phx_consumer *c)
{
    collect_returned(c);
    for (phx_batch *batch = c->spare; batch != NULL; batch = batch->next_spare) {
        phx_batch_empty(c->mem, batch);
    }
}

void phx_consumer_abandon(phx_consumer *c)
{
    if (c->filling == NULL) {
        return;
    }
    batch_recycle(c, c->filling);
    c->filling = NULL;
}

void phx_consumer_drop_broadcasts(phx_consumer *c, uint64_t deliveries)
{
    phx_broadcast_backlog_drop(c->backlog, deliveries);
}

bool phx_consumer_keep(phx_consumer *c, phx_batch *batch, uint64_t tick)
{
    PHX_ASSERT(tick > c->tick);
    PHX_ASSERT(batch == c->filling);
    const bool merged = merge_kept(c) && (!batch_has_content(batch) || merge_tick(c, batch, tick));
    if (!merged && batch != NULL && !edges_alone(batch)) {
        return false;
    }
    if (!merged && batch != NULL && edges_in(batch) > 0) {
        keep_edges(c, batch, tick);
    } else if (batch != NULL) {
        batch_recycle(c, batch);
    }
    c->filling = NULL;
    c->tick = tick;
    show_pending(c);
    return true;
}

void phx_consumer_strip(phx_batch *batch)
{
    PHX_ASSERT(!batch->merged);
    batch->given.change_count = batch->given.target_count = 0;
    batch->broadcasts.size = (phx_batch_broadcasts_size){0};
    batch->updates.size = (phx_batch_updates_size){0};
}

phx_consumer_sums phx_consumer_sum(const phx_consumer *c)
{
    return (phx_consumer_sums){.deliveries = c->heard + phx_broadcast_backlog_count(c->backlog).pushed,
                               .updates = c->due + phx_update_backlog_count(c->update_backlog).merged,
                               .bytes = c->bytes};
}

phx_consumer_counts phx_consumer_count(const phx_consumer *c)
{
    const phx_consumer_sums sums = phx_consumer_sum(c);
    phx_net_changes_counts net = phx_net_changes_count(c->net_changes);
    phx_broadcast_backlog_counts broadcasts = phx_broadcast_backlog_count(c->backlog);
    phx_update_backlog_counts updates = phx_update_backlog_count(c->update_backlog);
    return (phx_consumer_counts){
        .batches = c->batches,
        .coalesced_ticks = c->coalesced_ticks,
        .pending = net.pending,
        .pending_observers = net.observers,
        .events = c->events,
        .cancelled = net.cancelled,
        .discarded = net.discarded,
        .deliveries = sums.deliveries,
        .deliveries_dropped = broadcasts.dropped,
        .deliveries_void = broadcasts.voided,
        .deliveries_pending = broadcasts.pending,
        .updates = sums.updates,
        .updates_replaced = updates.replaced,
        .updates_pending = updates.pending,
        .edges_pending = phx_net_changes_count(c->edges).pending + c->kept_edges,
        .is_pending = is_pending(c),
        .waiting = phx_relay_waiting(&c->relay),
        .out = c->out_count,
        .out_max = c->out_max,
        .bytes = sums.bytes,
    };
}

/* ---- the consumer's thread ---- */

bool phx_consumer_pending(const phx_consumer *c)
{
    return atomic_load_explicit(&c->pending, memory_order_acquire) != 0; /* pairs with show_pending() */
}

const ph_batch *phx_consumer_take(phx_consumer *c)
{
    phx_batch *batch = phx_relay_take(&c->relay);
    if (batch == NULL) {
        return NULL;
    }
    PHX_ASSERT(phx_batch_valid(batch) && batch->state == PHX_BATCH_OUT);
    return &batch->given;
}

bool phx_consumer_return(phx_consumer *c, const ph_batch *batch)
{
    return phx_relay_return(&c->relay, batch);
}

bool phx_consumer_packets(const phx_consumer *c, const ph_batch *batch, ph_packets *packets)
{
    if (!phx_relay_is_taken(&c->relay, batch)) {
        return false;
    }
    phx_packets_begin(batch, c->mem->key, packets);
    return true;
}

uint32_t phx_consumer_close(phx_consumer *c)
{
    uint32_t closed = 0;
    for (; c->relay.taken_first != NULL; closed++) {
        bool returned = phx_relay_return(&c->relay, &c->relay.taken_first->given);
        PHX_ASSERT(returned);
        (void)returned;
    }
    return closed;
}

void phx_consumer_start_at(phx_consumer *c, uint32_t counter)
{
    PHX_ASSERT(c->made == NULL);
    phx_relay_start_at(&c->relay, counter);
}
