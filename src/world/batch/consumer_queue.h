/*
 * Batches of one consumer, from the ticking thread to the consumer's thread and back. The queue is bounded, and no
 * event is ever lost: past the bound events become a net difference (net_changes.h), of updates the latest position is
 * kept (update_backlog.h), and broadcasts wait, up to a bound of their own (broadcast_backlog.h). One per consumer of a
 * world; src/world owns it.
 *
 * Batches go out and come back on a relay (relay.h), which grows with the most that were ever out at once. At most
 * `bound` batches are out (waiting or taken), and one more is being filled: bound + 1 exist, made when first needed,
 * grown, kept. So a consumer that keeps up costs a few KiB, whatever its bound. One more datum is shared: whether
 * something is pending behind the bound (phx_consumer_pending()).
 *
 * The order of calls of a publish phase, ticking thread:
 *   phx_consumer_drop_edges() for each entity that was given away and is back (as the exchange ends),
 *   phx_consumer_drop_observer() for each observer that left the world or is not ready now (also
 *   one that left and entered again in this tick),
 *   phx_consumer_rename() for the entities that changed their kind or user data, then
 *   b = phx_consumer_begin(), the workers fill b, phx_consumer_offer(b); or
 *   phx_consumer_offer(NULL) when nothing changed.
 * The first change of an observer after a drop of the observer carries PH_CHANGE_FRESH.
 *
 * The consumer's thread may change, as may the ticking one, if the caller orders one before the other
 * (phx_consumer_close() before the next open).
 */
#ifndef PHX_WORLD_BATCH_CONSUMER_QUEUE_H
#define PHX_WORLD_BATCH_CONSUMER_QUEUE_H

#include "shards/entity/renames.h"
#include "world/batch/batch.h"
#include "world/batch/net_changes.h"

typedef struct phx_consumer phx_consumer;

/* Sums since the consumer was made, unless "at present". Events offered = events + cancelled + discarded + pending. */
typedef struct phx_consumer_counts {
    uint64_t batches;            /* handed over */
    uint64_t coalesced_ticks;    /* offers with changes that went into a net difference */
    uint64_t pending;            /* at present: enters and leaves in the net difference */
    uint64_t pending_observers;  /* at present: observers in it */
    uint64_t events;             /* enters and leaves handed over: the targets of these batches */
    uint64_t cancelled;          /* events that met their opposite while pending (both count) */
    uint64_t discarded;          /* events dropped with their observer while pending */
    uint64_t deliveries;         /* deliveries of broadcasts: offered, */
    uint64_t deliveries_dropped; /* dropped past the bound while pending, */
    uint64_t deliveries_void;    /* void with their observer while pending */
    uint64_t deliveries_pending; /* at present: pending behind the bound; the others were handed over */
    uint64_t updates;            /* updates: offered, */
    uint64_t updates_replaced;   /* replaced by a later position while pending, or gone with target or observer */
    uint64_t updates_pending;    /* at present: pending behind the bound; the others were handed over */
    uint64_t edges_pending;      /* at present: edges pending behind the bound */
    bool is_pending;  /* at present: something is pending behind the bound, if only the number of dropped deliveries */
    uint32_t waiting; /* at present: handed over, not taken; may be a moment old */
    uint32_t out;     /* at present: handed over, not known to be back */
    uint32_t out_max; /* the most so far */
    uint64_t bytes;   /* of all batches handed over */
} phx_consumer_counts;

/* The counts of them that each tick reads. */
typedef struct phx_consumer_sums {
    uint64_t deliveries, updates, bytes;
} phx_consumer_sums;

/*
 * 1 <= bound <= 65536 batches waiting or taken; broadcast_bytes bounds the broadcasts behind it; world as in
 * net_changes.h. NULL = no memory. No batch is made yet.
 */
phx_consumer *phx_consumer_create(phx_mem *mem, uint32_t bound, uint32_t broadcast_bytes, const phx_net_world *world);
/* No thread inside; batches taken and not returned are freed too. c may be NULL. */
void phx_consumer_destroy(phx_consumer *c);

/* ---- ticking thread ---- */

