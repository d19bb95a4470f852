/*
 * Pending broadcasts of a slow consumer: the broadcasts of whole ticks, the oldest first, up to a bound of bytes; past
 * it the oldest ticks' are dropped and counted. Deliveries to an observer that leaves the world, or is not ready, are
 * void. Owned by consumer_queue.c; used by the ticking thread only, in the publish phase. No thread, no atomic.
 *
 * Memory: the broadcasts of the pending ticks and an entry per observer with a pending delivery; kept when they are
 * drained. Time: O(1) per delivery pushed, dropped or drained.
 */
#ifndef PHX_WORLD_BATCH_BROADCAST_BACKLOG_H
#define PHX_WORLD_BATCH_BROADCAST_BACKLOG_H

#include "world/batch/batch_broadcasts.h"

typedef struct phx_broadcast_backlog phx_broadcast_backlog;

/* Deliveries of a message to an observer. pushed = drained + voided + dropped + pending. */
typedef struct phx_broadcast_backlog_counts {
    uint64_t pushed, drained, voided, dropped;
    uint64_t pending; /* at present */
    uint64_t untold;  /* at present: dropped since phx_broadcast_backlog_report_drops() */
} phx_broadcast_backlog_counts;

/* bound: bytes of broadcasts. NULL = no memory. */
phx_broadcast_backlog *phx_broadcast_backlog_create(phx_mem *mem, uint64_t bound);
/* backlog may be NULL. */
void phx_broadcast_backlog_destroy(phx_broadcast_backlog *backlog);

/* Room for a push of these broadcasts. false = no memory, nothing changed. */
bool phx_broadcast_backlog_reserve_push(phx_broadcast_backlog *backlog, const phx_batch_broadcasts *broadcasts);
/* Takes the broadcasts, and swaps in empty arrays; room was reserved. Empty broadcasts are no push. */
void phx_broadcast_backlog_push(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts);
/* Voids the pending deliveries of this observer, if any. */
void phx_broadcast_backlog_drop_observer(phx_broadcast_backlog *backlog, uint64_t observer);

/* Sets the user data of an observer from this tick on. O(1). Before this tick's push. */
void phx_broadcast_backlog_rename(phx_broadcast_backlog *backlog, uint64_t observer, uint64_t user_data);

/* Makes `broadcasts` large enough for all that is pending. false = no memory, nothing changed. */
bool phx_broadcast_backlog_reserve_drain(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts);
/*
 * Moves all pending broadcasts into `broadcasts`, with reserved room: one delivery per observer, with its messages in
 * order. Messages with void deliveries only come too, unless no delivery is left. The backlog is empty then.
 */
void phx_broadcast_backlog_drain(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts);

phx_broadcast_backlog_counts phx_broadcast_backlog_count(const phx_broadcast_backlog *backlog);
/* Counts deliveries as dropped that never came, for want of memory. */
void phx_broadcast_backlog_drop(phx_broadcast_backlog *backlog, uint64_t deliveries);
/* The host has got the number of dropped deliveries. */
void phx_broadcast_backlog_report_drops(phx_broadcast_backlog *backlog);

#endif
