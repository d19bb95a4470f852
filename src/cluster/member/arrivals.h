/*
 * Entities that came from other nodes: imported into the world, told to the host, and kept until the world has taken
 * them. Called in every round of a member, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_ARRIVALS_H
#define PHX_CLUSTER_MEMBER_ARRIVALS_H

#include "cluster/member/phc_state.h"

/* Takes the node's events; the rest of them where a queue is full or there is no memory in the next round. */
void phx_arrivals_take(phc *member);
/* Is it of an import that the world has not taken yet? */
bool phx_arrivals_have(const phc *member, uint64_t id);
/*
 * The world has refused the import of a root: it comes again in the next round. Its place is cleared before, unless
 * the world had no room. PH_UNKNOWN_ID: it was not told why.
 */
void phx_arrivals_refuse(phc *member, uint64_t id, ph_status why);
/* Refuses all that are not in the world: some refusals were not told. */
void phx_arrivals_audit(phc *member);
/* The tick is done, and its refusals are known: the other arrivals are forgotten. */
void phx_arrivals_end_tick(phc *member);

#endif
