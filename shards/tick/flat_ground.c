/*
 * Flat ground; see flat_ground.h.
 */
#include "shards/tick/flat_ground.h"

/*
 * From the lowest to the highest live entity. An even and an odd slot at a time, as each comparison waits for the last.
 */
static phx_height_span measure_heights(const phx_store *store)
{
    phx_height_span spans[2] = {phx_height_span_none(), phx_height_span_none()};
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (body->state & PHX_SLOT_LIVE) spans[slot & 1] = phx_height_span_with(spans[slot & 1], body->z);
    }
    const phx_height_span all = {fminf(spans[0].low, spans[1].low), fmaxf(spans[0].high, spans[1].high)};
    return all.low <= all.high ? all : (phx_height_span){0.0f, 0.0f}; /* no entity */
}

static bool span_is_flat(const phx_rules *rules, phx_height_span span)
{
    return span.low == span.high || (rules->shape == PH_SHAPE_CYLINDER && span.high - span.low <= rules->height);
}

bool phx_shard_ground_flat(phx_shard *shard)
{
    if (!phx_shape_is_tall(shard->rules->shape) || span_is_flat(shard->rules, shard->heights)) return true;
    shard->heights = measure_heights(&shard->store);
    return span_is_flat(shard->rules, shard->heights);
}

bool phx_shard_heights_valid(const phx_shard *shard)
{
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_body *body = &shard->store.body[slot];
        if ((body->state & PHX_SLOT_LIVE) && !phx_height_span_has(shard->heights, body->z)) return false;
    }
    return true;
}
