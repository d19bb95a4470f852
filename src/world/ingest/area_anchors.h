/*
 * Places of entities that areas follow. Called by the ticking thread: when such an area is set, and before the zones
 * stage, once all entities are in their places.
 */
#ifndef PHX_WORLD_INGEST_AREA_ANCHORS_H
#define PHX_WORLD_INGEST_AREA_ANCHORS_H

#include "world/state/world.h"

/* false = no entity has the id. */
bool phx_area_anchor_find(const phx_world *world, uint64_t id, phx_anchor_place *place);
/* Brings all areas that follow to their anchors. Allocates nothing. */
void phx_area_anchors_follow(phx_world *world);

#endif
