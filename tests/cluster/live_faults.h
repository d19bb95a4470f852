/*
 * Faults of a test of processes: each one harms a running cluster of nodes, gateways, brokers and members of etcd,
 * checks and prints its bounds, and leaves a whole cluster behind. The victim and the moment are drawn.
 *
 * A bound of time is that of an idle machine. The time by which this machine came too late is added to it: the longest
 * that this process was woken late, and the longest tick of a run.
 */
#ifndef CLUSTER_LIVE_FAULTS_H
#define CLUSTER_LIVE_FAULTS_H

#include "cluster/live_nodes.h"

typedef struct live_fault {
    const char *name;
    void (*inflict)(live_cluster *cluster, uint64_t *random);
} live_fault;

enum { LIVE_NODES = 3, LIVE_GATEWAYS = 2 };

extern const live_fault live_faults[];
extern const uint32_t live_fault_count;

#endif
