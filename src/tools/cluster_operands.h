/*
 * Operands of pharos-cluster's commands: a wrong one ends the program with a message. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_OPERANDS_H
#define PHX_TOOLS_CLUSTER_OPERANDS_H

#include <argp.h>

#include "tools/cluster_change.h"

/* The number of a member. */
uint16_t phx_read_member(const struct argp_state *state, const char *text);
/* "3,7-9" into the change. */
void phx_read_regions(const struct argp_state *state, phx_cluster_change *change, const char *text);

#endif
