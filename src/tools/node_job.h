/*
 * The definition of one run of pharos-node, as its config and its command line have it. Made by node.c and
 * node_config.c; read by the other node_ files.
 */
#ifndef PHX_TOOLS_NODE_JOB_H
#define PHX_TOOLS_NODE_JOB_H

#include <pharos/cluster.h>
#include <stdatomic.h>

typedef struct phx_node_job {
    const ph_world_def *world_def;
    phc_def member; /* without the host: definition, pack, allocator */
    phc_nats_def nats;
    phc_etcd_def etcd;
    uint32_t walkers, seed;
    float speed; /* units that a walker goes in a tick */
    uint32_t tick_ms, drain_ms;
    uint32_t slow_ms; /* that a slow host needs in each tick, asleep */
    bool feeds;       /* a node: gateways get the walkers' states in each tick */
    bool shows_events, shows_ids, shows_lists, shows_ticks;
    const char *metrics_path; /* NULL = none */
} phx_node_job;

/* What signals ask for; written by handlers, read by the loop; relaxed: it orders nothing. */
typedef struct phx_node_signals {
    _Atomic uint32_t stops;   /* SIGTERM and SIGINT, counted: one drains, a second one leaves at once */
    _Atomic uint32_t rests;   /* 1: the walkers stand still. SIGUSR1 changes it */
    _Atomic uint32_t is_slow; /* 1: the host needs slow_ms in each tick. SIGUSR2 changes it */
} phx_node_signals;

#endif
