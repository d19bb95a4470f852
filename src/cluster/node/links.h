/*
 * Links between members: which of them do not hear each other. Each tells the others in its heartbeats, so all know it
 * of all that they hear. Where a link stays silent, no entity can go over it, and no map barrier ends; then one of the
 * two has to go. Owned by the node; called by the exchange and by membership, on their thread.
 */
#ifndef PHX_CLUSTER_NODE_LINKS_H
#define PHX_CLUSTER_NODE_LINKS_H

#include "cluster/node/node.h"

/* Time passes. hears: messages could come; else a silence says nothing of the other members. */
void phx_links_tick(phx_node *node, uint64_t now, bool hears);
/* The items of a peer's heartbeat. */
void phx_links_hear(phx_peer *peer, phx_wire_items *items);
/* Adds the members that are not heard to a heartbeat. */
void phx_links_tell(const phx_node *node, phx_wire_message *message);
/*
 * The registration of the member that is to be expelled, 0 = none: the one with the most silent links; of several the
 * one with the highest number. A node spares itself as long again, so that another one that hears it can do that.
 */
uint64_t phx_links_worst(const phx_node *node);

#endif
