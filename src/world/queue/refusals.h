/*
 * Refusals on their way from the ticking thread to a producer's thread: a bounded single-producer single-consumer
 * queue. If it is full, the refusal is only counted. One thread counts the refusals put, the other the refusals taken,
 * both for ever and wrapping at 32 bits. The item of a number is at its remainder by the array's size, a power of two.
 */
#ifndef PHX_WORLD_QUEUE_REFUSALS_H
#define PHX_WORLD_QUEUE_REFUSALS_H

#include <stdatomic.h>

#include <pharos/types.h>

#include "base/mem.h"

typedef struct phx_refusals {
    ph_refusal *items;
    uint32_t bound;
    uint32_t item_count;    /* a power of two, at least the bound */
    _Atomic uint32_t put;   /* by the ticking thread; release: the item is complete */
    _Atomic uint32_t taken; /* by the producer; release: the item is read */
} phx_refusals;

/* false = no memory. */
bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound);
void phx_refusals_free(phx_refusals *refusals, phx_mem *mem);
/* Ticking thread. false = full. */
bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal);
/* Producer's thread. false = empty. */
bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal);
/* Tests only, on an empty queue with no thread inside: starts the counters near their wrap. */
void phx_refusals_start_at(phx_refusals *refusals, uint32_t counter);

#endif
