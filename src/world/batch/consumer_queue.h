/*
 * Batches of one consumer, from the ticking thread to the consumer's thread and back;
 * bounded, and no event is ever lost: past the bound they become a net difference
 * (net_changes.h), of updates the latest position counts (update_backlog.h), and broadcasts wait, up to a
 * bound of their own (broadcast_backlog.h). One per
 * consumer of a world; src/world owns it.
 *
 * Batches go out and come back on a relay (relay.h), which grows with the most that were
 * ever out at once. At most `bound` batches are out (waiting or taken), and one more is
 * being filled: bound + 1 exist, made when first needed, grown, kept. So a consumer that
 * keeps up costs a few KiB, whatever its bound. Beside it one datum is shared: whether something
 * waits behind the bound (phx_consumer_pending()).
 *
 * The order of calls of a tick, ticking thread:
 *   phx_consumer_forget() for each observer that left the world or is not ready now (also
 *   one that left and entered again in this tick),
 *   phx_consumer_rename() for the entities whose kind or user data changed, then
 *   b = phx_consumer_begin(), the workers fill b, phx_consumer_offer(b); or
 *   phx_consumer_offer(NULL) when nothing changed.
 * The first change of an observer behind a forget carries PH_CHANGE_FRESH.
 *
 * The consumer's thread may change, as may the ticking one, when the caller orders the
 * one before the other (phx_consumer_close() before the next open).
 */
#ifndef PHX_WORLD_BATCH_CONSUMER_QUEUE_H
#define PHX_WORLD_BATCH_CONSUMER_QUEUE_H

#include "shards/entity/renames.h"
#include "world/batch/batch.h"
#include "world/table/attach_depth.h"

typedef struct phx_consumer phx_consumer;

/* Since the consumer was made, unless said now. Events offered = events + cancelled + forgotten + pending. */
typedef struct phx_consumer_counts {
    uint64_t batches;            /* handed over */
    uint64_t coalesced_ticks;    /* offers with changes that went into a net difference */
    uint64_t pending;            /* now: enters and leaves in the net difference */
    uint64_t pending_observers;  /* now: observers in it */
    uint64_t events;             /* enters and leaves handed over: the targets of those batches */
    uint64_t cancelled;          /* events that met their opposite while pending (both are counted) */
    uint64_t forgotten;          /* events dropped with their observer while pending */
    uint64_t deliveries;         /* of broadcasts to observers: offered, */
    uint64_t deliveries_dropped; /* dropped past the bound while they waited, */
    uint64_t deliveries_void;    /* void with their observer while they waited */
    uint64_t deliveries_pending; /* now: waiting behind the bound; the others were handed over */
    uint64_t updates;            /* targets told to observers: offered, */
    uint64_t updates_replaced;   /* replaced by a later position while they waited, or gone with target or observer */
    uint64_t updates_pending;    /* now: waiting behind the bound; the others were handed over */
    uint64_t edges_pending;      /* now: the same of edges */
    bool is_pending;             /* now: anything waits behind the bound, if only word of mail that was dropped */
    uint32_t waiting;            /* now: handed over, not taken; may be a moment old */
    uint32_t out;                /* now: handed over, not known to be back */
    uint32_t out_max;            /* the most so far */
    uint64_t bytes;              /* of what was handed over */
} phx_consumer_counts;

/*
 * 1 <= bound <= 65536 batches waiting or taken; mail_bytes of broadcasts behind it; depths as in
 * net_changes.h. NULL = no memory. No batch is made yet.
 */
phx_consumer *phx_consumer_create(phx_mem *mem, uint32_t bound, uint32_t mail_bytes, const phx_depths *depths);
/* No thread inside; batches taken and not returned are freed too. c may be NULL. */
void phx_consumer_destroy(phx_consumer *c);

/* ---- ticking thread ---- */

/*
 * The batch to fill in this tick, with room for that many changes and targets; its
 * view.change_count and view.target_count are set to them and may be lowered before the
 * offer. Its mail and news are empty; phx_batch_broadcasts_reserve() and phx_batch_updates_reserve() make room.
 * Workers may fill changes, targets, kinds and incarnations, mail and news, each its own
 * ranges.
 * Again before the offer: the same batch, its content lost. NULL = no memory; nothing is
 * being filled then.
 */
phx_batch *phx_consumer_begin(phx_consumer *c, uint32_t change_count, uint32_t target_count);

/* Drops what is pending for this observer. Batches handed over already stay as they are. */
void phx_consumer_forget(phx_consumer *c, uint64_t observer);
/* What is pending tells of these entities, observers or not, by their new kinds and user data. O(count). */
void phx_consumer_rename(phx_consumer *c, const phx_rename *items, uint32_t count);

/*
 * Ends this consumer's part of a tick; `tick` is greater than at the offer before. batch
 * is that of phx_consumer_begin(), or NULL (nothing to tell; not while one is being filled).
 *  - nothing pending, room (fewer than bound out): the batch is handed over; without
 *    changes, mail and news nothing is handed over;
 *  - nothing pending, no room: it becomes the pending net difference and backlog;
 *  - pending: it is merged; with room, net and backlog are then handed over as one batch,
 *    with tick_first = the first tick merged and tick = this one. Nothing left is nothing,
 *    but mail that was dropped and not told yet.
 * The batch is not the caller's any more. false = no memory: nothing is lost or handed
 * over; call it again with the same arguments and nothing else in between.
 */
bool phx_consumer_offer(phx_consumer *c, phx_batch *batch, uint64_t tick);

/* ---- a tick that is finished without the memory that it wants (tick/finish_short.h), ticking thread ---- */

/* Memory of batches that are spare goes back. */
void phx_consumer_relieve(phx_consumer *c);
/* So many deliveries of the tick are dropped, and counted, as past consumer_bytes. */
void phx_consumer_drop_broadcasts(phx_consumer *c, uint64_t deliveries);
/*
 * In the place of an offer that had no memory: the tick waits with what is pending. false = there is no memory for that
 * either, which a batch without changes, mail and updates needs not.
 */
bool phx_consumer_keep(phx_consumer *c, phx_batch *batch, uint64_t tick);
/* The batch that phx_consumer_begin() gave, if any, is spare again. */
void phx_consumer_abandon(phx_consumer *c);
/* The batch that is being filled has no changes, mail and updates any more. */
void phx_consumer_strip(phx_batch *batch);

/* Ticking thread, or ordered behind it; but for `waiting`, which the consumer's thread moves too. */
phx_consumer_counts phx_consumer_count(const phx_consumer *c);

/* ---- the consumer's thread; wait-free ---- */

/* The oldest batch; NULL = none waits. */
const ph_batch *phx_consumer_take(phx_consumer *c);
/*
 * Did anything wait for an offer with room at the end of the last one? Asked before a take that returns NULL, both
 * answers are true of the moment of this one: only this thread takes, so there was no batch then either.
 */
bool phx_consumer_pending(const phx_consumer *c);
/*
 * false: it was not taken here or is back already; nothing happened. The pointer is
 * looked up among those taken, its memory is not touched before it is found.
 */
bool phx_consumer_return(phx_consumer *c, const ph_batch *batch);
/* Gives back all that are taken, the oldest first. What waits stays for the next taker. Returns how many came back. */
uint32_t phx_consumer_close(phx_consumer *c);

/* Tests only, on a consumer never used: starts the counters of its first rings near their wrap. */
void phx_consumer_start_at(phx_consumer *c, uint32_t counter);

#endif
