/*
 * Sets of regions, a bit each, and the rectangles that they are made of: a search of the world is one of a rectangle,
 * however many regions that has. Pure; used by the halo and its owner.
 */
#ifndef PHX_CLUSTER_HALO_REGION_SET_H
#define PHX_CLUSTER_HALO_REGION_SET_H

#include "cluster/halo/halo_region.h"
#include "cluster/map/cluster_map.h"

enum { PHX_REGION_SET_WORDS = PHX_CLUSTER_REGIONS_MAX / 64 };

typedef struct phx_region_set {
    uint64_t words[PHX_REGION_SET_WORDS];
} phx_region_set;

static inline void phx_region_set_add(phx_region_set *set, uint32_t region)
{
    set->words[region / 64] |= 1ull << region % 64;
}

static inline bool phx_region_set_has(const phx_region_set *set, uint32_t region)
{
    return (set->words[region / 64] >> region % 64 & 1) != 0;
}

static inline void phx_region_set_add_all(phx_region_set *set, const phx_region_set *other)
{
    for (uint32_t i = 0; i < PHX_REGION_SET_WORDS; i++) set->words[i] |= other->words[i];
}

static inline void phx_region_set_keep_all(phx_region_set *set, const phx_region_set *other)
{
    for (uint32_t i = 0; i < PHX_REGION_SET_WORDS; i++) set->words[i] &= other->words[i];
}

/* The first region from that one on; PHX_CLUSTER_REGIONS_MAX: there is none. */
uint32_t phx_region_set_next(const phx_region_set *set, uint32_t from);
uint32_t phx_region_set_count(const phx_region_set *set);
/* The regions of a node. */
phx_region_set phx_region_set_of(const phx_cluster_map *map, uint16_t number);
/* Adds a region, and all that an entity in it may be nearer to than `width`. */
void phx_region_set_add_around(phx_region_set *set, const phx_region_grid *grid, uint32_t region, float width);
/*
 * Takes a rectangle out of the set: the row that its first region begins, and the same columns of the rows below, as
 * long as they are rows of their own. false: the set is empty. So there are at most as many rectangles as the grid has
 * rows, and one for each region outside of the set.
 */
bool phx_region_set_take(phx_region_set *set, const phx_region_grid *grid, phx_region_rect *rect);

#endif
