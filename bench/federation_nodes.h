/*
 * Three nodes of one common world within this process, for --federation: their worlds are members of a cluster over a
 * counted transport and a control store in memory, or have no cluster around them. Used by federation.c; one thread.
 */
#ifndef PHX_BENCH_FEDERATION_NODES_H
#define PHX_BENCH_FEDERATION_NODES_H

#include "bench/federation_crowd.h"
#include "bench/federation_traffic.h"

/*
 * In a period each node has done all of its periodic work equally often: lists and heartbeats every fourth tick, a
 * renewal, which is due after a third of a lease, and a report of its load.
 */
enum { BENCH_FED_TICK_NS = 50000000, BENCH_FED_LEASE_MS = 6000, BENCH_FED_PERIOD_TICKS = 40 };

typedef struct bench_fed_node {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    bench_fed_counted counted;
    phc_store store;
    phc *member; /* NULL: a world without a cluster */
    bool has_transport, has_store;
    uint64_t *ids; /* own ones, with their positions: for ph_move_many() */
    ph_position *positions;
    uint64_t cpu_ns; /* of the last tick */
} bench_fed_node;

/* How the nodes hear each other. */
typedef enum bench_fed_way { BENCH_FED_ALONE, BENCH_FED_LOOP, BENCH_FED_NATS } bench_fed_way;

typedef struct bench_federation {
    phx_mem *mem;
    bench_fed_crowd *crowd;
    bench_fed_node nodes[BENCH_FED_NODES];
    uint32_t node_count; /* 1: one world has the whole crowd */
    bench_fed_way way;
    phc_loop *loop;
    phc_memory *memory;
    uint64_t tick;
    uint64_t walked; /* of these the ones of the crowd, since it entered */
    bench_fed_traffic traffic;
    uint64_t gained, lost; /* entities, as the hosts were told */
    char reason[PHC_REASON_SIZE];
} bench_federation;

/* The least width of a halo that phc_open() takes for this crowd. */
float bench_federation_halo(void);
/*
 * The crowd has entered the nodes of its places. nats: URL, for that way. false: a line is in reason; it is closed all
 * the same.
 */
bool bench_federation_open(bench_federation *federation, phx_mem *mem, bench_fed_crowd *crowd, uint32_t node_count,
                           bench_fed_way way, const char *nats);
/* Time goes on by a tick: within a process messages of the last one arrive. */
void bench_federation_step(bench_federation *federation);
/* A tick of one node with its own part of the crowd. */
ph_status bench_federation_tick(bench_federation *federation, uint32_t node);
/* Time goes on by a tick, the crowd walks, and all nodes tick. *ns: CPU time of all, without the host's own work. */
ph_status bench_federation_round(bench_federation *federation, double *ns);
void bench_federation_close(bench_federation *federation);

#endif
