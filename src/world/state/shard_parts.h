/*
 * Parts of shards, for stages in which all workers share each shard: by slots, rows or messages.
 *
 * Any phase, by the ticking thread and by workers.
 */
#ifndef PHX_WORLD_STATE_SHARD_PARTS_H
#define PHX_WORLD_STATE_SHARD_PARTS_H

#include "base/parts.h"
#include "world/state/world.h"

/* Parts of a shard: enough to share one shard among all workers, and small enough that no worker waits long. */
static inline uint32_t phx_shard_parts(const phx_world *world)
{
    enum { PIECES_A_WORKER = 4 };
    const uint32_t workers = phx_workers_count(world->workers);
    if (workers == 1) return 1;
    return (workers * PIECES_A_WORKER + world->shard_count - 1) / world->shard_count;
}

#endif
