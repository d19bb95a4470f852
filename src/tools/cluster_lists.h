/*
 * Lists in exports of nodes, for pharos-cluster verify: the place of each entity, its view and margin, its list. Once
 * all entities have stood still for some ticks each has the ones within its view, wherever they are
 * owned, and none beyond its view and margin. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_LISTS_H
#define PHX_TOOLS_CLUSTER_LISTS_H

#include <stddef.h>

#include "tools/cluster_check.h"

/* One entity. */
typedef struct phx_cluster_place {
    uint64_t id;
    double x, y, view, margin;
    size_t first; /* of its list, in phx_cluster_lists.ids */
    uint32_t count;
    uint16_t node;
} phx_cluster_place;

typedef struct phx_cluster_lists {
    phx_cluster_place *places;
    size_t count, capacity;
    uint64_t *ids; /* of all lists; each ascends */
    size_t id_count, id_capacity;
} phx_cluster_lists;

/* A number without a sign; *text is behind it then. */
bool phx_cluster_read_number(const char **text, uint64_t *number);
/*
 * Adds the lists of a node, from the text behind "lists":[, as
 * {"id":1,"x":5.5,"y":2,"view":60,"margin":6,"sees":"2-7,9"},... up to the bracket. NULL: read; else the reason.
 */
const char *phx_cluster_lists_read(phx_cluster_lists *lists, const char *text, uint16_t node);
/* Sorts them. Findings: an entity is missing in a list, is too far away for it, or is in no export. */
void phx_cluster_lists_compare(phx_cluster_findings *findings, phx_cluster_lists *lists);
void phx_cluster_lists_free(phx_cluster_lists *lists);

#endif
