/*
 * Entities that came from other nodes: imported into the world, told to the host, and kept until the world has taken
 * them. Called in every round of a member, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_ARRIVALS_H
#define PHX_CLUSTER_MEMBER_ARRIVALS_H

#include "cluster/member/phc_state.h"

/* Takes the node's events; the rest of them where a queue is full or there is no memory in the next round. */
void phx_arrivals_take(phc *member);

#endif
