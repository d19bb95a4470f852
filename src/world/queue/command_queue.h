/*
 * The commands of one producer on their way to the ticking thread: a bounded queue of byte blocks with exactly one
 * producing thread at a time and one reading thread at a time (the ticking one). One per producer slot of a world;
 * src/world owns it, ingest/submit.c writes into it on the producer's thread, the ingest phase reads it.
 *
 * A block is 66 KiB (the longest record, a broadcast, takes 64 of it) and holds runs: one header and `count` records of
 * one operation, of one size, with consecutive sequence numbers. The operation decides whether the records of a run are
 * side by side or columns (commands.h). Blocks are allocated when first needed, at most as many as bytes / 66 KiB,
 * rounded up. They are kept, except blocks that were not needed for long. A queue begins with up to two small blocks of
 * 4 KiB besides, so that thousands of worlds with a few commands a tick stay small; from the first block of 66 KiB on,
 * which a longer run or a third block is, small blocks go as they come back. Blocks travel in a ring to the reader
 * ("filled", put when the block is OPENED, so that a half full block delays no command) and in a ring back ("free").
 *
 * Hand-over, in three places:
 *  1. Bytes of a block: block->state is one atomic word, published bytes and a closed
 *     bit. The producer's store-release in publish (and when it closes the block) pairs
 *     with the reader's load-acquire in phx_command_queue_snapshot(); runs below the loaded byte
 *     count are never written again by the producer until the block has come back. The reader may join
 *     some of them.
 *  2. A block to the reader: phx_ring_put() in reserve pairs with phx_ring_take() in
 *     snapshot. The block before it was closed first, so a reader that has the newer
 *     block sees the older one closed and complete: the reader always has a prefix of
 *     the published commands, in order.
 *  3. A block back: phx_ring_put() in phx_command_queue_release() pairs with phx_ring_take() in
 *     reserve. The reader has done with every byte of it.
 *
 * Progress: wait-free on both sides, but for the allocator when a block is new. No side waits for the other.
 *
 * Full: the open block has no room for one more record of this size, all blocks of the bound are in use, and none has
 * come back. The open block is closed then, so the next snapshot .. release gives at least this block back once it is
 * read: after a tick that reads all, a producer that got PH_FULL has room again. The refused call queued nothing.
 */
#ifndef PHX_WORLD_QUEUE_COMMAND_QUEUE_H
#define PHX_WORLD_QUEUE_COMMAND_QUEUE_H

#include "base/mem.h"

enum {
    PHX_COMMAND_QUEUE_BLOCK_BYTES = 66 << 10,
    /* two cache lines at a block's start: one written by the producer, one by the reader */
    PHX_COMMAND_QUEUE_DATA_BYTES = PHX_COMMAND_QUEUE_BLOCK_BYTES - 2 * PHX_CACHE_LINE,
    PHX_COMMAND_QUEUE_SMALL_BLOCK_BYTES = 4 << 10,
    PHX_COMMAND_QUEUE_SMALL_DATA_BYTES = PHX_COMMAND_QUEUE_SMALL_BLOCK_BYTES - 2 * PHX_CACHE_LINE,
    PHX_COMMAND_QUEUE_RUN_HEADER_BYTES = 24,
    PHX_COMMAND_QUEUE_RECORD_BYTES_MAX = PHX_COMMAND_QUEUE_DATA_BYTES - PHX_COMMAND_QUEUE_RUN_HEADER_BYTES
};

typedef struct phx_command_queue phx_command_queue;

/* Records of one operation; sequence of record i is sequence_first + i. */
typedef struct phx_command_run {
    uint16_t op;
    uint32_t record_bytes;
    uint32_t count; /* >= 1 */
    uint64_t sequence_first;
    const void *records; /* 8-byte aligned, count * record_bytes */
} phx_command_run;

