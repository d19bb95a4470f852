/*
 * Entities of a node, and their way to another one. The sender stops to simulate the entity, offers it, and offers it
 * again until the receiver has taken it. A receiver that dies before its ack was seen gives the entity back, behind the
 * map barrier. Called by the host (through the node) and by the exchange, by one thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_HAND_OVER_H
#define PHX_CLUSTER_NODE_HAND_OVER_H

#include "cluster/node/node.h"

/*
 * A new own entity. after: the highest ownership with which the host has met this id, 0 = none; the entity's is above
 * it. PH_BUSY: the node may not act, or needs a later map; PH_TAKEN: the region is another node's;
 * PH_EXISTS: the id is held. PH_BUSY too: one of its id was dropped from a family that the host has not taken yet.
 */
ph_status phx_hand_over_enter(phx_node *node, uint64_t id, uint32_t region, uint64_t after);
/* The node has read a map, and no ownership of it is above `after`: another map has to come. */
bool phx_hand_over_needs_map(const phx_node *node, uint64_t after);
/* The feed to the client of an own entity, good until the next call, and its ownership. NULL: it is not own. */
phx_feed *phx_hand_over_feed(const phx_node *node, uint64_t id, uint64_t *ownership);
/* PH_PENDING: it is on its way to another node, or a double that the host was not told of. */
ph_status phx_hand_over_leave(phx_node *node, uint64_t id);

/*
 * Would phx_hand_over_send() take this entity by itself? Asked before its state is written, which costs far more.
 * PH_OK, or one of that function's statuses that followers and state have no part in.
 */
ph_status phx_hand_over_may_send(const phx_node *node, uint64_t id, uint16_t number);
/*
 * Offers an own entity to a node, with the own ones that follow it, of ascending ids; all or none. PH_UNKNOWN_ID: one
 * is not held. PH_PENDING: one is on its way already, or a double that the host was not told of, or retained: its last
 * owner has not seen our ack. PH_FULL: unacked_max are on their way to that node. PH_BAD_VALUE: no such node. PH_BUSY:
 * the node may not act, or an ownership is the last one of the map's version, or a node other than that one asks for an
 * entity of them (claims.h).
 */
ph_status phx_hand_over_send(phx_node *node, uint64_t id, uint16_t number, const uint64_t *followers,
                             uint32_t follower_count, const void *state, uint32_t state_bytes);

/*
 * The next item of a peer. An offered entity takes the place of an own one of its id. Of it and one that is on its way
 * from here phx_rule_drops() drops one: it, or that one where it comes, so that both nodes drop the same one. The
 * others of its family come. false: no memory, nothing changed.
 */
bool phx_hand_over_receive(phx_node *node, phx_peer *peer, const phx_offer *offer);
/* The peer has taken the oldest offer to it. */
void phx_hand_over_finish(phx_node *node, phx_peer *peer);
/*
 * Makes all offers to a dead peer own entities again. An entity ends if another one of its id took its place meanwhile
 * (phx_doubles_end_void()). false: no memory for all of them, to be tried again.
 */
bool phx_hand_over_take_back(phx_node *node, phx_peer *peer);

#endif
