/*
 * The number of changes and targets of each chunk for each consumer; then their places in its batch. Counted in the
 * interest phase, by the worker that finished the chunk.
 */
#ifndef PHX_WORLD_PUBLISH_CHANGE_COUNTS_H
#define PHX_WORLD_PUBLISH_CHANGE_COUNTS_H

#include "world/state/world.h"

/* Room for the counts of all chunks: before the interest phase, and when it makes more chunks. false = no memory. */
bool phx_publish_room(phx_world *world);

/* Counts a chunk's changes for each consumer. In the interest phase, by the worker that finished the chunk. */
void phx_publish_count(phx_world *world, uint32_t chunk);

/* Counts anew for one consumer, whose batch is not made yet. */
void phx_publish_recount(phx_world *world, uint32_t chunk, uint32_t consumer);

/* Counts of a chunk begin at a cache line: neighbouring chunks belong to different workers. */
static inline size_t phx_counts_per_chunk(const phx_world *world)
{
    enum { A_LINE = PHX_CACHE_LINE / sizeof(phx_consumer_changes) };
    return ((size_t)world->def.consumers + A_LINE - 1) / A_LINE * A_LINE;
}

static inline phx_consumer_changes *phx_chunk_counts(phx_world *world, uint32_t chunk, uint32_t consumer)
{
    return &world->chunk_counts[chunk * phx_counts_per_chunk(world) + consumer];
}

static inline uint32_t phx_consumer_of_change(const phx_world *world, const phx_chunk *chunk, const phx_change *change)
{
    if (world->def.consumers == 1) return 0; /* saves a memory access for every change */
    return world->shards[chunk->shard].store.name[change->slot].consumer;
}

static inline phx_change *phx_chunk_changes(const phx_world *world, const phx_chunk *chunk)
{
    if (chunk->change_count == 0) return NULL;
    return world->scratch[chunk->worker].changes + chunk->change_first;
}

static inline void phx_add_counts(phx_consumer_changes *sum, phx_consumer_changes more)
{
    sum->changes += more.changes;
    sum->targets += more.targets;
}

/* Adds a chunk behind the others, without room for its counts (phx_publish_room()). false = no memory. */
bool phx_add_chunk(phx_world *world, phx_chunk chunk);

#endif
