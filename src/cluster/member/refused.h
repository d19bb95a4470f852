/*
 * Commands of a member's own producer that the world has refused: the halo and the host's view are mended by them.
 * Called behind each tick, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_REFUSED_H
#define PHX_CLUSTER_MEMBER_REFUSED_H

#include "cluster/member/phc_state.h"

/* stats: of the world, behind the tick. all_taken: it has no command of this member any more. */
void phx_refused_mend(phc *member, const ph_stats *stats, bool all_taken);

#endif
