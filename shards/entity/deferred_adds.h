/*
 * The deferred-add queue of a shard. While its lists or rows are being iterated (depth
 * > 0) a new entity has a slot but stands in no tower and no list: it waits here, and
 * comes in, in the order of adding, when the outermost iteration ends. A tick iterates
 * from ingest to the index phase, so every enter, migrant and halo copy of a tick comes
 * in there, in one sort of the grid; but for ghosts that nobody can see, which wait for
 * the next sort that is due for other reasons. Written by the shard's owner.
 *
 * A host's for-each iterates between ticks: it holds the whole tick off, so the adds that
 * it meets wait one stage earlier, in the producers' queues.
 */
#ifndef PHX_SHARDS_ENTITY_DEFERRED_ADDS_H
#define PHX_SHARDS_ENTITY_DEFERRED_ADDS_H

#include "base/mem.h"

typedef struct phx_deferred {
    uint32_t *slots; /* in the order of adding; some may have died since */
    uint32_t count, capacity;
    phx_high_water use;
    uint32_t depth; /* iterations inside one another */
} phx_deferred;

static inline void phx_deferred_begin(phx_deferred *deferred)
{
    deferred->depth++;
}

/* true: that was the outermost one, what waits is due. */
static inline bool phx_deferred_end(phx_deferred *deferred)
{
    PHX_ASSERT(deferred->depth > 0);
    return --deferred->depth == 0;
}

/* Room for `count` more. false = no memory, unchanged. */
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

/* All but the first `left` have come in, or died: once a tick. What a storm took goes some ticks after it. */
static inline void phx_deferred_done(phx_deferred *deferred, phx_mem *mem, uint32_t left)
{
    uint32_t used = deferred->count;
    PHX_ASSERT(left <= used);
    deferred->count = left;
    if (left > 0) return; /* it may be given back when all have come in: soon, as rows drift */
    phx_trim(mem, (void **)&deferred->slots, &deferred->capacity, sizeof(uint32_t), used, &deferred->use);
}

static inline void phx_deferred_free(phx_deferred *deferred, phx_mem *mem)
{
    phx_release(mem, (void **)&deferred->slots, &deferred->capacity, sizeof(uint32_t));
    deferred->count = 0;
}

#endif
