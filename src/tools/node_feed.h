/*
 * Within pharos-node: states of walkers on their way from nodes to gateways, as a host of its own protocol has them.
 * Each has the ownership, by which a gateway knows the newer one of two owners. Sent by the loop of a node, behind its
 * tick; heard by node_gateway.c.
 */
#ifndef PHX_TOOLS_NODE_FEED_H
#define PHX_TOOLS_NODE_FEED_H

#include "tools/node_host.h"

/* Goes as it is: nodes of one cluster have one byte order. */
typedef struct phx_walker_state {
    uint64_t id, ownership, steps;
} phx_walker_state;

/* Numbers of a gateway, since its start. */
typedef struct phx_gateway_counts {
    uint64_t seen;    /* walkers that were heard of so far */
    uint64_t stale;   /* states that were dropped */
    uint64_t damaged; /* messages that could not be read */
    uint64_t full;    /* rounds that left messages for the next one, as too many had come */
    uint64_t gap_ms;  /* longest time for which a walker was not heard, within the last second */
} phx_gateway_counts;

enum { PHX_FEED_STATES_MAX = 4096 }; /* of a message */

/* The subject of a common world's feed. */
void phx_feed_subject(const phx_node_job *job, char subject[PHC_SUBJECT_MAX + 1]);
/* All own walkers. A message that is not taken is lost: the next tick has newer states. */
void phx_node_feed_send(phx_node_host *host, const phc_transport *feed);

#endif