/*
 * The batch to fill in this tick, with room for that many changes and targets; its given.change_count and
 * given.target_count are set to them and may be lowered before the offer. Its broadcasts and updates are empty;
 * phx_batch_broadcasts_reserve() and phx_batch_updates_reserve() make room. Workers may fill changes, targets, kinds
 * and incarnations, broadcasts and updates, each its own ranges. A second call before the offer gives the same batch,
 * its content lost. NULL = no memory; no batch is being filled then.
 */
phx_batch *phx_consumer_begin(phx_consumer *c, uint32_t change_count, uint32_t target_count);

/* Drops everything pending for this observer. Batches handed over already stay as they are. */
void phx_consumer_drop_observer(phx_consumer *c, uint64_t observer);
/* Drops the edges of this stay that are pending. O(its areas), and O(edges kept for want of memory). */
void phx_consumer_drop_edges(phx_consumer *c, phx_net_stay of);
/* Renames these entities, observers or not, in everything pending: their kinds and user data. O(count). */
void phx_consumer_rename(phx_consumer *c, const phx_rename *items, uint32_t count);

/*
 * Ends this consumer's part of a tick; `tick` is greater than at the last offer. batch is that of phx_consumer_begin(),
 * or NULL (no content; not while one is being filled).
 *  - nothing pending, room (fewer than bound out): the batch is handed over; without
 *    content nothing is handed over;
 *  - nothing pending, no room: it becomes the pending net difference and backlogs;
 *  - pending: it is merged; with room, net difference and backlogs are then handed over as
 *    one batch, with tick_first = the first tick merged and tick = this one. If nothing is
 *    left, nothing is handed over, except a number of dropped deliveries.
 * The caller has given the batch away. false = no memory: nothing is lost or handed over; call it again with the same
 * arguments and no other call in between.
 */
bool phx_consumer_offer(phx_consumer *c, phx_batch *batch, uint64_t tick);

/* The number of batches handed over so far. */
uint64_t phx_consumer_handed_over(const phx_consumer *c);

/* ---- short ticks (tick/finish_short.h), ticking thread ---- */

/* Gives back the memory of spare batches. */
void phx_consumer_relieve(phx_consumer *c);
/* Drops so many deliveries of the tick, and counts them, as past consumer_bytes. */
void phx_consumer_drop_broadcasts(phx_consumer *c, uint64_t deliveries);
/*
 * Instead of an offer that had no memory: keeps the tick with everything pending. false = there is no memory for that
 * either; a batch without changes, broadcasts and updates needs none.
 */
bool phx_consumer_keep(phx_consumer *c, phx_batch *batch, uint64_t tick);
/* Makes the batch of phx_consumer_begin(), if any, spare again. */
void phx_consumer_abandon(phx_consumer *c);
/* Removes changes, broadcasts and updates from the batch that is being filled. */
void phx_consumer_strip(phx_batch *batch);

/* By the ticking thread, or ordered after it, except `waiting`, which the consumer's thread changes too. */
phx_consumer_counts phx_consumer_count(const phx_consumer *c);
phx_consumer_sums phx_consumer_sum(const phx_consumer *c);

/* ---- the consumer's thread; wait-free ---- */

/* The oldest batch; NULL = none is waiting. */
const ph_batch *phx_consumer_take(phx_consumer *c);
/*
 * Was something pending at the end of the last offer? If it is called before a take that returns NULL, both answers
 * hold for the moment of this call: only this thread takes, so there was no batch then either.
 */
bool phx_consumer_pending(const phx_consumer *c);
/*
 * Returns a batch. false: it was not taken here or is back already; nothing happened. The pointer is looked up among
 * taken batches; its memory is not read before it is found.
 */
bool phx_consumer_return(phx_consumer *c, const ph_batch *batch);
/* Begins a walk over a taken batch by observer: packets.h. false: it was not taken here. */
bool phx_consumer_packets(const phx_consumer *c, const ph_batch *batch, ph_packets *packets);
/* Gives back all taken batches, the oldest first. Waiting ones stay for the next taker. Returns how many came back. */
uint32_t phx_consumer_close(phx_consumer *c);

/* Tests only, on a consumer never used: starts the counters of its first rings near their wrap. */
void phx_consumer_start_at(phx_consumer *c, uint32_t counter);

#endif
