/*
 * Processes pharos-node of a test, and the lines that they print. A run is one process; a node that is started again is
 * a new run. One thread.
 */
#ifndef CLUSTER_LIVE_NODES_H
#define CLUSTER_LIVE_NODES_H

#include <stdio.h>

#include "cluster/cables.h"
#include "support/check.h"

enum {
    LIVE_RUNS_MAX = 40,
    LIVE_WALKERS_MAX = 1 << 15,
    LIVE_PEERS_MAX = 64,      /* numbers of members */
    LIVE_LINE_SIZE = 1 << 20, /* ids of all these, one by one */
    LIVE_SAME_STATUSES = 3,
    LIVE_TICK_MS = 50,
    LIVE_STEP_MS = 20,
    LIVE_LAG_MAX = 4,                         /* of nodes, by default */
    LIVE_LAG_END_TICKS = 2 * LIVE_LAG_MAX + 4 /* that copies are in time before the end of a lag is told */
};

/* LIVE_SEEN: at a gateway. */
typedef enum live_kind { LIVE_ENTERED, LIVE_GAINED, LIVE_RESTORED, LIVE_LOST, LIVE_SEEN } live_kind;

/* Events with a new owner of a walker. */
static inline bool live_gives_ownership(live_kind kind)
{
    return kind != LIVE_LOST && kind != LIVE_SEEN;
}

/* A walker's event, as a run printed it. */
typedef struct live_event {
    live_kind kind;
    uint32_t run, number, peer; /* number: of the node */
    uint64_t ms, id, ownership, steps;
    uint64_t steps_before; /* SEEN: of the last state before it; 0 = none */
    size_t before;         /* the event of this walker before it, + 1; 0 = none */
} live_event;

/* Microseconds. */
typedef VEC(uint32_t) live_times;

/* A status of a node: behind so many of its ticks. */
typedef struct live_mark {
    uint64_t ms, ticks;
    size_t times; /* of live_run.ticks_us, up to then */
} live_mark;

/* Since live_begin_measure(). */
typedef struct live_measure {
    uint64_t silence_ms;     /* of the node that was not heard for the longest time, of those that are heard again */
    uint64_t gap_ms;         /* a gateway's: of a walker */
    uint64_t lease_least_ms; /* that the lease was proven for */
    uint64_t peer_downs;     /* members that were put out */
    uint64_t peer_down_ms[LIVE_PEERS_MAX + 1]; /* the last time, by number */
    uint32_t unconnected;                      /* lines of it that it has no connection to NATS */
    uint64_t ticks_before;                     /* by the last status before it; */
    uint64_t reconnects_before, failed_before; /* so are these */
    bool is_whole;                             /* the run was there as it began */
} live_measure;

typedef struct live_run {
    test_server process;
    FILE *log; /* read along */
    bool is_gateway;
    uint32_t number;
    uint64_t silent_since_ms[LIVE_PEERS_MAX + 1]; /* by number of the other node; 0 = it is heard */
    live_measure measure;
    uint64_t ticks;
    live_times ticks_us;  /* durations of all ticks, */
    live_times asleep_us; /* and how long its thread slept in each */
    VEC(live_mark) marks; /* of all its statuses */
    uint64_t reconnects;  /* of its connections to NATS; */
    uint64_t failed;      /* and attempts at a server of etcd that had no answer */
    uint64_t restores;    /* regions that it was told were lost with a node */
    uint64_t status_ms, map_version, lease_ms, transit, damaged, duplicates, refused;
    uint64_t listed, list_sum;   /* of the last status: lists of own walkers; of a gateway, as its clients have them */
    uint64_t wrong, held, asked; /* a gateway's: changes that were shown twice, that waited, questions for lists */
    uint64_t changes;            /* of the last status: walkers that came and went, since the start */
    uint32_t same_statuses;      /* that had these numbers, one after the other */
    bool owns[LIVE_WALKERS_MAX + 1]; /* by its last line of it; */
    bool told[LIVE_WALKERS_MAX + 1]; /* by events alone: no status has one more */
    uint64_t joined_ms;
    uint64_t
        unheard_ms; /* from then on what it sends and is sent may be lost; 0 = never. One that goes on begins anew */
    uint32_t ids;   /* of the last status: walkers with phc_owns() */
    bool may_say;   /* it starts while members of etcd are away, and may say that etcd does not answer */
    bool commits;   /* phc_may_commit(), by its last line of it, */
    uint64_t commits_ms; /* and the time of that line */
    bool killed, is_drained, is_fenced;
    bool paused;     /* it stands still, or is cut off: it counts as none that is up */
    bool is_excused; /* it ended, and that was no fault of a node; another run has its place */
    bool is_first;   /* of two that die, one while the other's walkers are entered */
} live_run;

typedef struct live_cluster {
    const char *program;
    uint64_t seed, walkers, lease_ms, slow_ms;
    uint64_t stall_ms;    /* longest time by which this process was woken late, since live_begin_measure() */
    uint64_t disk_ms;     /* ... of a write to its disk, as etcd does it */
    uint64_t passed_ms;   /* since then, without the times by which it was woken late by more than a tick */
    uint32_t excused;     /* runs that ended by no fault of a node, since live_begin_measure(); */
    uint32_t excused_all; /* of the whole fault */
    bool kills_brokers;   /* the fault kills all of them: runs say that they have no connection */
    bool stops_etcd;      /* the fault makes a member of etcd stand still, or cuts it off */
    bool lists;           /* runs that start print the lists of their walkers */
    bool freezes;         /* nodes that start own nothing while their lease is not proven (--freeze) */
    bool adopts;          /* runs that start may write their map into an empty etcd */
    const cables *cables; /* NULL: all are on loopback; else a broker, a member of etcd and a node on each machine */
    server_group nats, etcd;
    char folder[TEMP_PATH_SIZE];
    live_run runs[LIVE_RUNS_MAX];
    uint32_t run_count;
    VEC(live_event) events;
    size_t last_events[LIVE_WALKERS_MAX + 1]; /* of each walker, + 1; 0 = none */
} live_cluster;

/* Events of a walker, the last one first. NULL: no more. */
static inline const live_event *live_event_before(const live_cluster *cluster, const live_event *event)
{
    return event->before > 0 ? &cluster->events.items[event->before - 1] : NULL;
}
static inline const live_event *live_last_event(const live_cluster *cluster, uint64_t id)
{
    return cluster->last_events[id] > 0 ? &cluster->events.items[cluster->last_events[id] - 1] : NULL;
}
void live_forget_events(live_cluster *cluster);
/* Milliseconds of the clock that the nodes print. */
uint64_t live_now_ms(void);
/* A new run. */
live_run *live_start(live_cluster *cluster, bool is_gateway);
void live_begin_measure(live_cluster *cluster);
/* Reads all that the runs have printed so far. */
void live_read(live_cluster *cluster);
static inline bool live_is_up(const live_run *run)
{
    return run->process.pid > 0 && !run->paused;
}
static inline bool live_is_node(const live_run *run)
{
    return live_is_up(run) && !run->is_gateway;
}
/* All nodes that are there get the signal. */
void live_signal_all(live_cluster *cluster, int signal);
void live_end(live_cluster *cluster);

#endif
