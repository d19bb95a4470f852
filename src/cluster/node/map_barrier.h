/*
 * The map barrier: once every member has shown a map without the dead one, no member takes anything from it any more.
 * Then offers to it are void, and its entities may be restored. Called by the host in every round, by one thread at
 * a time; see node.h.
 */
#ifndef PHX_CLUSTER_NODE_MAP_BARRIER_H
#define PHX_CLUSTER_NODE_MAP_BARRIER_H

#include "cluster/node/node.h"

/* The time, and whatever waits for the map barrier. */
void phx_map_barrier_begin(phx_node *node, uint64_t now);

/* The lowest version of the map that the other members have shown; UINT32_MAX: there are none. */
uint32_t phx_map_barrier_shown(const phx_node *node);

/*
 * The node is drained, and ready to leave: it takes no offer any more once it has no region, no entity, none on its way
 * from here, and nothing for its host, and all members know that. It stays so, as a map without it may be written from
 * then on, until it reads one in which it has a region: that map has another revision than each one which a map without
 * this node may be written over.
 */
void phx_map_barrier_leave(phx_node *node);

/*
 * May a question which node has an entity have its answer, so that the host enters what no node has? Not between the
 * death of a member and its map barrier, whichever loss the host asks for: the dead one may have had the entity, and
 * may still give it to a member that has the old map.
 */
bool phx_map_barrier_answers(const phx_node *node);

#endif
