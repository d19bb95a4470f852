/*
 * The net difference over several ticks for the observers of one slow consumer: the changes from the host's last
 * delivery to now. Owned by consumer_queue.c; used by the ticking thread only, in the publish phase. No thread, no
 * atomic.
 *
 * For one (observer, target id) the host's list has some incarnation A of the target, or none; the engine's list has
 * some incarnation B, or none. The net is
 *     none, none  nothing                 none, B  enter B
 *     A, none     leave A                 A, A     nothing
 *     A, B        leave A, then enter B
 * so: enter then leave = nothing; leave then enter of the same incarnation = nothing, of another one = both; leave A,
 * enter B, leave B = leave A. An enter has its target's present kind and user_data, a leave the ones of its own event,
 * and its cause. The cause of an enter follows from its incarnation: was it given in the ticks of the difference?
 * observers have the present ones too (phx_net_changes_rename()).
 *
 * PH_CHANGE_FRESH of a merged change says that the host's list begins empty: everything pending for the observer is
 * dropped (a drop is implied) and its net is marked fresh. A fresh observer is in the next delivery even if its net
 * is empty by then (leave_count = enter_count = 0). The engine counts it as delivered from then on, so without this
 * delivery a host with an older list would never drop it. Any other observer with an empty net is removed when it
 * becomes empty.
 *
 * Memory: one entry per (observer, target) with a non-empty net, so at most the lists at the last delivery plus the
 * lists now; arrays grow by half, tables by double, and are kept. Time: merging is O(1) per event (hash of (observer,
 * target)), forgetting O(1) per entry of the observer, delivery O(n log m), n entries in lists of m.
 */
#ifndef PHX_WORLD_BATCH_NET_CHANGES_H
#define PHX_WORLD_BATCH_NET_CHANGES_H

#include "shards/entity/attach_depth.h"
#include "shards/entity/renames.h"
#include "world/batch/batch.h"
#include "world/batch/net_set.h"

/* The part of the world that net differences ask; its owner keeps it as long as they are. */
typedef struct phx_net_world {
    const phx_depths *depths;                              /* of attached entities */
    const uint32_t *incarnations;                          /* the last one given */
    ph_position (*locate)(const void *owner, uint64_t id); /* where an entity is; NULL: events have no positions */
    const void *owner;
} phx_net_world;

typedef struct phx_net_changes phx_net_changes;

/* Events (an enter or a leave of one target for one observer). merged = drained + cancelled + discarded + pending. */
typedef struct phx_net_changes_counts {
    uint64_t merged;    /* merged so far */
    uint64_t drained;   /* delivered so far */
    uint64_t cancelled; /* events that met their opposite; both count */
    uint64_t discarded; /* dropped with their observer so far */
    uint64_t pending;   /* at present: enters and leaves in the net difference */
    uint64_t observers; /* at present: changes that a delivery would have */
} phx_net_changes_counts;

/* world, as it is at a call; NULL = no entity is ever attached, and none appears. Returns NULL for want of memory. */
phx_net_changes *phx_net_changes_create(phx_mem *mem, const phx_net_world *world);
/* co may be NULL. */
void phx_net_changes_destroy(phx_net_changes *co);

/* Adds every change of a batch (one tick of one consumer). false = no memory: nothing was added. */
bool phx_net_changes_merge(phx_net_changes *co, const phx_batch *batch);
/* Room for such a merge, which can not fail then. false = no memory. */
bool phx_net_changes_reserve(phx_net_changes *co, const phx_batch *batch);
/*
 * Renames a stay of an entity from this tick on, as a target in all nets and as an observer. O(1), however many nets
 * have it. Before this tick's merge, after its drops.
 */
void phx_net_changes_rename(phx_net_changes *co, const phx_rename *item);
/* Drops everything pending for this observer, its fresh mark too, if any. */
void phx_net_changes_drop_observer(phx_net_changes *co, uint64_t observer);
/*
 * Moves the whole net difference into `batch` (its content is lost; it grows as needed; the caller sets its ticks, and
 * incarnations_before, as the causes of enters need it).
 * Changes are ordered by observer id, each with its leaves, then its enters, both by (depth, kind, id): enters by the
 * depths now, leaves by the depths before the tick of the leave, the greatest first. The net difference is empty then.
 * false = no memory: nothing was moved.
 */
bool phx_net_changes_drain(phx_net_changes *co, phx_batch *batch);
/* Room for a drain, which can not fail then. false = no memory. */
bool phx_net_changes_reserve_drain(phx_net_changes *co, phx_batch *batch);

/*
 * The same for edges, in a phx_net_changes of their own: an entity is the observer, an area (or 0, being awake) the
 * target, an `on` edge an enter; incarnations are the entity's.
 */
bool phx_net_changes_merge_edges(phx_net_changes *co, const phx_batch *batch);
/* Drops the edges of this stay. O(the areas of its id). */
void phx_net_changes_drop_edges(phx_net_changes *co, phx_net_stay of);
/* Moves all edges into batch->edges and the given part. */
bool phx_net_changes_drain_edges(phx_net_changes *co, phx_batch *batch);

phx_net_changes_counts phx_net_changes_count(const phx_net_changes *co);

#endif
