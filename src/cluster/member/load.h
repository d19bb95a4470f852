/*
 * The load of a node: the time that its rounds take, and the entities of each of its regions; reported to the control
 * store every two seconds, for the balancer. On the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_LOAD_H
#define PHX_CLUSTER_MEMBER_LOAD_H

#include "cluster/member/phc_state.h"

/* In phc_tick(), of which member->now is the time; in phc_told(), as the last step. A gateway has no load. */
void phx_load_begin_round(phc *member);
void phx_load_end_round(phc *member);

#endif
