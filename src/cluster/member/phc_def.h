/*
 * A member's definition: its keys, and checks. Pure; called when a member is opened.
 */
#ifndef PHX_CLUSTER_MEMBER_PHC_DEF_H
#define PHX_CLUSTER_MEMBER_PHC_DEF_H

#include <pharos/cluster.h>

#include "base/key_table.h"

/* The keys of a phc_def, but for texts and servers, in the order of base/keys.h. */
const phx_key *phx_phc_def_keys(uint32_t *count);
/* false: `reason` (may be NULL) has the line. */
bool phx_phc_def_check(const phc_def *def, bool has_world, char *reason, size_t size);

#endif
