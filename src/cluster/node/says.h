/*
 * Broadcasts between nodes. They are items of the channels, so each comes once and in order of its node; and an
 * observer hears none twice, wherever it goes:
 *
 *  - an entity hears there the broadcasts behind its offer, and has heard the ones before it here: all are items of one
 *    channel;
 *  - a broadcast of a node may come to another one later than an entity that heard it elsewhere. So before an offer a
 *    node tells how far it has heard itself and the others: their earlier broadcasts are void there, for all its
 *    observers. That is rare, as a message goes straight, and the entity has gone by a third node, behind it.
 *
 * Broadcasts are for observers now: one that finds too many waiting is dropped, one of a dead node is void. Called by
 * the member and the exchange, by one thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_SAYS_H
#define PHX_CLUSTER_NODE_SAYS_H

#include "cluster/node/node.h"

enum { PHX_SAYS_WAITING_BYTES = 1 << 20 }; /* of broadcasts that a peer has not taken */

/* The number of the next broadcast of this node, whichever peers get it. */
uint64_t phx_says_next(phx_node *node);
/* A broadcast for the observers of a peer, with a number of phx_says_next(). false: it is dropped, and counted. */
bool phx_says_send(phx_node *node, phx_peer *peer, const phx_say *say, const uint32_t *kinds);
/* An offer follows: tells how far others were heard, if that is news. false: no memory, unchanged. */
bool phx_says_tell_heard(phx_node *node, phx_peer *peer);

/* The next item of a peer; false: no memory, unchanged. */
bool phx_says_receive(phx_node *node, phx_peer *peer, const phx_wire_item *item);
bool phx_says_receive_heard(phx_node *node, phx_peer *peer, const phx_wire_item *item);
/* The peer has taken the oldest item, of so many bytes, which is no offer. */
void phx_says_finish(phx_peer *peer, phx_item item);

#endif
