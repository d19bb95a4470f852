/*
 * Links between members: which of them do not hear each other. Each tells the others in its heartbeats, so all know it
 * of all that they hear. Where a link stays silent, no entity can go over it, and no map barrier ends; then one of the
 * two has to go. Owned by the node; called by the exchange and by membership, on their thread.
 */
#ifndef PHX_CLUSTER_NODE_LINKS_H
#define PHX_CLUSTER_NODE_LINKS_H

#include "cluster/node/node.h"

/* Times of a link that is silent, behind phx_node_def.link_ns. A member finds that out up to two heartbeats later than
 * another one: all links of one fault are due once the first of them is settled. */
typedef struct phx_links_waits {
    uint64_t due_ns;     /* one of the two has to go */
    uint64_t settled_ns; /* now */
    bool spares;         /* the others could have named this node by now */
} phx_links_waits;

/* Time passes. hears: messages could come; else a silence says nothing of the other members. */
void phx_links_tick(phx_node *node, uint64_t now, bool hears);
/* The items of a peer's heartbeat. */
void phx_links_hear(const phx_node *node, phx_peer *peer, phx_wire_items *items);
/* Adds the members that are not heard to a heartbeat. */
void phx_links_tell(const phx_node *node, phx_wire_message *message);
/* Silent links of any age between members of the map that stay in it. */
uint32_t phx_links_count(const phx_node *node, const phx_cluster_map *map);
/*
 * The members of the map that are to be expelled, once a link is settled: the one with the most silent links of any age
 * among those with one that is due; of several the one with the highest number; and so on among the links of the rest,
 * until none is due. So of a link both go only where each has another one that is due. A link that is not due has none
 * expelled, as one of the two may be dead: it counts, as each of the others says so of that one.
 *
 * None is named by one of them: a member without that fault does it. Only as long again later, and once the others
 * could have done it, it spares itself, and names the worst one of the others alone.
 */
uint32_t phx_links_worst(const phx_node *node, const phx_cluster_map *map, phx_links_waits waits,
                         uint64_t worst[PHX_CLUSTER_MEMBERS_MAX]);

#endif
