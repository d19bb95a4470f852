/*
 * Checks of a member's definition. Pure; called when a member is opened.
 */
#ifndef PHX_CLUSTER_MEMBER_PHC_DEF_H
#define PHX_CLUSTER_MEMBER_PHC_DEF_H

#include <pharos/cluster.h>

/* false: `reason` (may be NULL) has the line. */
bool phx_phc_def_check(const phc_def *def, bool has_world, char *reason, size_t size);

#endif
