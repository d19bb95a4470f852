/*
 * Moves of own entities, one by one and many at once. Called in the ingest phase by the owner of the shards;
 * phx_shards_move() by several workers at once, for disjoint entities.
 */
#ifndef PHX_SHARDS_INGEST_MOVES_H
#define PHX_SHARDS_INGEST_MOVES_H

#include "shards/ingest/move_batch.h"
#include "shards/ingest/moves_avx2.h"
#include "shards/state/shard.h"

void phx_shard_move(phx_shard *shard, uint32_t slot, float x, float y, float z);

/*
 * Moves in order, those of the common kind alone: the first of its entity, a short step, inside the rectangle.
 * The others are left, their numbers in left[] (room for all), in order; what was done is added to the sums, one
 * per shard. For all that are left phx_shard_move_general() is due, in order, and phx_shard_moved() for each
 * shard before its exchange phase. In range = towers a step to another tower is noted (ninegrid/ninegrid.h), but only
 * if alone. Not alone, several workers may be at it at once, for disjoint entities, with sums of their own: nothing of
 * a shard but these bodies is written, and only of shards with many_movers, which need no marks. Their rows stay behind
 * until the index phase.
 */
uint32_t phx_shards_move(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, bool alone,
                         phx_move_stats *sums, uint32_t *left);

void phx_shard_moved(phx_shard *shard, const phx_move_stats *sum);

/* false = no memory, nothing changed. */
bool phx_shard_move_general(phx_shard *shard, uint32_t slot, ph_position position);

/* The same by a kernel: for tests. */
uint32_t phx_shards_move_by(phx_move_kernel *kernel, phx_shard *shards, uint32_t shard_count,
                            const phx_move_batch *batch, bool alone, phx_move_stats *sums, uint32_t *left);

#endif
