/*
 * Messages of a node: bytes in, bytes out. Called in every round, by one thread at a time; see node.h.
 */
#ifndef PHX_CLUSTER_NODE_EXCHANGE_H
#define PHX_CLUSTER_NODE_EXCHANGE_H

#include "cluster/node/node.h"

/* Takes one message, of any bytes. One that is not for this node, not of its map, or flawed is dropped, and counted. */
void phx_exchange_receive(phx_node *node, const void *bytes, size_t size);

/*
 * The message to the peer with that place, below peer_count, and the registration that it is for. Returns its bytes, at
 * most PHX_WIRE_BYTES_MAX; 0: nothing is due. The caller need not care whether it arrives. always: also if nothing is
 * due, so that a lost ack heals.
 */
size_t phx_exchange_write(phx_node *node, uint32_t place, bool always, void *bytes, size_t size, uint64_t *target);

/* The message to all members: which map this one has. 0: it is in none. */
size_t phx_exchange_heartbeat(const phx_node *node, void *bytes, size_t size);

#endif
