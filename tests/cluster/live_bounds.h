/*
 * Measures of all runs, and bounds of time; see live_faults.h.
 */
#ifndef CLUSTER_LIVE_BOUNDS_H
#define CLUSTER_LIVE_BOUNDS_H

#include "cluster/live_nodes.h"

/* Since live_begin_measure(), of all runs that are up. */
uint64_t live_longest_silence_ms(const live_cluster *cluster); /* of a node, at another one, as far as it is told */
uint64_t live_longest_gap_ms(const live_cluster *cluster);     /* of a walker, at a gateway */
uint64_t live_least_lease_ms(const live_cluster *cluster);
/* The fault has silenced a node for so long at least: else its bound says nothing. */
void live_check_silence(const live_cluster *cluster, uint64_t least_ms);
/*
 * No run waits for a server that is away since live_begin_measure(), for some seconds: each one has made a third of its
 * ticks at least. While this process is woken late by more than a tick no tick is due, as on a machine that is busy.
 */
void live_check_ticks(const live_cluster *cluster, const char *when);
/*
 * Prints the time and its bound, and checks it, unless a run is excused meanwhile. A bound has room for a machine that
 * was late; the second one's time has writes of etcd in it, and room for a disk that was.
 */
void live_bound(const live_cluster *cluster, const char *what, uint64_t ms, uint64_t bound_ms);
void live_bound_written(const live_cluster *cluster, const char *what, uint64_t ms, uint64_t bound_ms);
/* Prints how many bounds were checked, of all of this process, and checks that they are half of them at least. */
void live_bounds_end(void);
/* Prints how many runs are excused in this fault, if any are, and checks that they are few. */
void live_check_excused(const live_cluster *cluster);

#endif
