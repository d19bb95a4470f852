/*
 * A member's messages over its transport: subjects, and which part takes what comes.
 *
 *   ph.WORLD.halo.SOURCE.TARGET  copies of entities, PHC_HALO
 *   ph.WORLD.ch.SOURCE.TARGET    items of a pair of nodes, PHC_CHANNEL
 *   ph.WORLD.hb                  heartbeats to all, PHC_CHANNEL
 *
 * SOURCE and TARGET are registrations. A message that the transport does not take is lost, as any may be. Called in
 * every round, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_COURIER_H
#define PHX_CLUSTER_COURIER_H

#include "cluster/phc_state.h"

/* Listens, once this process has a registration, and takes the messages that are there. */
void phx_courier_receive(phc *member);
/* Tells the other nodes of the tick. */
void phx_courier_send_halo(phc *member);
/* A question or an answer to one node. */
void phx_courier_send_question(phc *member, uint64_t target, const void *bytes, size_t size);
/* Items, acks and confirmations that are due, and now and then a heartbeat. */
void phx_courier_send_channel(phc *member);

#endif
