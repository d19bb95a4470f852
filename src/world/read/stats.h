/*
 * Statistics of a tick for ph_stats: counters at its begin, its times, and the work of each shard's observers. Called
 * by the ticking thread (tick/tick.c); read between ticks (query.h).
 *
 * Times by shard: a worker on a piece of one shard (a step of it, a chunk, a piece of broadcasts or updates) reads the
 * clock before and after it, and adds the time to the piece. Each piece has one writer until the barrier.
 */
#ifndef PHX_WORLD_READ_STATS_H
#define PHX_WORLD_READ_STATS_H

#include "world/state/world.h"

/* Begins a tick. */
void phx_stats_begin(phx_world *world);
/* The interest phase ended: adds chunks' counts to their shards. */
void phx_stats_share(phx_world *world);
/* The tick ended: adds the pieces' times to their shards. */
void phx_stats_end(phx_world *world);

void phx_query_stats(const phx_world *world, ph_stats *stats);

void phx_query_shard_stats(const phx_world *world, uint32_t index, ph_shard_stats *stats);

#endif
