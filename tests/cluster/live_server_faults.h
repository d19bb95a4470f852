/*
 * Faults of brokers and members of etcd; see live_faults.h.
 */
#ifndef CLUSTER_LIVE_SERVER_FAULTS_H
#define CLUSTER_LIVE_SERVER_FAULTS_H

#include "cluster/live_nodes.h"

/* The member of etcd that leads; the test ends if none does for a minute. */
test_server *live_await_leader(live_cluster *cluster);
void live_kill_broker(live_cluster *cluster, uint64_t *random);
void live_hang_broker(live_cluster *cluster, uint64_t *random);
void live_kill_brokers(live_cluster *cluster, uint64_t *random);
void live_kill_etcd(live_cluster *cluster, uint64_t *random);
void live_kill_etcd_leader(live_cluster *cluster, uint64_t *random);
void live_hang_etcd_leader(live_cluster *cluster, uint64_t *random);
void live_hang_etcd_follower(live_cluster *cluster, uint64_t *random);
void live_hang_etcd_majority(live_cluster *cluster, uint64_t *random);
/* With one more node, which owns nothing while its lease is not proven. */
void live_freeze_node(live_cluster *cluster, uint64_t *random);
void live_kill_etcd_majority(live_cluster *cluster, uint64_t *random);

#endif
