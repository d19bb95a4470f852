/*
 * The broadcasts that wait for a consumer that is behind: the mail of whole ticks, oldest
 * first, up to a bound of bytes; past it the oldest ticks' are dropped and counted. What
 * waits for an observer that leaves the world, or is not ready, is void. Owned by
 * consumer_queue.c; used by the ticking thread only, in phase "publish". No thread, no atomic.
 *
 * Memory: the mail of the ticks that wait and an entry per observer that anything waits
 * for; kept when they are through. Time: O(1) per delivery coming, dropped or going.
 */
#ifndef PHX_WORLD_BATCH_BROADCAST_BACKLOG_H
#define PHX_WORLD_BATCH_BROADCAST_BACKLOG_H

#include "world/batch/batch_broadcasts.h"

typedef struct phx_broadcast_backlog phx_broadcast_backlog;

/* Deliveries of a message to an observer. pushed = drained + voided + dropped + pending. */
typedef struct phx_broadcast_backlog_counts {
    uint64_t pushed, drained, voided, dropped;
    uint64_t pending; /* now */
    uint64_t untold;  /* now: dropped since phx_broadcast_backlog_told() */
} phx_broadcast_backlog_counts;

/* bound: bytes of mail. NULL = no memory. */
phx_broadcast_backlog *phx_broadcast_backlog_create(phx_mem *mem, uint64_t bound);
/* backlog may be NULL. */
void phx_broadcast_backlog_destroy(phx_broadcast_backlog *backlog);

/* Makes room for a push of this mail. false = no memory, nothing changed. */
bool phx_broadcast_backlog_reserve_push(phx_broadcast_backlog *backlog, const phx_batch_broadcasts *mail);
/* Takes the mail, which gets other, empty arrays; the room was reserved. Empty mail is nothing. */
void phx_broadcast_backlog_push(phx_broadcast_backlog *backlog, phx_batch_broadcasts *mail);
/* What waits for this observer is void. Nothing waits: nothing happens. */
void phx_broadcast_backlog_forget(phx_broadcast_backlog *backlog, uint64_t observer);

/* The user data of an observer from this tick on. O(1). Before this tick's push. */
void phx_broadcast_backlog_rename(phx_broadcast_backlog *backlog, uint64_t observer, uint64_t user_data);

/* Makes `mail` large enough for all that waits. false = no memory, nothing changed. */
bool phx_broadcast_backlog_reserve_drain(phx_broadcast_backlog *backlog, phx_batch_broadcasts *mail);
/*
 * Moves all that waits into `mail`, for which room was reserved: one delivery per
 * observer, its messages in their order. Messages whose observers are all void come too,
 * unless nothing is left at all. It is empty after that.
 */
void phx_broadcast_backlog_drain(phx_broadcast_backlog *backlog, phx_batch_broadcasts *mail);

phx_broadcast_backlog_counts phx_broadcast_backlog_count(const phx_broadcast_backlog *backlog);
/* So many deliveries that never came are dropped: there was no memory for them. */
void phx_broadcast_backlog_drop(phx_broadcast_backlog *backlog, uint64_t deliveries);
/* The host is told of what was dropped. */
void phx_broadcast_backlog_told(phx_broadcast_backlog *backlog);

#endif
