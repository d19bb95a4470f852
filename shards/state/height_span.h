/*
 * Span of heights, from the lowest to the highest one; of a shard bounds of all its entities' heights. Ingest and
 * exchange widen the bounds where an entity is placed, and by the longest rise or fall of a tick's common moves; the
 * index phase measures them anew if they are too far apart to tell that ground is flat. Written by the shard's owner.
 */
#ifndef PHX_SHARDS_STATE_HEIGHT_SPAN_H
#define PHX_SHARDS_STATE_HEIGHT_SPAN_H

#include <math.h>
#include <stdbool.h>

typedef struct phx_height_span {
    float low, high;
} phx_height_span;

/* Of no height. */
static inline phx_height_span phx_height_span_none(void)
{
    return (phx_height_span){INFINITY, -INFINITY};
}

static inline phx_height_span phx_height_span_with(phx_height_span span, float z)
{
    return (phx_height_span){z < span.low ? z : span.low, z > span.high ? z : span.high};
}

static inline bool phx_height_span_has(phx_height_span span, float z)
{
    return z >= span.low && z <= span.high;
}

/* With room for any height of the span after a rise or fall of so much, as float32 tells the difference of two. */
static inline phx_height_span phx_height_span_wider(phx_height_span span, float rise)
{
    if (!(rise > 0.0f)) return span;
    const float most = nextafterf(rise, INFINITY); /* the difference was rounded, and so is each sum */
    return (phx_height_span){nextafterf(span.low - most, -INFINITY), nextafterf(span.high + most, INFINITY)};
}

#endif
