/*
 * Entities on their way to other nodes: since when. Costs the items that peers have not acked, and of these the first
 * ones alone, however many entities the node holds. Read by the member, on its thread.
 */
#ifndef PHX_CLUSTER_NODE_TRANSIT_H
#define PHX_CLUSTER_NODE_TRANSIT_H

#include "cluster/node/node.h"

typedef struct phx_transit {
    uint32_t oldest_ms; /* since the oldest of them was handed over; 0 = none is on its way */
    uint32_t looks;     /* at items */
} phx_transit;

phx_transit phx_transit_of(const phx_node *node, uint64_t now);

#endif
