/*
 * A host of one node in tests over the library's calls (cluster.h): the world, its producer and consumer, the member
 * and its ways to the others, opened and closed together; and the clients of its observers, which keep their lists by
 * batches alone. One thread.
 */
#ifndef CLUSTER_NODE_HOST_H
#define CLUSTER_NODE_HOST_H

#include <pharos/cluster.h>

typedef struct node_host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    phc_transport transport;
    phc_store store;
    phc *member; /* NULL: none, or not any more */
} node_host;

/* The definition of these tests' worlds, with one class. */
ph_world_def node_host_world_def(ph_class *class, float view, float margin);
/* A member of such worlds, in so many columns of one row of regions. */
phc_def node_host_def(const ph_world_def *world_def, uint32_t columns, phc_clock_fn clock);
/* Ways between members and a control store, without faults. */
void node_host_open_ways(phc_loop **loop, phc_memory **keys);
/*
 * The world and the ways, for a phc_open() of the test's own; messages: room for so many that wait. world_def: NULL for
 * a gateway.
 */
void node_host_join(node_host *host, const ph_world_def *world_def, phc_loop *loop, uint32_t messages,
                    phc_memory *keys);
/* Joined, and a member with the host's producer and consumer; of def->world_def. */
void node_host_open(node_host *host, const phc_def *def, phc_loop *loop, uint32_t messages, phc_memory *keys);
/* The same, and a tick applies the host's commands before the member's. */
void node_host_open_first(node_host *host, const phc_def *def, phc_loop *loop, uint32_t messages, phc_memory *keys);
/* Behind its phc_tick(): the tick of its world, all batches of which are returned unread, and phc_told(). */
void node_host_end_round(const node_host *host);
/* One that is not open, or not any more, is ignored. */
void node_host_close(node_host *host);
/* All of them, and the ways between them. */
void node_host_close_all(node_host *hosts, uint32_t count, phc_loop *loop, phc_memory *keys);

/* ---- clients ---- */

enum { CLIENTS_IDS = 641 };

typedef struct clients {
    bool told[CLIENTS_IDS][CLIENTS_IDS]; /* by observer and target */
    uint64_t user_data_times;            /* of each target the user data is its id, so many times; 0: any */
    uint64_t events;
    phc_feed last[CLIENTS_IDS]; /* by observer: see clients_number() */
    uint64_t feeds;             /* that have begun */
} clients;

/* Nothing is told twice, nor is an untold one to be forgotten. when: the seed and tick, for a failed check. */
void clients_hear(clients *all, const ph_batch *batch, const char *when);
/*
 * Behind clients_hear(): each change of a batch of that member's world gets its number, which is one above the last, on
 * whichever node that was; or it is of a later feed.
 */
void clients_number(clients *all, phc *member, const ph_batch *batch, const char *when);
/* Takes all batches of the node's world: both of these for each. */
void clients_take(clients *all, const node_host *node, const char *when);
/* The client begins anew: the observer is a new one. */
void clients_forget(clients *all, uint64_t observer);
/* The list of an observer, by id; returns how many. Its client has the same one. */
uint32_t clients_compare(const clients *all, ph_world world, uint64_t observer, bool listed[CLIENTS_IDS],
                         const char *when);
/* The same without a client. */
uint32_t clients_list(ph_world world, uint64_t observer, bool listed[CLIENTS_IDS]);

#endif
