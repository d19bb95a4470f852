/*
 * A process's way into the cluster map and its stay there, over the control store: lease, registration, join, renewal,
 * and changes of the map by compare-and-set. No clock and no thread: the time is an argument; requests and answers are
 * the store's. Called by the host once a tick, before phx_map_barrier_begin(); it feeds the node with maps and leases.
 *
 *   ph/WORLD/nodes/N   a registered process of that number, under its lease; the key's revision is its registration
 *   ph/WORLD/map       the cluster map
 *
 * Both are read by one list, so of one moment: a member of a map without its key has lost its lease, however old the
 * list may be. Any member puts it out; they do so one list after the other, by number, so that seldom two try, and
 * compare-and-set decides. There is no elected one.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_MEMBERSHIP_H
#define PHX_CLUSTER_MEMBERSHIP_MEMBERSHIP_H

#include "cluster/membership/membership_state.h"

/* The node has the number and registration 0, and is registered by this. false: no memory. */
bool phx_membership_init(phx_membership *membership, const phx_membership_def *def, phx_node *node);
void phx_membership_free(phx_membership *membership);

/* Takes answers, makes requests that are due. now in ns, of a clock that goes on while the machine sleeps. */
void phx_membership_tick(phx_membership *membership, uint64_t now);

/* It ends for ever, for a static reason; the node, if it was in a map, is fenced. PH_OK: a process that is started in
 * its place may join; else it is refused for the same reason. */
void phx_membership_end(phx_membership *membership, ph_status why, const char *reason);

/* Ends the lease, so that the others put it out at once; the node is fenced. */
void phx_membership_leave(phx_membership *membership);

#endif
