/*
 * Batches on their way from the ticking thread to one consumer's thread and back. Takes the memory that the most at
 * once ever needed: a relay is legs, each of two rings ("out" and "back") and a table of what is taken, for so many
 * batches. When more are to be out, the ticking thread makes a further leg, four times as large, and hands over there
 * from then on; the consumer's thread goes on to it when the one before is empty. A batch goes back on the leg that it
 * came on. All legs together are at most some 4/3 of the largest; they stay until the relay is freed. Owned by a
 * consumer.
 *
 * Each ring has one enqueuing and one dequeuing thread, and a batch belongs to whoever took its pointer last.
 * phx_ring_put() of the one side pairs with phx_ring_take() of the other; that a leg has a next one is the only other
 * shared datum.
 */
#ifndef PHX_WORLD_BATCH_RELAY_H
#define PHX_WORLD_BATCH_RELAY_H

#include <stdatomic.h>

#include "base/ring.h"
#include "world/batch/batch.h"

typedef struct phx_leg {
    /* never changes */
    phx_ring *out, *back;
    uint32_t capacity;
    uint32_t taken_slots; /* a power of two, at least twice the capacity */
    /* store-release by the ticking thread, behind the last put into `out`, pairs with the load-acquire of a taker */
    _Atomic(struct phx_leg *) next;
    uint32_t out_count; /* the ticking thread's: handed over here, not known to be back */
    phx_batch **taken;  /* the consumer's thread's: the batches it has, by hash of the pointer */
} phx_leg;

typedef struct phx_relay {
    phx_mem *mem;
    uint32_t bound;
    phx_leg *first;
    phx_leg *last; /* the ticking thread's */
    /* the consumer's thread's */
    _Alignas(PHX_CACHE_LINE) phx_leg *at;
    phx_batch *taken_first, *taken_last; /* those that it has, in the order of taking */
} phx_relay;

/* At most `bound` >= 1 batches are out at once. false = no memory; free it all the same. */
bool phx_relay_init(phx_relay *relay, phx_mem *mem, uint32_t bound);
/* No thread inside. */
void phx_relay_free(phx_relay *relay);

/* ---- ticking thread ---- */

/* Room for one more: fewer than the bound are out. false = no memory, nothing changed. */
bool phx_relay_ready(phx_relay *relay);
/* There is room. */
void phx_relay_put(phx_relay *relay, phx_batch *batch);
/* One that came back, or NULL. */
phx_batch *phx_relay_collect(phx_relay *relay);
/* Handed over, not taken; may be a moment old. */
uint32_t phx_relay_waiting(const phx_relay *relay);

/* ---- the consumer's thread; wait-free ---- */

/* The oldest one, or NULL. */
phx_batch *phx_relay_take(phx_relay *relay);
/* Sends a batch back. false = it is none that was taken; what `view` points to is not touched before it is found. */
bool phx_relay_return(phx_relay *relay, const ph_batch *view);

/* Tests only, on a relay never used: starts the counters of its rings near their wrap. */
void phx_relay_start_at(phx_relay *relay, uint32_t counter);

#endif
