/*
 * Batches on their way from the ticking thread to one consumer's thread and back. The memory of a relay follows the
 * most batches that were ever out at once. It is made of legs, each of two rings ("out" and "back") and a table of
 * taken batches, for so many batches. If more are to be out, the ticking thread makes another leg, four times as large,
 * and hands over on that leg from then on; the consumer's thread moves to it when the leg before is empty. A batch goes
 * back on the leg of its hand-over. All legs together are at most some 4/3 of the largest; they stay until the relay is
 * freed. Owned by a consumer. The ticking thread's side works in the publish phase, the consumer's side in any phase.
 *
 * Each ring has one enqueuing and one dequeuing thread, and a batch belongs to the thread that took its pointer last.
 * phx_ring_put() of one side pairs with phx_ring_take() of the other. The only other shared datum is a leg's pointer to
 * the next leg.
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
    uint32_t out_count; /* by the ticking thread: handed over here, not known to be back */
    phx_batch **taken;  /* by the consumer's thread: its taken batches, by hash of the pointer */
} phx_leg;

typedef struct phx_relay {
    phx_mem *mem;
    uint32_t bound;
    phx_leg *first;
    phx_leg *last; /* by the ticking thread */
    /* by the consumer's thread */
    _Alignas(PHX_CACHE_LINE) phx_leg *at;
    phx_batch *taken_first, *taken_last; /* taken batches, in the order of taking */
} phx_relay;

/* At most `bound` >= 1 batches are out at once. false = no memory; it has to be freed in any case. */
bool phx_relay_init(phx_relay *relay, phx_mem *mem, uint32_t bound);
/* No thread inside. */
void phx_relay_free(phx_relay *relay);

/* ---- ticking thread ---- */

/* Room for one more batch: fewer than the bound are out. false = no memory, nothing changed. */
bool phx_relay_ready(phx_relay *relay);
/* Hands a batch over; there is room. */
void phx_relay_put(phx_relay *relay, phx_batch *batch);
/* A batch that came back, or NULL. */
phx_batch *phx_relay_collect(phx_relay *relay);
/* The number of batches handed over and not taken; may be a moment old. */
uint32_t phx_relay_waiting(const phx_relay *relay);

/* ---- the consumer's thread; wait-free ---- */

/* Takes the oldest batch, or NULL. */
phx_batch *phx_relay_take(phx_relay *relay);
/* Was it taken, and is not back? Its memory is not read. */
bool phx_relay_is_taken(const phx_relay *relay, const ph_batch *given);
/* Sends a batch back. false = it was not taken; the memory of `given` is not read before it is found. */
bool phx_relay_return(phx_relay *relay, const ph_batch *given);

/* Tests only, on a relay never used: starts the counters of its rings near their wrap. */
void phx_relay_start_at(phx_relay *relay, uint32_t counter);

#endif
