/*
 * Flat ground: where all entities of a shard are so near in height that the rule of a sphere or a cylinder says the
 * same as that of a circle, the deltas in the ground plane are enough. Called in the index phase by the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_FLAT_GROUND_H
#define PHX_SHARDS_TICK_FLAT_GROUND_H

#include "shards/state/shard.h"

/*
 * Is every pair of entities of the shard, ghosts included, in range exactly if it is in the ground plane? A circle and
 * a square know no heights. A cylinder is a circle while no two heights differ by more than its height: as rounding
 * keeps order, the float32 difference of the highest and the lowest is the largest. A sphere is a circle while all
 * heights are equal: the square of no difference adds nothing. Reads each body only if heights count and their bounds
 * are too far apart; then the bounds are measured anew.
 */
bool phx_shard_ground_flat(phx_shard *shard);

/* For checks: is each live entity within the bounds of heights? */
bool phx_shard_heights_valid(const phx_shard *shard);

#endif
