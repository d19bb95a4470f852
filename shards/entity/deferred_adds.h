/*
 * Deferred adds of a shard. While its lists or rows are iterated (depth > 0) a new entity has a slot but is in no tower
 * and no list. It waits here, and is added, in order, when the outermost iteration ends. A tick iterates from ingest to
 * the index phase, so every enter, immigrant and halo copy of a tick is added there, in one sort of the grid.
 * Exception: a ghost in no own view waits for the next sort that has another reason. Written by the shard's owner.
 *
 * A host's visit is no such iteration: it copies pieces of a list between ticks, and a tick that runs meanwhile ends
 * it. The commands of its callback wait one stage earlier, in the producers' queues.
 */
#ifndef PHX_SHARDS_ENTITY_DEFERRED_ADDS_H
#define PHX_SHARDS_ENTITY_DEFERRED_ADDS_H

#include "base/mem.h"

typedef struct phx_deferred {
    uint32_t *slots; /* in the order of adding; some may be dead by now */
    uint32_t count, capacity;
    phx_high_water use;
    uint32_t depth; /* depth of nested iterations */
} phx_deferred;

static inline void phx_deferred_begin(phx_deferred *deferred)
{
    deferred->depth++;
}

/* true: the outermost iteration ended, and the waiting adds are due. */
static inline bool phx_deferred_end(phx_deferred *deferred)
{
    PHX_ASSERT(deferred->depth > 0);
    return --deferred->depth == 0;
}

/* Room for `count` more adds. false = no memory, unchanged. */
static inline bool phx_deferred_reserve(phx_deferred *deferred, phx_mem *mem, uint32_t count)
{
    return phx_grow(mem, (void **)&deferred->slots, &deferred->capacity, deferred->count,
                    (size_t)deferred->count + count, sizeof(uint32_t));
}

static inline void phx_deferred_add(phx_deferred *deferred, uint32_t slot)
{
    PHX_ASSERT(deferred->count < deferred->capacity);
    deferred->slots[deferred->count++] = slot;
}

/* All but the first `left` were added, or died: once a tick. Memory of a storm is given back some ticks later. */
static inline void phx_deferred_done(phx_deferred *deferred, phx_mem *mem, uint32_t left)
{
    uint32_t used = deferred->count;
    PHX_ASSERT(left <= used);
    deferred->count = left;
    if (left > 0) return; /* memory is given back when all were added: soon, as rows drift */
    phx_trim(mem, (void **)&deferred->slots, &deferred->capacity, sizeof(uint32_t), used, &deferred->use);
}

static inline void phx_deferred_free(phx_deferred *deferred, phx_mem *mem)
{
    phx_release(mem, (void **)&deferred->slots, &deferred->capacity, sizeof(uint32_t));
    deferred->count = 0;
}

#endif
