/*
 * The updates of a batch: observers, their targets, and the positions of these. The arrays of ph_batch, writable, grown
 * together. Filled in the publish phase by workers (each its own ranges) or by update_backlog.c.
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
    uint8_t *bands; /* beside them */
    ph_moved *moved;
    phx_batch_updates_size size;
    uint32_t updates_capacity, due_capacity, bands_capacity, moved_capacity;
    phx_high_water updates_use, due_use, bands_use, moved_use;
} phx_batch_updates;

/* Makes room for this size, and sets it; the content is lost. false = no memory: unchanged, or grown. */
bool phx_batch_updates_reserve(phx_batch_updates *updates, phx_mem *mem, phx_batch_updates_size size);
/* Gives back memory that was too much for a while; the content counts as use, and is lost. */
void phx_batch_updates_trim(phx_batch_updates *updates, phx_mem *mem);
void phx_batch_updates_free(phx_batch_updates *updates, phx_mem *mem);

/* The bytes of their content, not of their capacity. */
static inline uint64_t phx_batch_updates_bytes(const phx_batch_updates *updates)
{
    return updates->size.updates * sizeof(ph_update) + updates->size.due * (sizeof(uint32_t) + sizeof(uint8_t)) +
           updates->size.moved * sizeof(ph_moved);
}

#endif
