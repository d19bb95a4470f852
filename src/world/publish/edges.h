/*
 * Edges on their way from the shards to the batches: counted, filled in, and held where a batch has no memory for them.
 * Publish phase, ticking thread.
 */
#ifndef PHX_WORLD_PUBLISH_EDGES_H
#define PHX_WORLD_PUBLISH_EDGES_H

#include "world/state/world.h"

/* Counts the edges of each consumer into edge_sizes. A held edge and its opposite of this tick cancel out. */
void phx_count_edges(phx_world *world);
/* Into the batches, which have room. */
void phx_fill_edges(phx_world *world);
/* There is no memory for the edges of a consumer's batch: they wait for the next tick's. */
void phx_hold_edges(phx_world *world, uint32_t consumer);

#endif
