/*
 * A control store that has lost all it had, as its servers began anew without their disks: members write the map that
 * they have into it, where their host allows that. Owned by membership, which calls it on its thread.
 *
 * A list without a map says it, and as well that the lease has ended, and with it the lease of every member. So each
 * member opens another one, and registers under it, with the version of its newest map. The one with the newest map
 * writes it, as the first version of the next era, once it has seen its own key in a list without a map: that list is
 * behind the key, so the map is not there. Compare-and-set decides between several.
 *
 * Members of that map that have not registered are put out in the same write; a whole lease is waited for them before,
 * as theirs may be proven until then. One of these may have read a newer map of the lost store, and acted on it: so all
 * regions are lost in the adopted map, behind its map barrier.
 *
 * A new process would begin with an empty map, and members with an older one would end: so one whose host allows
 * adoption waits a lease for members, and none begins one while a member waits, or by a list from before it slept.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_ADOPTION_H
#define PHX_CLUSTER_MEMBERSHIP_ADOPTION_H

#include "cluster/membership/membership_state.h"

/* Behind a list, whose map has that revision; 0 = it has none. */
void phx_adoption_hear_list(phx_membership *membership, uint64_t map_revision);
/* Is this a member whose map may go into the store? */
bool phx_adoption_is_due(const phx_membership *membership);
/* The own map, into membership->proposed. false: not by this one, or not yet. */
bool phx_adoption_propose(phx_membership *membership);

/* Does a process that is in no map wait for the map of others? */
bool phx_adoption_is_awaited(const phx_membership *membership);
/* It has registered before the map was adopted, so its registration may be one of the lost store's. */
bool phx_adoption_is_behind(const phx_membership *membership);

#endif
