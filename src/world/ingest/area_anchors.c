/*
 * Places of entities that areas follow; see area_anchors.h.
 */
#include "world/ingest/area_anchors.h"

bool phx_area_anchor_find(const phx_world *world, uint64_t id, phx_anchor_place *place)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, id, &shard, &slot)) return false;
    const phx_body *body = &shard->store.body[slot];
    *place = (phx_anchor_place){body->x, body->y, body->z, phx_store_instance(&shard->store, slot)};
    return true;
}

void phx_area_anchors_follow(phx_world *world)
{
    const phx_area_follows *follows = &world->areas.follows;
    for (uint32_t i = 0; i < follows->used; i++) {
        phx_anchor_place place;
        if (follows->at[i].anchor == 0) continue;
        const bool found = phx_area_anchor_find(world, follows->at[i].anchor, &place);
        PHX_ASSERT(found); /* an entity that leaves takes its areas along */
        if (found) phx_areas_follow(&world->areas, i, &place);
    }
}
