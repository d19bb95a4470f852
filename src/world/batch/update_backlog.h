/*
 * The updates that wait for a consumer that is behind: of each observer and target the
 * latest position that was due. A target that leaves the list, and an observer that leaves
 * the world or is not ready, take theirs along. Owned by consumer_queue.c; used by the ticking
 * thread only, in phase "publish". No thread, no atomic.
 *
 * Memory: an entry per observer and target that waits, so no more than the lists have;
 * kept. Time: O(1) per update and per leave.
 */
#ifndef PHX_WORLD_BATCH_UPDATE_BACKLOG_H
#define PHX_WORLD_BATCH_UPDATE_BACKLOG_H

#include "world/batch/batch.h"

typedef struct phx_update_backlog phx_update_backlog;

/* Updates: a target told to an observer. merged = drained + replaced + pending. */
typedef struct phx_update_backlog_counts {
    uint64_t merged, drained;
    uint64_t replaced; /* by a later one, or gone with target or observer */
    uint64_t pending;  /* now */
} phx_update_backlog_counts;

/* NULL = no memory. */
phx_update_backlog *phx_update_backlog_create(phx_mem *mem);
/* latest may be NULL. */
void phx_update_backlog_destroy(phx_update_backlog *latest);

/* Makes room for a merge of this batch. false = no memory, nothing changed. */
bool phx_update_backlog_reserve(phx_update_backlog *latest, const phx_batch *batch);
/* Drops the updates of whom the batch's changes say they left, then takes its own; the room was reserved. */
void phx_update_backlog_merge(phx_update_backlog *latest, const phx_batch *batch);
/* The user data of an entity from this tick on, as a target and as an observer. O(1). Before this tick's merge. */
void phx_update_backlog_rename(phx_update_backlog *latest, uint64_t id, uint64_t user_data);
/* Drops what waits for this observer. */
void phx_update_backlog_forget(phx_update_backlog *latest, uint64_t observer);
/* Makes the news large enough for all that waits; what was in it is lost. false = no memory. */
bool phx_update_backlog_reserve_drain(phx_update_backlog *latest, phx_batch_updates *news);
/* Moves all that waits into the news, for which room was reserved. It is empty after that. */
void phx_update_backlog_drain(phx_update_backlog *latest, phx_batch_updates *news);

phx_update_backlog_counts phx_update_backlog_count(const phx_update_backlog *latest);

#endif
