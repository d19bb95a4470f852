/*
 * Records on their way from the ticking thread to the journal's thread: a ring of bytes with one writer and one reader.
 * Memory is made once. A record stands in one piece between a frame's head and its sum, so that the reader writes all
 * three as they lie. A full ring refuses; no side waits for the other.
 */
#ifndef PHX_STORE_RING_H
#define PHX_STORE_RING_H

#include <stdatomic.h>

#include "base/core.h"
#include "store/journal_frame.h"

typedef struct phx_store_ring {
    unsigned char *bytes;
    uint64_t size;
    /* counted for ever; the place is the remainder by the size, from `origin` on */
    uint64_t origin;        /* by the writer, while the ring is empty; the reader reads it behind `put` */
    uint64_t open;          /* by the writer: behind the frame that is begun; `put` until it is ended */
    _Atomic uint64_t put;   /* by the writer; release: the frames before it are complete */
    _Atomic uint64_t taken; /* by the reader; release: the bytes before it may be used again */
} phx_store_ring;

/* size: a multiple of 8. false = no memory. */
bool phx_store_ring_init(phx_store_ring *ring, uint64_t size);
void phx_store_ring_free(phx_store_ring *ring);

/* Room for a record of so many bytes, a multiple of 8. NULL: the ring is full. */
void *phx_store_ring_begin(phx_store_ring *ring, uint64_t bytes);
/* Ends the frame of that record, and shows it to the reader. */
void phx_store_ring_end(phx_store_ring *ring, phx_journal_frame_head head);

/* The reader's next frame with its bytes, head and sum included; NULL: there is none. It writes the sums. */
phx_journal_frame_head *phx_store_ring_next(phx_store_ring *ring);
/* The reader is done with that frame. */
void phx_store_ring_pass(phx_store_ring *ring, const phx_journal_frame_head *frame);

#endif
