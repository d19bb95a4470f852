/*
 * A listing as a table, as a map of regions, and as a line of JSON; the text of a change. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_PRINT_H
#define PHX_TOOLS_CLUSTER_PRINT_H

#include <stdio.h>

#include "tools/cluster_change.h"

void phx_cluster_print_status(FILE *out, const phx_cluster_listing *listing);
void phx_cluster_print_map(FILE *out, const phx_cluster_listing *listing);
/* Regions that have other nodes now, and the ones that a member's end makes lost. */
void phx_cluster_print_change(FILE *out, const phx_cluster_change *change, const phx_change_report *report);

/* One line each. */
void phx_cluster_json_status(FILE *out, const phx_cluster_listing *listing);
void phx_cluster_json_change(FILE *out, const phx_cluster_change *change, phx_change_result result,
                             const phx_change_report *report);

/* Regions of a node, as "0-3,7"; "-" for none. */
void phx_cluster_print_regions(FILE *out, const phx_cluster_map *map, uint16_t number);

/* The number of the node that balances; 0 = none. */
uint16_t phx_cluster_balancer_of(const phx_cluster_listing *listing);
/* A word: member, drained, no-lease, joining. */
const char *phx_cluster_state_of(const phx_cluster_listing *listing, uint64_t registration);

#endif
