/*
 * Broadcasts over a halo: which peers get one of this node, and one of a peer for the observers here. Between ticks, by
 * the thread that ticks the world; called by the rounds of a member.
 */
#ifndef PHX_CLUSTER_HALO_HALO_SAY_H
#define PHX_CLUSTER_HALO_HALO_SAY_H

#include "cluster/halo/halo_state.h"

/*
 * Does the peer need a broadcast? It gets one of an entity that it has a copy of; and with a radius one that reaches
 * the strip around the regions in which it has entities, also beyond the halo. The place is where the source is now.
 */
bool phx_halo_says_to(const phx_halo *halo, const phx_peer *peer, const phx_say *say);

/*
 * A broadcast of a peer: submitted as one of the source's copy here; with a radius, where there is no copy, as one of
 * its place. PH_UNKNOWN_ID, counted: no observer here can have the source in its list; or a later owner of it has
 * broadcast already, as this node is, say. Else a status of ph_broadcast().
 */
ph_status phx_halo_hear(phx_halo *halo, const phx_say *say);

#endif
