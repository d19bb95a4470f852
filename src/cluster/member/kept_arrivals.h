/*
 * Entities that were imported, until the world has taken them: the ones that it refuses are imported again. Called in
 * the rounds of a member, on the thread that ticks the world.
 *
 * The world has refused one for want of room: it comes again once there is room as far as is known, which is by how
 * many entities fewer the world has than it has had behind any tick, and how many leave. For want of memory: once
 * another such one was taken. What is known may be too little, as the world never was full behind a tick: so in each
 * tick one of the others is tried as well, in turn. A tick costs that one alone, however many wait. All come in their
 * order; places that are too few for the first one are kept for it, see arrival_room.h. One that was refused for
 * another reason comes in the next tick.
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
/* Room for one more, of so many bytes of state and followers. false: no memory. */
bool phx_arrivals_reserve(phc *member, uint64_t bytes);
/* It was imported by that command, as the event says, or waits for places (0); room was reserved. */
void phx_arrivals_add(phc *member, const phx_node_event *event, uint64_t sequence);
/*
 * Does a new one wait, as it needs places, and the ones that come free are kept for one before it? Known behind
 * phx_arrivals_import().
 */
bool phx_arrivals_hold_back(const phc *member, const phx_offer *offer);
/* A round begins: what the host has let leave since is forgotten. */
void phx_arrivals_begin_round(phc *member);
/* Arrivals that the world has refused come again. What it does not take now is refused again. */
void phx_arrivals_import(phc *member);
/*
 * The world has refused the import of a root: it comes again in a later round. Its place is cleared before, unless
 * the world had no room. The refusal of an import that is over says nothing of one that came under its id since.
 */
void phx_arrivals_refuse(phc *member, uint64_t id, uint64_t sequence, ph_status why);
/*
 * The tick is done, the world has so many entities, and its refusals are known: the other arrivals are forgotten. Where
 * it may not have taken all commands, the ones stay of which it is not known, as a later tick may refuse them: an own
 * entity that stands under the id meanwhile may be the host's.
 */
void phx_arrivals_end_tick(phc *member, uint64_t entities, bool all_taken);
/*
 * Behind the imports of a round, where a tick may have left some in their queue: how far has the world taken it? A
 * command asks that is refused whenever it is taken. Else they would stay for as long as ticks find no memory, as
 * ph_stats.queued counts the commands of all producers, which other threads submit at any time.
 */
void phx_arrivals_ask(phc *member);
/* It was refused: the world has taken, or refused, all commands before it. */
void phx_arrivals_answer(phc *member, uint64_t sequence);

#endif
