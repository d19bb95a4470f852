/*
 * A bounded queue of pointers over concurrencykit's ck_ring, for exactly one enqueuing
 * and one dequeuing thread at a time. This is the only file pair that includes ck; it is
 * compiled without TSan instrumentation and tells TSan of the hand-over itself
 * (release before publishing, acquire after taking), because ck's assembly is invisible
 * to it. Both calls are wait-free.
 *
 * The consumer sees all writes that the producer made behind a pointer before phx_ring_put(), once
 * phx_ring_take() has returned that pointer.
 */
#ifndef PHX_BASE_RING_H
#define PHX_BASE_RING_H

#include "base/mem.h"

typedef struct phx_ring phx_ring;

/* Holds at least `capacity` >= 1 pointers (rounded up to a power of two less one). NULL = no memory. */
phx_ring *phx_ring_create(phx_mem *mem, uint32_t capacity);
void phx_ring_destroy(phx_mem *mem, phx_ring *ring);

/* Enqueuing thread. false = full, nothing happened. item is not NULL. */
bool phx_ring_put(phx_ring *ring, void *item);
/* Dequeuing thread. NULL = empty. */
void *phx_ring_take(phx_ring *ring);
/* Any thread: how many are inside; exact only for the two threads of the ring, from their own side. */
uint32_t phx_ring_count(const phx_ring *ring);
/* How many it can hold. */
uint32_t phx_ring_capacity(const phx_ring *ring);
/* Tests only, on an empty ring with no thread inside: starts the counters near their wrap. */
void phx_ring_start_at(phx_ring *ring, uint32_t counter);

#endif
