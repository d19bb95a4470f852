/*
 * Refusals on their way from the ticking thread to a producer's thread: a bounded
 * single-producer single-consumer queue. Full means the refusal is only counted.
 * The one thread counts those that it put, the other those that it took, for ever and around
 * the end of 32 bits; the item of a number lies at its remainder by the bound, a power of two.
 */
#ifndef PHX_WORLD_QUEUE_REFUSALS_H
#define PHX_WORLD_QUEUE_REFUSALS_H

#include <stdatomic.h>

#include <pharos/types.h>

#include "base/mem.h"

typedef struct phx_refusals {
    ph_refusal *items;
    uint32_t bound;
    uint32_t item_count;    /* a power of two, no less than the bound */
    _Atomic uint32_t put;   /* the ticking thread's; release: the item is whole */
    _Atomic uint32_t taken; /* the producer's; release: the item is read */
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
