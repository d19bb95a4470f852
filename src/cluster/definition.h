/*
 * What all members of a common world have to agree about: a number of it, and the width of the strip that they see of
 * each other. Pure; used when a member is opened.
 */
#ifndef PHX_CLUSTER_DEFINITION_H
#define PHX_CLUSTER_DEFINITION_H

#include <pharos/cluster.h>

/* Of all fields of the definition that are the same for all members, and so of the world's. */
uint64_t phx_definition_number(const phc_def *def);

/*
 * The least halo: an observer may be hand_over_margin beyond the own regions, as may a target of the other node, sees
 * as far as view and margin, and each moves on while a copy is lag_max ticks old.
 */
float phx_definition_halo(const phc_def *def);

#endif
