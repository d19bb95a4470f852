/*
 * The heights of entities at the last tick's end, by slot, in a world of spheres or cylinders: rows have positions in
 * the ground plane alone. With them lists are derived where heights decide, and tiles find the events
 * (interest/tile_heights.h). On flat ground heights decided nothing, so one and the same height stands for all of them:
 * it is written again once the ground lies elsewhere. A float for each slot, and none in worlds of circles and squares.
 * Written by the shard's owner at the tick's end, as rows are; read by all workers in between.
 */
#ifndef PHX_SHARDS_STATE_OLD_HEIGHTS_H
#define PHX_SHARDS_STATE_OLD_HEIGHTS_H

#include "shards/entity/entity_store.h"
#include "shards/entity/visibility.h"
#include "shards/state/height_span.h"

typedef struct phx_old_heights {
    float *at; /* by slot; of a slot without an old position any value */
    uint32_t capacity;
    float level;   /* ... of each slot that was not written since there is room for it */
    bool is_level; /* ... of each slot */
    bool known;    /* of all slots with an old position; true while there are none */
} phx_old_heights;

/* Does the shape count heights? */
static inline bool phx_shape_is_tall(ph_shape shape)
{
    return shape == PH_SHAPE_SPHERE || shape == PH_SHAPE_CYLINDER;
}

/* In the index phase: room for the slots, if the shape counts heights. false = no memory, unchanged. */
bool phx_old_heights_reserve(phx_old_heights *old, phx_mem *mem, const phx_rules *rules, uint32_t slots);

/*
 * At the end of a tick in which entities changed; indexed: there was room for all slots. flat: NULL, or bounds of all
 * heights, which decided nothing in this tick.
 */
void phx_old_heights_follow(phx_old_heights *old, const phx_rules *rules, const phx_store *store, bool indexed,
                            const phx_height_span *flat);

#endif
