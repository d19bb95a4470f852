/*
 * The net difference of several ticks for the observers of one consumer that is behind:
 * what its host would have to be told to get from the last delivery to now. Owned by
 * consumer_queue.c; used by the ticking thread only, in phase "publish". No thread, no atomic.
 *
 * For one (observer, target id) the host was last told of some incarnation A of the
 * target, or of none; now the list holds some incarnation B, or none. The net is
 *     none, none  nothing                 none, B  enter B
 *     A, none     leave A                 A, A     nothing
 *     A, B        leave A, then enter B
 * so: enter then leave = nothing; leave then enter of the same incarnation = nothing, of
 * another one = both; leave A, enter B, leave B = leave A.
 * Kind and user_data of an enter are those of its target now, of a leave those of the event
 * that it comes from; those of an observer are as now too (phx_coalesce_rename()).
 *
 * PH_CHANGE_FRESH of a merged change says that the host's list starts from nothing: what
 * was pending for the observer before is dropped (a forget is implied) and its net is
 * marked fresh. A fresh observer is told at the next delivery even when its net is empty
 * by then (leave_count = enter_count = 0): the engine counts it as told from here on, so
 * a host that still keeps a list from before would never be told to drop it otherwise.
 * Any other observer with an empty net is forgotten as it becomes empty.
 *
 * Memory: one entry per (observer, target) with a non-empty net, so at most the lists at
 * the last delivery plus the lists now; arrays grow by half, tables by double, and are
 * kept. Time: merging is O(1) per event (hash of (observer, target)), forgetting O(1)
 * per entry of the observer, delivery O(n log m), n entries in lists of m.
 */
#ifndef PHX_WORLD_BATCH_NET_CHANGES_H
#define PHX_WORLD_BATCH_NET_CHANGES_H

#include "world/batch/batch.h"
#include "world/table/attach_depth.h"

typedef struct phx_coalesce phx_coalesce;

/* Events (an enter or a leave of one target for one observer). merged = drained + cancelled + forgotten + pending. */
typedef struct phx_coalesce_counts {
    uint64_t merged;    /* ever put in */
    uint64_t drained;   /* ever delivered */
    uint64_t cancelled; /* ever met their opposite; both are counted */
    uint64_t forgotten; /* ever dropped with their observer */
    uint64_t pending;   /* now: enters and leaves in the net difference */
    uint64_t observers; /* now: changes that a delivery would have */
} phx_coalesce_counts;

/* depths: of the world's attached, as they are at a call; NULL = nobody ever is. NULL = no memory. */
phx_coalesce *phx_coalesce_create(phx_mem *mem, const phx_depths *depths);
/* co may be NULL. */
void phx_coalesce_destroy(phx_coalesce *co);

/* Adds every change of a batch (one tick of one consumer). false = no memory: nothing was added. */
bool phx_coalesce_merge(phx_coalesce *co, const phx_batch *batch);
/* Room for such a merge, which can not fail then. false = no memory. */
bool phx_coalesce_reserve(phx_coalesce *co, const phx_batch *batch);
/*
 * An entity is called so from this tick on: what is pending of it as a target in a list, or as an observer, tells so.
 * O(1), whoever it is. Before this tick's merge, behind its forgets.
 */
void phx_coalesce_rename(phx_coalesce *co, uint64_t id, uint16_t kind, uint64_t user_data);
/* Drops what is pending for this observer, its fresh mark too. Nothing pending: nothing happens. */
void phx_coalesce_forget(phx_coalesce *co, uint64_t observer);
/*
 * Moves the whole net difference into `batch` (what was in it is lost; grown as needed;
 * its ticks are the caller's): changes ordered by observer id, each with its leaves, then
 * its enters, both by (depth, kind, id): enters by the depths now, leaves by those before the
 * tick of the leave, the greatest first. It is empty after that. false = no memory: nothing
 * was moved.
 */
bool phx_coalesce_drain(phx_coalesce *co, phx_batch *batch);
/* Room for that, which can not fail then. false = no memory. */
bool phx_coalesce_reserve_drain(phx_coalesce *co, phx_batch *batch);

/*
 * The same for edges, in a phx_coalesce of their own: an entity is the observer, an area
 * (or 0, being awake) the target, its being on an enter; incarnations are the entity's.
 */
bool phx_coalesce_merge_edges(phx_coalesce *co, const phx_batch *batch);
/* All into batch->edges and the view. */
bool phx_coalesce_drain_edges(phx_coalesce *co, phx_batch *batch);

phx_coalesce_counts phx_coalesce_count(const phx_coalesce *co);

#endif
