/*
 * The next map that a process proposes, from one list of the control store. Pure but for the wishes, which end here.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_PROPOSAL_H
#define PHX_CLUSTER_MEMBERSHIP_PROPOSAL_H

#include "cluster/membership/membership_state.h"

/* Changes a map of that list into membership->proposed. false: there is nothing to change. */
bool phx_proposal_make(phx_membership *membership, const phx_cluster_map *map);

/* The lowest number that neither a registered process nor a member has, above so many of these, if there is one; 0: all
 * are taken. */
uint16_t phx_proposal_number(const phx_membership *membership, uint32_t passed);

#endif
