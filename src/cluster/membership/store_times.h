/*
 * How long the control store takes for its answers, and how many requests failed: numbers alone, which nothing follows
 * from. Called by membership for each answer, on its thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_STORE_TIMES_H
#define PHX_CLUSTER_MEMBERSHIP_STORE_TIMES_H

#include "cluster/membership/membership_state.h"

void phx_store_times_hear(phx_membership *membership, const phc_answer *answer);

#endif
