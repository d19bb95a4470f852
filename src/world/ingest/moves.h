/*
 * Moves, which are most of what a world is told: looked up in the directory and applied
 * many at once, by the ticking thread, or, when a stretch of them is long, by all workers,
 * whatever the shards: each takes the moves of the ids that are its own, so that no two
 * write one entity, and the order per entity is kept. What is not of the common kind, and
 * what concerns a shard as a whole, is left to the ticking thread. In the ingest phase,
 * called by ingest.c.
 */
#ifndef PHX_WORLD_INGEST_MOVES_H
#define PHX_WORLD_INGEST_MOVES_H

#include "world/state/world.h"

/*
 * With less moves than these, waiting for the workers to wake and carrying bodies between processors costs what it
 * saves; with less than the others, it is no use waking them for later stages: moves take less time than that.
 */
enum { PHX_MOVES_WORTH_SHARING = 16384, PHX_MOVES_WORTH_ROUSING = 8192 };

/* false = no memory. */
bool phx_moves_init(phx_world *world);
void phx_moves_free(phx_world *world);

/* Applies a run of moves. */
void phx_moves_apply(phx_world *world, const phx_command_run *run);

/* Applies the runs [first, end) by all workers. false = no memory to share them out, nothing was done. */
bool phx_moves_share(phx_world *world, uint32_t first, uint32_t end);

/* All commands of the tick are applied: the shards are told what the moves did to them as a whole. */
void phx_moves_report(phx_world *world);

#endif
