/*
 * Why a process can not join although its store answers: its wished number is that of another living process, or of a
 * key that can not be read; or the cluster has as many nodes, or gateways, as it can have; or its key was deleted or
 * written over by hand, and is not written again (comeback.h). A dead member, as a predecessor of this process, stands
 * in the way in the same manner until its lease has ended and it is put out: so the process waits for a whole lease,
 * and ends then, as its host has to know. Owned by membership, which calls it on its thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_HINDRANCE_H
#define PHX_CLUSTER_MEMBERSHIP_HINDRANCE_H

#include "cluster/membership/membership_state.h"

/* By a list with that map. NULL: nothing has been in the way for a lease in which the store was steady; else why the
 * process ends. */
const char *phx_hindrance_hear_list(phx_membership *membership, const phx_cluster_map *map);
/* Of its end: may a process that is started in its place join? See phx_membership_end(). */
ph_status phx_hindrance_status(const phx_membership *membership);

#endif
