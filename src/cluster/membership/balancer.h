/*
 * The balancer: the one member that gives regions to other nodes by their loads. Owned by membership, which calls it on
 * its thread.
 *
 *   ph/WORLD/balancer   the member that balances, under its lease; its value is that of a registered process
 *
 * The key is written by compare-and-set where it is not there, so one member has it, and it ends with the member's
 * lease. Members try by rank, one list after the other, as they put dead ones out. The holder reads the loads of nodes
 * (ph-load/WORLD/), and gives a region away by a write of the map that it chose by, or not at all: so also one that has
 * lost its key, and does not know it, makes no move that the loads were not for.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_BALANCER_H
#define PHX_CLUSTER_MEMBERSHIP_BALANCER_H

#include "cluster/membership/membership_state.h"

/* Of its requests; above the ones of membership.c and of reports. */
enum { PHX_BALANCER_TAG_TAKE = 17, PHX_BALANCER_TAG_LOADS = 18 };

/* Does this member balance at that moment? Its key was there, and its lease is proven. */
bool phx_balancer_holds(const phx_membership *membership, uint64_t now);

/* A list begins: no key was seen; then its key, if it has one; then the end of the list, whose map is the newest one.
 */
void phx_balancer_begin_list(phx_membership *membership);
void phx_balancer_list(phx_membership *membership, const phc_entry *entry);
void phx_balancer_end_list(phx_membership *membership);

/* Asks for the loads if it is time; answers to its tags. */
void phx_balancer_ask(phx_membership *membership);
void phx_balancer_hear(phx_membership *membership, const phc_answer *answer);

/* The move that is due, into a proposal of that map that changes nothing else. */
bool phx_balancer_propose(phx_membership *membership, const phx_cluster_map *map, phx_cluster_map *proposed);

#endif
