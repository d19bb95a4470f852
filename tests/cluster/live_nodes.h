/*
 * Processes pharos-node of a test, and the lines that they print. A run is one process; a node that is started again is
 * a new run. One thread.
 */
#ifndef CLUSTER_LIVE_NODES_H
#define CLUSTER_LIVE_NODES_H

#include <stdio.h>

#include "cluster/servers.h"
#include "support/check.h"

enum { LIVE_RUNS_MAX = 12, LIVE_WALKERS_MAX = 256, LIVE_LINE_SIZE = 8192, LIVE_SAME_STATUSES = 3 };

typedef enum live_kind { LIVE_ENTERED, LIVE_GAINED, LIVE_RESTORED, LIVE_LOST } live_kind;

/* A walker's event, as a run printed it. */
typedef struct live_event {
    live_kind kind;
    uint32_t run, number, peer; /* number: of the node */
    uint64_t ms, id, ownership, steps;
} live_event;

typedef struct live_run {
    test_server process;
    FILE *log; /* read along */
    uint32_t number;
    uint64_t status_ms, transit, damaged, duplicates, refused;
    uint64_t changes;       /* of the last status: walkers that came and went, since the start */
    uint32_t same_statuses; /* that had these numbers, one after the other */
    bool owns[LIVE_WALKERS_MAX + 1];
    bool killed, paused, is_drained, is_fenced;
    uint64_t peer_down_ms; /* last peer_down */
} live_run;

typedef struct live_cluster {
    const char *program;
    uint64_t seed, walkers;
    server_group nats, etcd;
    char folder[TEMP_PATH_SIZE];
    live_run runs[LIVE_RUNS_MAX];
    uint32_t run_count;
    VEC(live_event) events;
} live_cluster;

/* Milliseconds of the clock that the nodes print. */
uint64_t live_now_ms(void);
/* A new run. */
live_run *live_start(live_cluster *cluster);
/* Reads all that the runs have printed so far. */
void live_read(live_cluster *cluster);
static inline bool live_is_up(const live_run *run)
{
    return run->process.pid > 0 && !run->paused;
}
/* All runs that are there get the signal. */
void live_signal_all(live_cluster *cluster, int signal);
void live_end(live_cluster *cluster);

#endif
