/*
 * Refusals on their way from the ticking thread to a producer's thread: a bounded single-producer single-consumer
 * queue. If it is full, the refusal is only counted. One of an import is told beyond the bound, as its family is in no
 * other world: as long as no more than 2^20 wait, a tick takes no import without a place for its refusal, but for the
 * first one of a producer in a tick that is finished without memory. The queue's memory follows the most commands of
 * one tick, and the refused imports that wait, as each of them may be refused: the tick reserves room before it applies
 * the first (a tick that is finished without memory counts refusals without room). The queue is made of legs, each an
 * array. If the last one has too little room, the ticking thread makes the next one, at least four times as large, and
 * puts there from then on. The producer's thread moves to it when the leg before is empty, and frees that. The ticking
 * thread puts in the ingest phase; the producer's thread takes in any phase.
 *
 * One thread counts the refusals put, the other the refusals taken, both for ever. The item of a number is at its
 * remainder by the leg's size, a power of two.
 */
#ifndef PHX_WORLD_QUEUE_REFUSALS_H
#define PHX_WORLD_QUEUE_REFUSALS_H

#include <stdatomic.h>

#include <pharos/types.h>

#include "base/mem.h"

typedef struct phx_refusal_leg {
    /* store-release by the ticking thread, before it puts into the next leg; load-acquire by the producer */
    _Atomic(struct phx_refusal_leg *) next;
    uint64_t first; /* the number of the first refusal put here */
    uint32_t item_count;
    ph_refusal items[];
} phx_refusal_leg;

typedef struct phx_refusals {
    phx_mem *mem;
    uint32_t bound;
    uint64_t imports;       /* places in the last leg that are kept for their refusals; the ticking thread's */
    phx_refusal_leg *last;  /* by the ticking thread; it alone reads it */
    phx_refusal_leg *at;    /* by the producer, and read by it alone; NULL: there never was a queue */
    _Atomic uint64_t put;   /* by the ticking thread; release: the item is complete */
    _Atomic uint64_t taken; /* by the producer; release: the item is read */
} phx_refusals;

/* At most `bound` >= 1 refusals wait. false = no memory. */
bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound);
/* No thread inside. Also a queue that was never made, all zero. */
void phx_refusals_free(phx_refusals *refusals);
/*
 * Ticking thread: room for `more` refusals, as far as the bound allows, and for the ones of imports beside them.
 * false = no memory, nothing changed.
 */
bool phx_refusals_reserve(phx_refusals *refusals, uint64_t more, uint64_t imports);
/* Ticking thread. false = full: the bound, or no room was reserved. Places of imports are taken by these alone. */
bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal);
/* Producer's thread. false = empty. */
bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal);

#endif
