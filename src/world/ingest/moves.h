/*
 * Moves, which are most commands of a world: looked up in the directory and applied many at once. A long stretch of
 * moves is shared by all workers, whatever the shards: each worker applies the moves of its own ids, so no two workers
 * write one entity, and the order for each entity is kept. General moves, and work on a shard as a whole, are left to
 * the ticking thread. In the ingest phase, called by ingest.c.
 */
#ifndef PHX_WORLD_INGEST_MOVES_H
#define PHX_WORLD_INGEST_MOVES_H

#include "world/state/world.h"

/* With fewer moves, waking the workers and moving bodies between processors costs as much as it saves. */
enum { PHX_MOVES_SHARE_MIN = 8192 };

/*
 * Wakes workers that sleep, for the stages behind ingest, once no more work is left than is done while they wake, in 30
 * to 50 microseconds: so many moves take 50 where bodies are cold. More of it, and they would spin in vain. In an apply
 * none is woken. left: the work of the commands at hand and behind them, in moves.
 */
static inline void phx_ingest_wake(phx_world *world, uint64_t left)
{
    enum { WAKE_WORK = 5000 };
    if (left <= WAKE_WORK && !world->apply.running) phx_workers_wake_early(world->workers);
}

/* The bytes of one worker's sums, one for each shard: whole cache lines. */
size_t phx_moves_sums_bytes(const phx_world *world);
/* Makes the arrays. false = no memory. */
bool phx_moves_init(phx_world *world);
void phx_moves_free(phx_world *world);

/* Applies a run of moves. behind: the work of the tick's commands behind it, for phx_ingest_wake(). */
void phx_moves_apply(phx_world *world, const phx_producer_run *run, uint64_t behind);

/* Applies the runs [first, end) by all workers. false = no memory to share them out, nothing was done. */
bool phx_moves_share(phx_world *world, uint32_t first, uint32_t end);

/* All commands of the tick are applied: adds the sums of the moves to the shards. */
void phx_moves_report(phx_world *world);

#endif
