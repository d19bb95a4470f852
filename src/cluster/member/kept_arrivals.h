/*
 * Entities that were imported, until the world has taken them: the ones that it refuses are imported again. Called in
 * the rounds of a member, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_KEPT_ARRIVALS_H
#define PHX_CLUSTER_MEMBER_KEPT_ARRIVALS_H

#include "cluster/member/phc_state.h"

/* Is it own, of an import that the world has not taken yet? */
bool phx_arrivals_have(const phc *member, uint64_t id);
/* Has it left, while others that it came with wait still? They come with it: until then no other one can have its id.
 */
bool phx_arrivals_miss(const phc *member, uint64_t id);
/*
 * Is one of an offer's ids of an arrival? Of two arrivals of an id the later one comes once the world has taken the
 * other one, or that is over.
 */
bool phx_arrivals_meet(const phc *member, const phx_offer *offer);
/* A round begins: what the host has let leave since is forgotten. */
void phx_arrivals_begin_round(phc *member);
/* Arrivals that the world has refused come again. What it does not take now is refused again. */
void phx_arrivals_import(phc *member);
/*
 * The world has refused the import of a root: it comes again in the next round. Its place is cleared before, unless
 * the world had no room. PH_UNKNOWN_ID: it was not told why.
 */
void phx_arrivals_refuse(phc *member, uint64_t id, ph_status why);
/* Refuses all that are not in the world: some refusals were not told. */
void phx_arrivals_audit(phc *member);
/*
 * The tick is done, and its refusals are known: the other arrivals are forgotten. Where it may not have taken all
 * commands, ones that are not in the world yet stay, as a later tick may refuse them.
 */
void phx_arrivals_end_tick(phc *member, bool all_taken);

#endif
