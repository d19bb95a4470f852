/*
 * Which regions go to which node as nodes join, leave and drain. An entity near a border between nodes costs ten times
 * as much as another one: so shares are as even as they can be, and borders short. Pure.
 *
 * Regions go one by one, each from a node with the most to one with the fewest. These two may lie far apart: then the
 * first one gives a region to a neighbour, that one another region to a neighbour of its own, and so on, so that each
 * node's regions stay together. Of all such ways the one counts that makes the border shortest, and moves few regions.
 */
#ifndef PHX_CLUSTER_MAP_SHARES_H
#define PHX_CLUSTER_MAP_SHARES_H

#include "cluster/map/cluster_map.h"

/* Regions of the nodes with the most go to that one, until it has so many. */
void phx_shares_fill(phx_cluster_map *map, uint16_t number, uint32_t share);
/* All regions of a node go to the ones with the fewest, to drained ones only if there are no others; to none, if there
 * is no other node. */
void phx_shares_empty(phx_cluster_map *map, uint16_t number);

#endif
