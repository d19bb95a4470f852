/*
 * A member's messages over its transport: the ones that are due are written, and the parts that take others are called.
 * Called in every round, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_COURIER_H
#define PHX_CLUSTER_MEMBER_COURIER_H

#include "cluster/member/phc_state.h"

/* Listens, once this process has a registration, and takes the messages that are there. */
void phx_courier_receive(phc *member);
/* Tells the other nodes of the tick. */
void phx_courier_send_halo(phc *member);
/* Items, acks and confirmations that are due, and now and then a heartbeat. */
void phx_courier_send_channel(phc *member);
/* The state of the transport; one that does not tell it is taken for one that hears. */
phc_transport_state phx_courier_state(const phc *member);

#endif
