/*
 * Pending updates of a slow consumer: for each observer and target the latest position that was due. The updates of a
 * target end when it leaves the list, the updates of an observer when it leaves the world or is not ready. Owned by
 * consumer_queue.c; used by the ticking thread only, in the publish phase. No thread, no atomic.
 *
 * Memory: an entry per observer and target with a pending update, so at most the lists' entries; kept. Time: O(1) per
 * update and per leave.
 */
#ifndef PHX_WORLD_BATCH_UPDATE_BACKLOG_H
#define PHX_WORLD_BATCH_UPDATE_BACKLOG_H

#include "world/batch/batch.h"

typedef struct phx_update_backlog phx_update_backlog;

/* Numbers of updates. merged = drained + replaced + pending. */
typedef struct phx_update_backlog_counts {
    uint64_t merged, drained;
    uint64_t replaced; /* by a later one, or ended with target or observer */
    uint64_t pending;  /* at present */
} phx_update_backlog_counts;

/* NULL = no memory. */
phx_update_backlog *phx_update_backlog_create(phx_mem *mem);
/* latest may be NULL. */
void phx_update_backlog_destroy(phx_update_backlog *update_backlog);

/* Room for a merge of this batch. false = no memory, nothing changed. */
bool phx_update_backlog_reserve(phx_update_backlog *update_backlog, const phx_batch *batch);
/* Drops updates of targets that leave by the batch's changes, then takes the batch's updates; room was reserved. */
void phx_update_backlog_merge(phx_update_backlog *update_backlog, const phx_batch *batch);
/* Sets the user data of an entity from this tick on, as a target and as an observer. O(1). Before this tick's merge. */
void phx_update_backlog_rename(phx_update_backlog *update_backlog, uint64_t id, uint64_t user_data);
/* Drops the pending updates of this observer. */
void phx_update_backlog_drop_observer(phx_update_backlog *update_backlog, uint64_t observer);
/* Makes `updates` large enough for all pending updates; its content is lost. false = no memory. */
bool phx_update_backlog_reserve_drain(phx_update_backlog *update_backlog, phx_batch_updates *updates);
/* Moves all pending updates into `updates`, with reserved room. The backlog is empty then. */
void phx_update_backlog_drain(phx_update_backlog *update_backlog, phx_batch_updates *updates);

phx_update_backlog_counts phx_update_backlog_count(const phx_update_backlog *update_backlog);

#endif
