/*
 * Faults of a test of processes: each one harms a running cluster of nodes, gateways, brokers and members of etcd,
 * checks and prints its bounds, and leaves a whole cluster behind. The victim and the moment are drawn.
 *
 * A bound of time is that of an idle machine. The time by which this machine came too late is added to it: the longest
 * that this process was woken late. A tick of a run that takes long is none: it may wait for what it must not wait for.
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

/*
 * From the end of a lease to the last member's map: etcd looks for ended leases twice a second; lists are 200 ms apart,
 * one finds the key gone, one may be the second member's, one brings the map; and etcd writes twice, to a disk that
 * others use.
 */
enum { LIVE_LEASE_SLACK_MS = 1500 };

/* One that is up. but: not that one; NULL: any. The test ends if there is none. */
live_run *live_choose_run(live_cluster *cluster, uint64_t *random, bool is_gateway, const live_run *but);
/* A moment, from which on all is measured. */
void live_pass_some_time(live_cluster *cluster, uint64_t *random);
/* A new run, once others are there: a node owns walkers, and they cross. */
void live_start_again(live_cluster *cluster, bool is_gateway);
/* A node is dead, or cut off, since then: its walkers are entered by the others, in time, and no other walker. */
bool live_check_death(live_cluster *cluster, const live_run *dead, uint64_t since_ms, size_t first, uint64_t bound_ms);

#endif
