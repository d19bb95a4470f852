/*
 * Eras: each has 65536 versions of a map. What outlives a control store that has lost all, as members or hosts'
 * databases, has versions and ownerships of maps that the store knows nothing of: the next map begins another era. Used
 * by membership. Pure.
 */
#ifndef PHX_CLUSTER_MAP_ERAS_H
#define PHX_CLUSTER_MAP_ERAS_H

#include "cluster/map/cluster_map.h"

enum {
    PHX_CLUSTER_FIRST_ERAS = 2048,    /* of which a cluster begins with one */
    PHX_CLUSTER_EXCEEDED_ERAS = 4096, /* of 65536: numbers that a host's database spoils do not use them up */
};

/*
 * The map that begins a cluster, by a process with that lease, in a format: the same, in an era that is a hash of the
 * lease. Hosts' databases may have ownerships of a cluster before, with a control store that is lost. Rows need no era:
 * phc_enter() is above them, or makes the map exceed them. It is for nodes of the cluster before that go on: an
 * ownership of theirs in the same version as one of the new cluster would be taken for it.
 */
void phx_cluster_map_begin(phx_cluster_map *map, uint8_t format, uint32_t columns, uint32_t rows, uint64_t lease);

/*
 * The first version of a later era (phx_rule_era_begins()), for a control store that has lost all it had. The store may
 * have had newer maps than this one, which no member that is left has read: they are of the eras before. All regions
 * are lost in it, as the members of these maps may have owned entities.
 */
void phx_cluster_map_adopt(phx_cluster_map *map, uint32_t version);
/* The first version of the era behind that version, and the same content: no ownership of the new map is below. */
bool phx_cluster_map_exceed(phx_cluster_map *map, uint32_t version);
#endif
