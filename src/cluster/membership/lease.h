/*
 * A process's lease of the control store: opened, renewed, proven to its node. Owned by membership, which calls it on
 * its thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_LEASE_H
#define PHX_CLUSTER_MEMBERSHIP_LEASE_H

#include "cluster/membership/membership_state.h"

/* Asks for a lease, or for its renewal, if one is due. */
void phx_lease_ask(phx_membership *membership);
/* Answers to PHX_TAG_LEASE and PHX_TAG_RENEW. */
void phx_lease_hear(phx_membership *membership, const phc_answer *answer);
void phx_lease_hear_renewal(phx_membership *membership, const phc_answer *answer);

#endif
