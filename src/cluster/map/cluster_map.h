/*
 * The cluster map: the members of a cluster, and the node that each region belongs to. One value in the control store,
 * changed by compare-and-set alone: a writer reads version v, changes it here, and writes version v + 1. Each member
 * has a copy, which only goes forward.
 *
 * Entities have owners of their own; a region's node is where its entities should live, and the node that restores
 * them once their owner is dead. The dead node may have owned an entity of any region, as one crosses a border before
 * it is handed over: so all regions are lost with it, until the node of each has said that none is missing. That stands
 * in the map, as a region may get another node in between. A node that leaves by its own word owns none.
 */
#ifndef PHX_CLUSTER_MAP_H
#define PHX_CLUSTER_MAP_H

#include "base/core.h"
#include "cluster/wire/format.h"

enum {
    PHX_CLUSTER_KIND_MAX = 64, /* nodes; and as many gateways */
    PHX_CLUSTER_MEMBERS_MAX = 2 * PHX_CLUSTER_KIND_MAX,
    PHX_CLUSTER_REGIONS_MAX = 4096, /* 64 nodes with 8 x 8 regions each */
    PHX_CLUSTER_ERA_SHIFT = 16,     /* an era has 65536 versions; a map that is adopted begins a later one */
    /* bytes of the largest map */
    PHX_CLUSTER_MAP_BYTES_MAX = 40 + 12 * PHX_CLUSTER_MEMBERS_MAX + 6 * PHX_CLUSTER_REGIONS_MAX + 8
};

/* A process of the cluster, from its start to its end. */
typedef struct phx_member {
    uint64_t registration; /* differs with every start of a process; never 0, never used again */
    uint16_t number;       /* of living members: differs; never 0 */
    uint8_t format;        /* the highest that it reads; see format.h */
    bool gateway;          /* owns no entity and no region */
    bool drained;          /* a node that has no region, if there is another one, until it is given one */
    bool expelled;         /* it does not hear others, or they it: it has to leave, and its lease with it */
} phx_member;

typedef struct phx_region {
    uint16_t number; /* of the node that it belongs to; 0 = the cluster has no node */
    uint32_t lost;   /* version in which a node was last put out; 0 = no entity of the region is missing since */
} phx_region;

typedef struct phx_cluster_map {
    uint8_t format;   /* that it is written in: all members read it, and heartbeats have it */
    uint32_t version; /* 0 = no map */
    uint32_t moved;   /* version since which members, and the nodes of regions, are as they are */
    uint32_t fence;   /* version in which a member last went, by its own word or not; 0 = none did */
    uint32_t member_count;
    uint32_t columns, region_count; /* regions are numbered row by row: column + row * columns */
    phx_member members[PHX_CLUSTER_MEMBERS_MAX];
    phx_region regions[PHX_CLUSTER_REGIONS_MAX];
} phx_cluster_map;

/* Version 1 in the library's newest format, without members. */
void phx_cluster_map_init(phx_cluster_map *map, uint32_t columns, uint32_t rows);

/* NULL: no such member. */
const phx_member *phx_cluster_map_member(const phx_cluster_map *map, uint64_t registration);
/* The member with that number. */
const phx_member *phx_cluster_map_numbered(const phx_cluster_map *map, uint16_t number);
/* Is there room for another node, or gateway? */
bool phx_cluster_map_has_room(const phx_cluster_map *map, bool gateway);
uint32_t phx_cluster_map_nodes(const phx_cluster_map *map);
/* The highest format that all members read; without members the map's. */
uint8_t phx_cluster_map_reads(const phx_cluster_map *map);
/*
 * Does a member, or a process that joins, hold the map in its format, if it reads these formats? They have the map's,
 * and not the next one, which is the lowest that a member reads above the map's.
 */
bool phx_cluster_map_is_held_by(const phx_cluster_map *map, phx_formats formats);
/* How many it has. */
uint32_t phx_cluster_map_regions_of(const phx_cluster_map *map, uint16_t number);

/* Sides of a region, 0 to 4, that it has with regions of that node. */
uint32_t phx_cluster_map_sides(const phx_cluster_map *map, uint32_t region, uint16_t number);

/* Have both the same content? */
bool phx_cluster_map_is_same(const phx_cluster_map *map, const phx_cluster_map *other);
/* Returns the bytes written; size: at least PHX_CLUSTER_MAP_BYTES_MAX. */
size_t phx_cluster_map_encode(const phx_cluster_map *map, void *bytes, size_t size);
/* The format of a map, of any version of the library; 0: the bytes are none. */
uint32_t phx_cluster_map_format(const void *bytes, size_t size);
/* false: the bytes are no map in one of these formats; *map is unchanged. */
bool phx_cluster_map_decode(phx_cluster_map *map, phx_formats formats, const void *bytes, size_t size);

#endif
