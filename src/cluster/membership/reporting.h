/*
 * A node's key of its load in the control store: one write at a time, under the node's lease, so that it ends with it.
 * Used by membership and by the member, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_REPORTING_H
#define PHX_CLUSTER_MEMBERSHIP_REPORTING_H

#include "cluster/membership/membership_state.h"

enum { PHX_REPORTING_TAG = 16 }; /* of its request; above the ones of membership.c */

/* Writes a report; one that is not taken, or fails, is replaced by the next one. Only a member has a report. */
void phx_reporting_write(phx_membership *membership, const void *bytes, size_t size);
void phx_reporting_hear(phx_membership *membership, const phc_answer *answer);

#endif
