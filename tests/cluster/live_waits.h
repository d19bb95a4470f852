/*
 * Waits of a test of processes, each bounded: the lines of all runs are read along. A wait that is not over in time is
 * a failed check, with the logs of all runs.
 */
#ifndef CLUSTER_LIVE_WAITS_H
#define CLUSTER_LIVE_WAITS_H

#include "cluster/live_nodes.h"

enum { LIVE_EXIT_FENCED = 3 };

/* Reads along for so long. */
void live_pass(live_cluster *cluster, uint64_t ms);
/* Each walker is owned by a node that is up, and each such node owns some, by statuses behind since_ms. */
bool live_await_owned(live_cluster *cluster, const char *what, uint64_t since_ms);
/* Some more walkers are handed over. */
bool live_await_crossings(live_cluster *cluster);
/* The run ends by itself, with this exit status. */
bool live_await_end(live_cluster *cluster, live_run *run, const char *what, int exit_status);
/* The run is a member, by a map that was written for it. */
bool live_await_joined(live_cluster *cluster, const live_run *run, const char *what);
/* phc_may_commit() is true at all nodes. */
bool live_await_commits(live_cluster *cluster, const char *what);
/*
 * Since live_begin_measure(): a node has lost a connection to NATS and has another one; a server of etcd gave a run no
 * answer. So a fault was felt.
 */
bool live_await_reconnects(live_cluster *cluster, const char *what);
bool live_await_failures(live_cluster *cluster, const char *what);
/* All walkers stand still, and no node has news: each walker has one owner. Then they go on. */
bool live_await_rest(live_cluster *cluster, const char *when);
uint32_t live_count_gained(const live_cluster *cluster);

#endif
