/*
 * A producer's slot: its command queue to the tick, and the refusals that come back. The ticking thread's side works in
 * the ingest phase, the producer's side in any phase.
 *
 *   free -> open -> draining -> free
 *
 * The first opening makes the queues. Opening hands the slot to one thread; closing hands it back, and the next tick
 * that has read everything frees it. Fields are grouped by writer.
 */
#ifndef PHX_WORLD_STATE_PRODUCER_H
#define PHX_WORLD_STATE_PRODUCER_H

#include <stdatomic.h>

#include "world/batch/consumer_queue.h"
#include "world/queue/command_queue.h"
#include "world/queue/refusals.h"

typedef enum phx_slot_state { PHX_FREE = 0, PHX_OPENING, PHX_OPEN, PHX_DRAINING } phx_slot_state;

typedef struct phx_producer {
    /*
     * phx_slot_state. Store-release after the queues are made (or after the last command, on close) pairs with the
     * load-acquire of the tick and of the next opener.
     */
    _Atomic uint32_t state;
    _Atomic uint32_t generation;        /* of handles; changed while OPENING only; release with `state` */
    _Atomic(phx_command_queue *) queue; /* made by the first opener, never changed again; stats may read it meanwhile */
    phx_refusals tick_refusals;         /* from ticks */
    bool in_tick;                       /* the ticking thread's: its snapshot is open */

    /* the producer's thread */
    uint64_t sequence __attribute__((aligned(PHX_CACHE_LINE)));
    ph_refusal *own; /* refusals of bulk calls, the oldest at own_first; NULL: there never was one */
    uint32_t own_first, own_count, own_capacity;
    ph_refusal head; /* taken from `tick_refusals`, but younger than the refusals in `own` */
    bool has_head;
    _Atomic uint64_t refused[PH_STATUS_COUNT]; /* at submit; relaxed: statistics */
    _Atomic uint64_t untold;                   /* relaxed */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_producer;

/* A consumer, and whether a thread has it open. */
typedef struct phx_consumer_slot {
    _Atomic uint32_t state; /* PHX_FREE or PHX_OPEN; acquire/release hands the consumer's side from thread to thread */
    _Atomic uint32_t generation;
    phx_consumer *consumer;
    bool renews; /* loaded without what waited for it: its observers get their whole lists; the ticking thread's */
} phx_consumer_slot;

/* Opens one of a world's slots. PH_TAKEN, PH_NO_MEMORY. *index, *generation of the new handle. Any thread. */
ph_status phx_producer_open(phx_producer *producers, phx_mem *mem, const ph_world_def *def, uint32_t *index,
                            uint16_t *generation);
void phx_producer_close(phx_producer *producer);
void phx_producer_free(phx_producer *producer, phx_mem *mem);

/*
 * Of the slot for records, which no handle names; by the ticking thread. Its queue holds commands of one record;
 * refusals of the last one are forgotten. false = no memory.
 */
bool phx_producer_begin_record(phx_producer *producer, phx_mem *mem, const ph_world_def *def);
/* A record is refused: forgets its commands. */
void phx_producer_drop_record(phx_producer *producer);

/* Takes refusals, the oldest first, on the producer's thread. Returns how many. */
uint32_t phx_producer_take_refusals(phx_producer *producer, ph_refusal *refusals, uint32_t capacity);
/* Keeps the refusal of a bulk call, on the producer's thread. false = `bound` wait already, or no memory. */
bool phx_producer_refuse(phx_producer *producer, phx_mem *mem, uint32_t bound, ph_refusal refusal);

/* The tick's snapshot: every command published before the call is in it. false = the slot was never used. */
bool phx_producer_snapshot(phx_producer *producer);
/*
 * The end of a tick or an apply: gives read blocks back. A tick frees a drained slot as well; an apply does not, as the
 * tick may still refuse broadcasts that the apply took.
 */
void phx_producer_release(phx_producer *producer, bool ends_tick);

#endif
