/*
 * The broadcasts of a batch: messages with their sources, and a delivery for each observer. The arrays of ph_batch,
 * writable, grown together; they move between a batch and a backlog by swapping. Filled in the publish phase by workers
 * (each its own ranges) or by broadcast_backlog.c.
 */
#ifndef PHX_WORLD_BATCH_BATCH_BROADCASTS_H
#define PHX_WORLD_BATCH_BATCH_BROADCASTS_H

#include <pharos/types.h>

#include "base/mem.h"

/* Payloads begin at multiples of this, so that a host may cast them. */
enum { PHX_PAYLOAD_ALIGN = 8 };

static inline uint64_t phx_payload_room(uint64_t bytes)
{
    return (bytes + PHX_PAYLOAD_ALIGN - 1) / PHX_PAYLOAD_ALIGN * PHX_PAYLOAD_ALIGN;
}

/* Sizes of the arrays; payload bytes with their padding. */
typedef struct phx_batch_broadcasts_size {
    uint32_t messages, deliveries, heard;
    uint64_t payload;
} phx_batch_broadcasts_size;

typedef struct phx_batch_broadcasts {
    ph_message *messages;
    uint64_t *payload; /* in words: so its capacity fits 32 bits */
    ph_delivery *deliveries;
    uint32_t *heard;
    phx_batch_broadcasts_size size;
    uint32_t messages_capacity, payload_capacity, deliveries_capacity, heard_capacity;
    phx_high_water messages_use, payload_use, deliveries_use, heard_use;
} phx_batch_broadcasts;

/* Makes room for this size, and sets it; the content is lost. false = no memory: unchanged, or grown. */
bool phx_batch_broadcasts_reserve(phx_batch_broadcasts *broadcasts, phx_mem *mem, phx_batch_broadcasts_size size);
/* Gives back memory that was too much for a while; the content counts as use, and is lost. */
void phx_batch_broadcasts_trim(phx_batch_broadcasts *broadcasts, phx_mem *mem);
void phx_batch_broadcasts_free(phx_batch_broadcasts *broadcasts, phx_mem *mem);

/* The bytes of its content, not of its capacity. */
static inline uint64_t phx_batch_broadcasts_bytes(const phx_batch_broadcasts *broadcasts)
{
    return broadcasts->size.messages * sizeof(ph_message) + broadcasts->size.deliveries * sizeof(ph_delivery) +
           broadcasts->size.heard * sizeof(uint32_t) + broadcasts->size.payload;
}

#endif
