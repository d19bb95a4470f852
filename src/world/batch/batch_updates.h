/*
 * The updates of a batch: who is told of whom, and where those are. The arrays that
 * ph_batch points to, writable, and grown together. Filled by workers in phase "publish"
 * (each its own ranges) or by update_backlog.c.
 */
#ifndef PHX_WORLD_BATCH_BATCH_UPDATES_H
#define PHX_WORLD_BATCH_BATCH_UPDATES_H

#include <pharos/types.h>

#include "base/mem.h"

typedef struct phx_batch_updates_size {
    uint32_t updates, due, moved;
} phx_batch_updates_size;

typedef struct phx_batch_updates {
    ph_update *updates;
    uint32_t *due;
    ph_moved *moved;
    phx_batch_updates_size size;
    uint32_t updates_capacity, due_capacity, moved_capacity;
} phx_batch_updates;

/* Room for that much, which becomes its size; what was in it is lost. false = no memory: as it was, or grown. */
bool phx_batch_updates_reserve(phx_batch_updates *news, phx_mem *mem, phx_batch_updates_size size);
void phx_batch_updates_free(phx_batch_updates *news, phx_mem *mem);

/* What they weigh: content, not capacity. */
static inline uint64_t phx_batch_updates_bytes(const phx_batch_updates *news)
{
    return news->size.updates * sizeof(ph_update) + news->size.due * sizeof(uint32_t) +
           news->size.moved * sizeof(ph_moved);
}

#endif