/* Commands since the queue was made; queued now = accepted - released. */
typedef struct phx_command_queue_counts {
    uint64_t accepted; /* published by the producer */
    uint64_t released; /* given back by the reader */
} phx_command_queue_counts;

/* bytes >= one block; rounded up to whole blocks. NULL = no memory. No block is allocated yet. */
phx_command_queue *phx_command_queue_create(phx_mem *mem, uint32_t bytes);
/* Destroys the queue; no thread is inside, and commands still queued are lost. q may be NULL. */
void phx_command_queue_destroy(phx_command_queue *q);

/* ---- producing thread ---- */

/*
 * Room for records of one run: record_bytes up to PHX_COMMAND_QUEUE_RECORD_BYTES_MAX, wanted >= 1;
 * `sequence` is that of the first. Returns how many of `wanted` fit (their bytes begin at
 * *records, 8-byte aligned, not cleared), which is less than wanted at a block's end: publish and reserve again for
 * the rest. 0: *status is PH_FULL or PH_NO_MEMORY (a new block could not be had) and
 * nothing is reserved. *status is PH_OK otherwise. Every reservation is ended by
 * phx_command_queue_publish() before the next.
 */
uint32_t phx_command_queue_reserve(phx_command_queue *q, uint16_t op, uint32_t record_bytes, uint64_t sequence,
                                   uint32_t wanted, void **records, ph_status *status);
/* Ends the reservation; its first `used` records become one visible run. used = 0: as if never reserved. */
void phx_command_queue_publish(phx_command_queue *q, uint32_t used);
/* The same for one record, without a count of the records that fit. Its place; NULL: *status as above. */
void *phx_command_queue_reserve_one(phx_command_queue *q, uint16_t op, uint32_t record_bytes, uint64_t sequence,
                                    ph_status *status);

/* ---- reading (ticking) thread ---- */

/*
 * Fixes how far the reader gets: everything published before the call, together with runs that an earlier snapshot left
 * unread. Not again before phx_command_queue_release().
 */
void phx_command_queue_snapshot(phx_command_queue *q);
/*
 * The next run of the snapshot, in order of publishing. The memory behind run->records may be read by any worker until
 * phx_command_queue_release(). false = the end of the snapshot.
 */
bool phx_command_queue_next(phx_command_queue *q, phx_command_run *run);
/*
 * How many runs like this one, which phx_command_queue_next() just gave, follow it: of one record each, the same
 * operation and size, and the next sequence numbers, in the same block. At most `most`. Their records are
 * phx_command_queue_stride() apart.
 */
uint32_t phx_command_queue_alike(const phx_command_queue *q, const phx_command_run *run, uint32_t most);
uint32_t phx_command_queue_stride(uint32_t record_bytes);
/*
 * Makes the run and `alike` ones behind it one run, also after a rewind. `records`, in the order of a run of so many,
 * take the place of theirs.
 */
void phx_command_queue_join(phx_command_queue *q, phx_command_run *run, uint32_t alike, const void *records);
/* The number of records of the next run; 0 = the end of the snapshot. */
uint32_t phx_command_queue_peek(const phx_command_queue *q);
/* ... and its operation; 0 = the end. */
uint16_t phx_command_queue_peek_op(const phx_command_queue *q);
/* Goes back to the snapshot's first run (a tick begins again after PH_NO_MEMORY). */
void phx_command_queue_rewind(phx_command_queue *q);
/*
 * Ends the snapshot. The runs that phx_command_queue_next() gave since the last rewind are done; blocks that are read
 * to the end and closed go back to the producer. Runs that were not given stay queued and are the first of the next
 * snapshot.
 */
void phx_command_queue_release(phx_command_queue *q);

/* ---- any thread ---- */

/* accepted >= released always holds; both may be a moment old. */
phx_command_queue_counts phx_command_queue_count(const phx_command_queue *q);

/* Tests only, on a queue never used: starts the counters of both rings near their wrap. */
void phx_command_queue_start_at(phx_command_queue *q, uint32_t counter);

#endif
