/*
 * Registering: a process writes the key of its number, under its lease. Without a wished number it takes the lowest
 * that is free; where many begin together, one of the lowest. On the member's thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_REGISTERING_H
#define PHX_CLUSTER_MEMBERSHIP_REGISTERING_H

#include "cluster/membership/membership_state.h"

/* Of a process that has no registration yet, if it may begin now: it has a list, say. */
void phx_registering_begin(phx_membership *membership);
/* Writes the key; a process that is registered keeps its registration. One that asks to join writes over its key, as
 * the last list has it: else it writes no key where there is one. */
void phx_registering_write(phx_membership *membership);
/* The answer of the write. */
void phx_registering_hear(phx_membership *membership, const phc_answer *answer);

#endif
