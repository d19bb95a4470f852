/*
 * Exports of nodes: which entities each one owns, for pharos-cluster verify. An export is a file of lines of JSON, as
 * `pharos-node --ids` prints them; its last line with "node" and "ids" counts: {"node":2,"ids":"1-7,9"}. A host writes
 * such a line for its own node. It may have the lists as well, as `pharos-node --lists` prints them. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_EXPORTS_H
#define PHX_TOOLS_CLUSTER_EXPORTS_H

#include "tools/cluster_lists.h"

typedef struct phx_cluster_own {
    uint64_t id;
    uint16_t node;
} phx_cluster_own;

typedef struct phx_cluster_exports {
    phx_cluster_own *items; /* by id once all are read */
    size_t count, capacity;
    phx_cluster_lists lists;
    uint32_t files, with_lists; /* that were read */
    char reason[512];           /* of the last file that could not be read */
} phx_cluster_exports;

/* Adds a node's entities. false: for exports->reason; no memory is one. */
bool phx_cluster_exports_read(phx_cluster_exports *exports, const char *path);
/* Behind the last file. */
void phx_cluster_exports_sort(phx_cluster_exports *exports);
void phx_cluster_exports_free(phx_cluster_exports *exports);

#endif
