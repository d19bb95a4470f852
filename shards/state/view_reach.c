/*
 * How far the view of an observer reaches; see view_reach.h.
 */
#include "shards/state/view_reach.h"

#include "shards/state/storage.h"

phx_box phx_shard_box(const phx_shard *shard, const phx_body *body, float radius)
{
    const phx_rules *rules = shard->rules;
    if (rules->range == PH_RANGE_RADIUS) return phx_box_around(body->x, body->y, radius);
    return phx_box_of_towers(rules, phx_ninegrid_rect(rules, rules->span, body->tx, body->ty));
}

bool phx_shard_derives(const phx_shard *shard, uint32_t slot)
{
    return shard->storage->derives(shard, slot);
}
