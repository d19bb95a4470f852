/*
 * Flat ground; see flat_ground.h.
 */
#include "shards/tick/flat_ground.h"

typedef struct height_span {
    float low, high;
} height_span;

static inline height_span height_span_with(height_span span, float z)
{
    return (height_span){z < span.low ? z : span.low, z > span.high ? z : span.high};
}

/* The lowest and the highest live entity. An even and an odd slot at a time, as each comparison waits for the last. */
static height_span heights_of(const phx_store *store)
{
    height_span spans[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (body->state & PHX_SLOT_LIVE) spans[slot & 1] = height_span_with(spans[slot & 1], body->z);
    }
    return height_span_with(height_span_with(spans[0], spans[1].low), spans[1].high);
}

bool phx_shard_ground_flat(const phx_shard *shard)
{
    const phx_rules *rules = shard->rules;
    if (rules->shape == PH_SHAPE_CIRCLE || rules->shape == PH_SHAPE_SQUARE) return true;
    const height_span span = heights_of(&shard->store);
    if (!(span.low < span.high)) return true; /* equal heights, or no entity */
    return rules->shape == PH_SHAPE_CYLINDER && span.high - span.low <= rules->height;
}

bool phx_shard_heights_fit(const phx_shard *shard)
{
    const bool far = shard->far.entry_count > 0 || shard->far.change_count > 0;
    if (!phx_shape_is_tall(shard->rules->shape) || !shard->old_heights.known) return false;
    return !far && !shard->bounded && !shard->rules->banded;
}
