/*
 * What a tick keeps of its own work for ph_stats: where counters stood when it began, its
 * times, and what each shard's observers cost. Called by the ticking thread (tick/tick.c);
 * read between ticks (query.h).
 *
 * Times by shard: whoever works on a piece of one shard (a step of it, a chunk, a piece of broadcasts or updates) looks
 * at the clock before and after it, and puts the time into the piece; each has one writer until the barrier.
 */
#ifndef PHX_WORLD_READ_STATS_H
#define PHX_WORLD_READ_STATS_H

#include "world/state/world.h"

/* A new tick. */
void phx_stats_begin(phx_world *world);
/* The interest phase is through: its chunks' counts become their shards'. */
void phx_stats_share(phx_world *world);
/* The tick is through: the pieces' times become their shards'. */
void phx_stats_end(phx_world *world);

void phx_query_stats(const phx_world *world, ph_stats *stats);

void phx_query_shard_stats(const phx_world *world, uint32_t index, ph_shard_stats *stats);

#endif
