/*
 * A control store that has lost all it had, as its servers began anew without their disks: members write the map that
 * they have into it, where their host allows that. Owned by membership, which calls it on its thread.
 *
 * A list without a map says it to a member, and as well that the lease has ended, and with it the lease of every
 * member. So each member opens another one, and registers under it, with the version of its newest map. The one with
 * the newest map writes it, as the first version of a later era, once it has seen its own key in a list without a map:
 * that list is behind the key, so the map is not there. Compare-and-set decides between several.
 *
 * Leases of the lost store may be proven to their processes for as long as a lease lives, and no member knows which
 * processes these are: a newer map than that of all members that came may have had more. So a whole lease is always
 * waited. It begins with a list that was asked for under the own lease of the new store: such a list is behind the
 * loss, and no lease of the lost store was renewed behind that. It ends with a list that has all members that came
 * meanwhile.
 *
 * Members of the adopted map that have not registered are put out in the same write. One of these may have read a newer
 * map of the lost store, and acted on it: so all regions are lost in the adopted map, behind its map barrier.
 *
 * A new process would begin with an empty map, and members with an older one would end: so one whose host allows
 * adoption waits for members in the same way, and none begins a map while a member waits, or by a list from before it
 * slept. A process that has read a map of the lost store, and is in none, ends.
 *
 * A store that is lost again before all have come: each loss that a member sees is an era more, as the store between
 * may have had an adopted map. A member that saw neither that store nor its map does not know of it; one that read the
 * map ends where it comes back to another one.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_ADOPTION_H
#define PHX_CLUSTER_MEMBERSHIP_ADOPTION_H

#include "cluster/membership/membership_state.h"

/* Behind a list, whose map has that revision; 0 = it has none. */
void phx_adoption_hear_list(phx_membership *membership, uint64_t map_revision);
/*
 * Has the store lost the map? A list that was asked for behind a map has an older one, none, or another one of the same
 * version, as of a store that was lost once more. Of a server that lags behind a list may be old as well: so a member
 * asks for its lease first, and for a process that is in no map yet only a list without one is a loss.
 */
bool phx_adoption_lacks_map(const phx_membership *membership, const phx_cluster_map *map);
/* Is this a member whose map may go into the store? */
bool phx_adoption_is_due(const phx_membership *membership);
/* The own map, into membership->proposed. false: not by this one, or not yet. */
bool phx_adoption_propose(phx_membership *membership);

/* Does a process that is in no map wait for the map of others? */
bool phx_adoption_is_awaited(const phx_membership *membership);

#endif
