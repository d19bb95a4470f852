/*
 * Findings about a cluster, as far as its control store shows it, each with its meaning and its remedy.
 * Pure but for the output.
 */
#ifndef PHX_TOOLS_CLUSTER_CHECK_H
#define PHX_TOOLS_CLUSTER_CHECK_H

#include <stdio.h>

#include "tools/cluster_listing.h"

/* A line for each finding, in JSON each a line of its own. @return how many */
uint32_t phx_cluster_check(FILE *out, const phx_cluster_listing *listing, bool is_json);
/* A finding of another kind, in the same form. */
void phx_cluster_print_finding(FILE *out, bool is_json, const char *name, const char *text);

#endif
