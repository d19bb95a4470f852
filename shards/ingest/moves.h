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
 * Applies common moves, in order: the first move of its entity, a short step, inside the rectangle, or outside of the
 * world beside it, before and after. Numbers of other moves go to left[] (room for all), in order. Sums are added up,
 * one per shard. Then phx_shard_move_general() is due for all left moves, in order, and phx_shard_moved() for each
 * shard before its exchange phase. `alone` is true for a single caller: in range = towers it notes a step to another
 * tower (ninegrid/ninegrid.h). If false, several workers call it at once, for disjoint entities, with sums of their
 * own. Then only bodies of shards in a dense tick are written, which need no marks; rows stay stale until the index
 * phase.
 */
uint32_t phx_shards_move(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, bool alone,
                         phx_move_stats *sums, uint32_t *left);

void phx_shard_moved(phx_shard *shard, const phx_move_stats *sum);

/* Applies a move of any kind. false = no memory, nothing changed. */
bool phx_shard_move_general(phx_shard *shard, uint32_t slot, ph_position position);

/* phx_shards_move() by a kernel: for tests. */
uint32_t phx_shards_move_by(phx_move_kernel *kernel, phx_shard *shards, uint32_t shard_count,
                            const phx_move_batch *batch, bool alone, phx_move_stats *sums, uint32_t *left);

#endif
