/*
 * The common definition as a number: all members of a common world have to agree about it. Pure; used when a member is
 * opened.
 */
#ifndef PHX_CLUSTER_MEMBER_DEFINITION_H
#define PHX_CLUSTER_MEMBER_DEFINITION_H

#include <pharos/cluster.h>

/* Of all fields of the definition that are the same for all members, and so of the world's. */
uint64_t phx_definition_number(const phc_def *def);
/* Is that key of a world the process's own matter? */
bool phx_definition_leaves_out(const char *name);

#endif
