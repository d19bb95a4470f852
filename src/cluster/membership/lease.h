/*
 * A process's lease of the control store: opened, renewed, proven to its node. Owned by membership, which calls it on
 * its thread.
 *
 * A lease may end although its process lives: the store did not answer for so long. Then the leases of all others may
 * have ended too, and their processes need some time to register again. So a process that has seen such a break puts no
 * member out before a whole lease has passed without one.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_LEASE_H
#define PHX_CLUSTER_MEMBERSHIP_LEASE_H

#include "cluster/membership/membership_state.h"

/* Before the answers of a tick are taken: is there a break? */
void phx_lease_watch(phx_membership *membership);
/* Is that a break: a time without a list, or in which the process slept? */
bool phx_lease_is_break(const phx_membership *membership, uint64_t ns);
/* The longest that a lease of any member lives without a renewal. */
uint64_t phx_lease_ns_max(const phx_membership *membership);
/* Has a whole lease passed since then? */
bool phx_lease_has_passed(const phx_membership *membership, uint64_t since);
/* Has a whole lease passed without a break? */
bool phx_lease_is_steady(const phx_membership *membership);
/* Asks for a lease, or for its renewal, if one is due. */
void phx_lease_ask(phx_membership *membership);
/* Answers to PHX_TAG_LEASE and PHX_TAG_RENEW. */
void phx_lease_hear(phx_membership *membership, const phc_answer *answer);
void phx_lease_hear_renewal(phx_membership *membership, const phc_answer *answer);

#endif
