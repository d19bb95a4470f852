/*
 * Changes of the cluster map: each makes its next version. Pure.
 */
#ifndef PHX_CLUSTER_MAP_MAP_CHANGES_H
#define PHX_CLUSTER_MAP_MAP_CHANGES_H

#include "cluster/map/cluster_map.h"

/*
 * A node that joins gets its share of the regions; the regions of one that is put out go to the nodes with the fewest,
 * but to drained ones only if there are no others; so that borders stay short (shares.h). false: unchanged, as there is
 * no room, or no such member or node.
 */
bool phx_cluster_map_join(phx_cluster_map *map, phx_member member);
bool phx_cluster_map_put_out(phx_cluster_map *map, uint64_t registration);
bool phx_cluster_map_give(phx_cluster_map *map, uint32_t region, uint16_t number);
/* As a put-out, of a node that has no region and no entity, and takes none: no region is lost. false, too: the map has
 * a region for it. */
bool phx_cluster_map_leave(phx_cluster_map *map, uint64_t registration);
/* The node keeps and gets no region as long as there is another one, and none of its entities is lost. */
bool phx_cluster_map_drain(phx_cluster_map *map, uint64_t registration);
/*
 * The member has to leave. It is not put out at once: as long as its lease is proven it may do what can not be taken
 * back. It ends the lease as it reads this, or can not renew it, as it does not reach the store; then it is put out.
 */
bool phx_cluster_map_expel(phx_cluster_map *map, uint64_t registration);
/* The member has registered again: the same map, written behind its key. */
bool phx_cluster_map_confirm(phx_cluster_map *map, uint64_t registration);
/* To the format that phx_cluster_map_reads() says; false, too: it has that. A writer that is a member reads it. */
bool phx_cluster_map_rise(phx_cluster_map *map);
/* No entity of a region that was lost in that version is missing any more. */
bool phx_cluster_map_restored(phx_cluster_map *map, uint32_t region, uint32_t lost);

#endif
