/*
 * Which entities are own, for the host's calls. A node holds more: entities on their way, and ones that have come and
 * wait for room in the world, of which the host is not told yet. Used on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_OWNERS_H
#define PHX_CLUSTER_MEMBER_OWNERS_H

#include "cluster/member/phc_state.h"

/* The holding of an own entity, good until the next add or remove. NULL: it is not own. */
const phx_holding *phx_owners_find(const phc *member, uint64_t id);

#endif
