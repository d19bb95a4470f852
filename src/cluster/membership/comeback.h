/*
 * A member whose lease has ended, and that may still be in the map: it comes back under its registration. Owned by
 * membership, which calls it on its thread.
 *
 * It opens a lease, and writes its key again. Until a map that has it was written behind that key, it may be put out
 * by a list from before: so it waits for such a map, or writes it, and only then its lease proves anything. From then
 * on a member that puts it out has seen a list without the key, so the lease has ended.
 * A member that was put out meanwhile reads that in the map, and is fenced.
 *
 * A process that waits for its first map writes its key again as well, where that is not in a list: it was deleted by
 * hand, or the list is from before. No map has it, so none is needed behind the key. Once it asks, or has proposed a
 * map with itself, one may have it, which it has not heard of, and one behind that may have put it out, as its key was
 * gone (joining.h). A registration that was put out never comes back: so the process does not write the key, and ends
 * (hindrance.h).
 *
 * A process that slept until its lease was proven no more, as its machine did or a debugger held it, comes back the
 * same way. It may have been put out long ago: until a list that was asked for behind its sleep has it in the map, it
 * simulates nothing. So does one that slept as it joined.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_COMEBACK_H
#define PHX_CLUSTER_MEMBERSHIP_COMEBACK_H

#include "cluster/membership/membership_state.h"

/* A tick begins, and nothing is heard yet: has the process slept since the last one? */
void phx_comeback_wake(phx_membership *membership, uint64_t now);
/* The store says that the lease is none. false: the process can not come back. */
bool phx_comeback_begin(phx_membership *membership);
/* Behind any list, also an old one: a member that has no key in it asks for its lease, which may have ended. */
void phx_comeback_miss_key(phx_membership *membership);
/* Behind a list, whose map has that revision. true: the key has to be written. */
bool phx_comeback_hear_list(phx_membership *membership, uint64_t map_revision);
/* A map behind the key, if one is needed. */
bool phx_comeback_propose(const phx_membership *membership, phx_cluster_map *proposed);

#endif
