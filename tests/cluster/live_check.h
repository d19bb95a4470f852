/*
 * Rules that hold of the lines of nodes, whichever of them died. Pure but for failed checks.
 */
#ifndef CLUSTER_LIVE_CHECK_H
#define CLUSTER_LIVE_CHECK_H

#include "cluster/live_nodes.h"

/* The walkers stand still, and no node has had news for some statuses: each walker is owned by exactly one node. */
void live_check_owners(const live_cluster *cluster);
/* Walkers that were entered anew, or taken back from their way to a dead node. */
typedef struct live_restored {
    uint32_t entered, taken_back;
    uint64_t last_ms;
} live_restored;

/* Events from a place on, behind the death of a node: only its walkers were restored, and excused ones'. NULL: none. */
void live_check_restored(const live_cluster *cluster, const live_run *dead, size_t first, live_restored *restored);
/* A member that the test itself had leave or die: that it was put out counts for no run, and it says nothing more. */
void live_leave_out(live_cluster *cluster, const live_run *gone);
/* Events from a place on, and measures: no walker was restored and no member was put out, but for excused runs. */
void live_check_nothing_lost(const live_cluster *cluster, size_t first);
/*
 * All lines, once all runs have ended: an ownership is given once; a walker that comes to a node has the steps
 * with which the last node stopped; a walker that a node gave away came to the named node, and one that a node took was
 * given by that, unless one of both died just then; at
 * a gateway the state of a walker goes back only where it was entered anew or taken back; no client of one was shown a
 * change twice.
 */
void live_check_events(const live_cluster *cluster);

#endif
