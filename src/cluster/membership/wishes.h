/*
 * Wishes of a process for the map, by its host. Kept by membership; on the member's thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_WISHES_H
#define PHX_CLUSTER_MEMBERSHIP_WISHES_H

#include "cluster/membership/membership_state.h"

/* Wishes for the map; each is tried until it stands there, or can not be. */
void phx_membership_restored(phx_membership *membership, uint32_t region, uint32_t lost);
void phx_membership_give(phx_membership *membership, uint32_t region, uint16_t number);
/*
 * The map comes to be above that version, as the host has met an ownership of it: a control store that has lost all it
 * had begins a map with version 1, and the host's database has outlived the one before. The new version begins an era:
 * the lost store may have had some versions more. false: the version is beyond the eras that are left for this.
 */
bool phx_membership_exceed(phx_membership *membership, uint32_t version);
/* This node keeps no region from now on, whatever maps come. */
void phx_membership_drain(phx_membership *membership);

#endif
