/*
 * Findings about a cluster, as far as its control store shows it, each with its meaning and its remedy.
 * Pure but for the output.
 */
#ifndef PHX_TOOLS_CLUSTER_CHECK_H
#define PHX_TOOLS_CLUSTER_CHECK_H

#include <stdio.h>

#include "tools/cluster_listing.h"

/* Where findings go: each a line, also in JSON. */
typedef struct phx_cluster_findings {
    FILE *out;
    bool is_json;
    uint32_t count;
} phx_cluster_findings;

__attribute__((format(printf, 3, 4))) void phx_cluster_find(phx_cluster_findings *findings, const char *name,
                                                            const char *format, ...);
void phx_cluster_check(phx_cluster_findings *findings, const phx_cluster_listing *listing);

#endif
