/*
 * Own entities beyond the own regions: they are found before the halo's messages of a tick, and behind these handed
 * over to the nodes of their places. On the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_LEAVERS_H
#define PHX_CLUSTER_MEMBER_LEAVERS_H

#include "cluster/member/phc_state.h"

/* Finds them; the halo tells the others in which regions they are. */
void phx_leavers_find(phc *member);
/* Hands the ones over that were found. */
void phx_leavers_send(phc *member);

#endif
