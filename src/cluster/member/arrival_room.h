/*
 * Room in the world for entities that came and wait for it: which of them may be imported in a round, and for which
 * one places are kept that come free. Called in the rounds of a member by kept_arrivals.c, on the thread that ticks the
 * world.
 *
 * Places that come free are the first one's that waits for some: what comes behind it, and new copies of the halo, do
 * not take them. Else a family would wait for ever, as ones that need a single place would take each. But they are kept
 * for a number of rounds at a time: then all others may have them in as many rounds. A family that needs more places
 * than the host's own entities leave would keep all others out for ever, and neighbours would be missing in lists
 * though there are places. For the same one they are kept twice as long each time: it comes however seldom a place
 * comes free.
 */
#ifndef PHX_CLUSTER_MEMBER_ARRIVAL_ROOM_H
#define PHX_CLUSTER_MEMBER_ARRIVAL_ROOM_H

#include "cluster/member/phc_state.h"

/* More memory may be there in any later tick. */
bool phx_arrival_is_for_memory(ph_status why);
/* Has the world refused it for want of places, the last time? It may be on its way to it once more. */
bool phx_arrival_needs_places(const phx_arrival *arrival);
/* Is there room for it, or memory, as far as is known? */
bool phx_arrival_is_due(const phc *member, const phx_arrival *arrival);
/* The place of the one that is tried in this round although it is not due; else the number of arrivals. */
uint32_t phx_arrival_find_turn(const phc *member);
/* The tick is done, the world has so many entities, and it is known which arrivals wait. */
void phx_arrival_room_end_tick(phc *member, uint64_t entities);

#endif
