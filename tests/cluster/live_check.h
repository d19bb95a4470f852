/*
 * Rules that hold of the lines of nodes, whichever of them died. Pure but for failed checks.
 */
#ifndef CLUSTER_LIVE_CHECK_H
#define CLUSTER_LIVE_CHECK_H

#include "cluster/live_nodes.h"

/* The walkers stand still, and no node has had news for some statuses: each walker is owned by exactly one node. */
void live_check_owners(const live_cluster *cluster);
/*
 * All lines, once all runs have ended: an ownership is given once; a walker that comes to a node has the steps
 * with which the last node stopped; a walker that a node gave away came to the named node, unless one of both died.
 */
void live_check_events(const live_cluster *cluster);

#endif
