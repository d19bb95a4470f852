/*
 * Maps that begin an era; see eras.h. Pure.
 */
#include "cluster/map/eras.h"

#include "base/rng.h"

void phx_cluster_map_begin(phx_cluster_map *map, uint8_t format, uint32_t columns, uint32_t rows, uint64_t lease)
{
    phx_cluster_map_init(map, columns, rows);
    map->format = format;
    map->version += (uint32_t)(phx_mix64(lease) % PHX_CLUSTER_FIRST_ERAS) << PHX_CLUSTER_ERA_SHIFT;
    map->moved = map->version;
}

void phx_cluster_map_adopt(phx_cluster_map *map, uint32_t version)
{
    PHX_ASSERT(version > map->version);
    map->fence = map->moved = map->version = version;
    for (uint32_t i = 0; i < map->region_count; i++) map->regions[i].lost = map->version;
}

bool phx_cluster_map_exceed(phx_cluster_map *map, uint32_t version)
{
    const uint32_t era = (version >> PHX_CLUSTER_ERA_SHIFT) + 1;
    if (version < map->version || era > PHX_CLUSTER_EXCEEDED_ERAS) return false;
    map->version = era << PHX_CLUSTER_ERA_SHIFT;
    return true;
}
