/*
 * Moves, which are most commands of a world: looked up in the directory and applied many at once. A long stretch of
 * moves is shared by all workers, whatever the shards: each worker applies the moves of its own ids, so no two workers
 * write one entity, and the order for each entity is kept. General moves, and work on a shard as a whole, are left to
 * the ticking thread. In the ingest phase, called by ingest.c.
 */
#ifndef PHX_WORLD_INGEST_MOVES_H
#define PHX_WORLD_INGEST_MOVES_H

#include "world/state/world.h"

/*
 * With fewer moves than SHARE_MIN, waking the workers and moving bodies between processors costs as much as it saves.
 * With fewer than WAKE_MIN, the moves take less time than waking workers early for later stages.
 */
enum { PHX_MOVES_SHARE_MIN = 16384, PHX_MOVES_WAKE_MIN = 8192 };

/* The bytes of one worker's sums, one for each shard: whole cache lines. */
size_t phx_moves_sums_bytes(const phx_world *world);
/* Makes the arrays. false = no memory. */
bool phx_moves_init(phx_world *world);
void phx_moves_free(phx_world *world);

/* Applies a run of moves. */
void phx_moves_apply(phx_world *world, const phx_producer_run *run);

/* Applies the runs [first, end) by all workers. false = no memory to share them out, nothing was done. */
bool phx_moves_share(phx_world *world, uint32_t first, uint32_t end);

/* All commands of the tick are applied: adds the sums of the moves to the shards. */
void phx_moves_report(phx_world *world);

#endif
