/*
 * Areas that follow an entity, their anchor: the shape relative to it, and the areas of each anchor. A part of the
 * table of areas (areas.h), changed by the ticking thread alone, in the ingest phase and before the zones stage.
 */
#ifndef PHX_SHARDS_ZONES_AREA_FOLLOWS_H
#define PHX_SHARDS_ZONES_AREA_FOLLOWS_H

#include <pharos/types.h>

#include "base/idmap.h"

enum { PHX_FOLLOW_NONE = UINT32_MAX };

/* Where an anchor is. */
typedef struct phx_anchor_place {
    float x, y, z;
    uint32_t instance;
} phx_anchor_place;

typedef struct phx_area_follow {
    uint64_t anchor;       /* id of the entity; 0 = free */
    uint32_t area;         /* its place in the table of areas */
    uint32_t next, before; /* of the same anchor; free ones are chained by next */
    phx_anchor_place at;   /* of the anchor, when the area was placed last */
    ph_area shape;         /* relative to the anchor */
} phx_area_follow;

typedef struct phx_area_follows {
    phx_area_follow *at;
    uint32_t used, capacity; /* used: numbers ever given */
    uint32_t count, free_first;
    phx_idmap anchors; /* id -> number of the first of its areas */
} phx_area_follows;

void phx_area_follows_init(phx_area_follows *follows, phx_mem *mem);
void phx_area_follows_free(phx_area_follows *follows, phx_mem *mem);
/* Room for one more. false = no memory, unchanged. */
bool phx_area_follows_reserve(phx_area_follows *follows, phx_mem *mem);
/* Returns its number; room was reserved. */
uint32_t phx_area_follows_add(phx_area_follows *follows, uint32_t area, const ph_area *shape,
                              const phx_anchor_place *place);
void phx_area_follows_drop(phx_area_follows *follows, uint32_t number);
/* The number of one that has this anchor, or PHX_FOLLOW_NONE. */
uint32_t phx_area_follows_first(const phx_area_follows *follows, uint64_t anchor);
/* The shape as it stands with its anchor at this place: each coordinate is added to, in float32. */
ph_area phx_area_follow_shape(const ph_area *shape, const phx_anchor_place *place);

#endif
