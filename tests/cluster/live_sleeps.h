/*
 * Processes that stand still: a node or a gateway, all of them, or the whole machine, as one that is suspended does.
 * See live_faults.h.
 */
#ifndef CLUSTER_LIVE_SLEEPS_H
#define CLUSTER_LIVE_SLEEPS_H

#include "cluster/live_nodes.h"

/* A run that is paused counts as none that is up. */
void live_pause(live_run *run);
void live_wake(live_run *run);

void live_sleep_members(live_cluster *cluster, uint64_t *random);
void live_sleep_all(live_cluster *cluster, uint64_t *random);

#endif
