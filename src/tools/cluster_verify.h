/*
 * Do the control store and the nodes agree? Findings about reports of nodes, beside the ones of the check: each node
 * has the regions that the map gives it, and none else; no entity is on its way; by exports each entity has one owner,
 * a node of the map, and the list that it should have. Pure but for the output.
 */
#ifndef PHX_TOOLS_CLUSTER_VERIFY_H
#define PHX_TOOLS_CLUSTER_VERIFY_H

#include <stdio.h>

#include "tools/cluster_check.h"
#include "tools/cluster_exports.h"

/* The findings of phx_cluster_check() come first. Exports are sorted. */
void phx_cluster_verify(phx_cluster_findings *findings, const phx_cluster_listing *listing,
                        phx_cluster_exports *exports);

#endif
