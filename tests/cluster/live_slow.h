/*
 * A node with late ticks beside others that have their time: no node waits for it, nothing is lost, its lag is told,
 * and p99 of the others' ticks is printed, with it and without. One of live_faults.
 */
#ifndef CLUSTER_LIVE_SLOW_H
#define CLUSTER_LIVE_SLOW_H

#include "cluster/live_nodes.h"

void live_slow_node(live_cluster *cluster, uint64_t *random);

#endif
