/*
 * The bounded queue of commands of one producer; see command_queue.h for the contract and the pairs of atomics. Written
 * by one producing thread, read by the ticking thread in the ingest phase; the memory of its runs is read by any worker
 * until release.
 */
#include "world/queue/command_queue.h"

#include <string.h>

#include "base/ring.h"

/* state = published bytes (a multiple of RECORD_ALIGN) with the closed bit in its low end */
enum { RECORD_ALIGN = 8, STATE_CLOSED = 1 };

enum {
    BLOCK_HEADER_BYTES = 2 * PHX_CACHE_LINE,
    AHEAD_BYTES =
        16 * PHX_CACHE_LINE, /* single records are asked for so far ahead: stores would wait for their lines */
    SMALL_BLOCKS_MAX = 2     /* one is filled while the tick reads the other */
};

typedef struct run_header {
    uint64_t sequence_first;
    uint32_t record_bytes;
    uint32_t count;
    uint32_t op;
    uint32_t bytes; /* to the next run: joined ones leave a rest. Records begin at a multiple of RECORD_ALIGN */
} run_header;

typedef struct block {
    /* written by the producer */
    _Alignas(PHX_CACHE_LINE) _Atomic uint32_t state;
    uint32_t data_bytes; /* the block's capacity: never changes */
    struct block *next_made, *before_made;
    /* written by the reader */
    _Alignas(PHX_CACHE_LINE) struct block *next;
    uint32_t limit; /* bytes of the snapshot */
    bool closed;    /* as of the snapshot: limit is final */
    _Alignas(PHX_CACHE_LINE) unsigned char data[];
} block;

/* A place to prefetch, which may be behind the block's end: no pointer there is made by arithmetic. */
static const void *ahead_of(const run_header *run)
{
    return (const void *)((uintptr_t)run + AHEAD_BYTES);
}

struct phx_command_queue {
    /* never changes */
    phx_mem *mem;
    phx_ring *filled;
    phx_ring *freed;
    uint32_t blocks_max;
    /* by the producer; other threads read only `accepted` */
    _Alignas(PHX_CACHE_LINE) block *open;
    block *made;          /* all blocks, to free them */
    uint32_t made_count;  /* blocks of full size */
    uint32_t small_count; /* small blocks */
    uint32_t spare_turns; /* blocks taken since the last check for spare ones */
    uint32_t spare_least; /* the smallest number of idle blocks since then */
    uint32_t spare_due;   /* spare blocks to free */
    uint32_t published;   /* bytes of the open block */
    run_header *run;      /* the reservation; its header is in the open block */
    uint32_t reserved;
    _Atomic uint64_t accepted;
    /* by the reader; other threads read only `released` */
    _Alignas(PHX_CACHE_LINE) block *head;
    block *tail;
    block *cursor;
    uint32_t start;  /* of the snapshot, in head */
    uint32_t offset; /* of the next run, in cursor */
    uint64_t passed; /* commands given since the last rewind */
    bool in_snapshot;
    _Atomic uint64_t released;
};

_Static_assert(sizeof(run_header) == PHX_COMMAND_QUEUE_RUN_HEADER_BYTES,
               "the header has the size that the limits name");
_Static_assert(sizeof(block) == BLOCK_HEADER_BYTES, "a block has no slack");
_Static_assert(PHX_COMMAND_QUEUE_DATA_BYTES + BLOCK_HEADER_BYTES == PHX_COMMAND_QUEUE_BLOCK_BYTES,
               "a block has its size");
_Static_assert(PHX_COMMAND_QUEUE_DATA_BYTES % RECORD_ALIGN == 0 &&
                   PHX_COMMAND_QUEUE_SMALL_DATA_BYTES % RECORD_ALIGN == 0,
               "published bytes leave the low bits of state free");

phx_command_queue *phx_command_queue_create(phx_mem *mem, uint32_t bytes)
{
    PHX_ASSERT(bytes >= PHX_COMMAND_QUEUE_BLOCK_BYTES);
    phx_command_queue *q = phx_alloc_zero(mem, sizeof(*q), PHX_CACHE_LINE);
    if (q == NULL) {
        return NULL;
    }
    q->mem = mem;
    q->spare_least = UINT32_MAX;
    q->blocks_max = (bytes + PHX_COMMAND_QUEUE_BLOCK_BYTES - 1) / PHX_COMMAND_QUEUE_BLOCK_BYTES;
    q->filled = phx_ring_create(mem, q->blocks_max + SMALL_BLOCKS_MAX);
    q->freed = phx_ring_create(mem, q->blocks_max + SMALL_BLOCKS_MAX);
    if (q->filled == NULL || q->freed == NULL) {
        phx_command_queue_destroy(q);
        return NULL;
    }
    return q;
}

static size_t block_bytes(const block *b)
{
    return BLOCK_HEADER_BYTES + b->data_bytes;
}

static bool block_is_small(const block *b)
{
    return b->data_bytes < PHX_COMMAND_QUEUE_DATA_BYTES;
}

void phx_command_queue_destroy(phx_command_queue *q)
{
    if (q == NULL) {
        return;
    }
    while (q->made != NULL) {
        block *b = q->made;
        q->made = b->next_made;
        phx_free(q->mem, b, block_bytes(b), PHX_CACHE_LINE);
    }
    if (q->filled != NULL) {
        phx_ring_destroy(q->mem, q->filled);
    }
    if (q->freed != NULL) {
        phx_ring_destroy(q->mem, q->freed);
    }
    phx_free(q->mem, q, sizeof(*q), PHX_CACHE_LINE);
}

/* ---- producing thread ---- */

static void block_free(phx_command_queue *q, block *b)
{
    if (b->before_made != NULL) {
        b->before_made->next_made = b->next_made;
    } else {
        PHX_ASSERT(q->made == b);
        q->made = b->next_made;
    }
    if (b->next_made != NULL) {
        b->next_made->before_made = b->before_made;
    }
    *(block_is_small(b) ? &q->small_count : &q->made_count) -= 1;
    phx_free(q->mem, b, block_bytes(b), PHX_CACHE_LINE);
}

/* Begins a new count of idle blocks. */
static void spare_anew(phx_command_queue *q)
{
    q->spare_turns = q->spare_due = 0;
    q->spare_least = UINT32_MAX;
}

/*
 * A block was taken. Blocks are spare if they were idle all the time in which the useful ones were taken several times
 * over, as in so many ticks. A sixteenth of them is kept, the others are freed one at a time.
 */
static void block_spare(phx_command_queue *q)
{
    enum { KEEP = 8, SLACK = 16, TIMES = 8, TURNS = 32 }; /* fewer blocks are kept in any case */
    uint32_t idle = phx_ring_count(q->freed);
    if (q->spare_least > idle) {
        q->spare_least = idle;
    }
    if (q->spare_due > 0 && idle > 0) {
        q->spare_due--;
        block_free(q, phx_ring_take(q->freed));
    }
    uint32_t used = q->made_count - q->spare_least, keep = used + q->made_count / SLACK;
    if (++q->spare_turns < TURNS || q->spare_turns < TIMES * used) {
        return;
    }
    keep = keep < KEEP ? KEEP : keep;
    spare_anew(q);
    q->spare_due = q->made_count > keep ? q->made_count - keep : 0;
}

static block *block_make(phx_command_queue *q, uint32_t data_bytes, ph_status *status)
{
    block *b = phx_alloc(q->mem, BLOCK_HEADER_BYTES + data_bytes, PHX_CACHE_LINE);
    if (b == NULL) {
        *status = PH_NO_MEMORY;
        return NULL;
    }
    b->data_bytes = data_bytes;
    b->before_made = NULL;
    b->next_made = q->made;
    if (q->made != NULL) {
        q->made->before_made = b;
    }
    q->made = b;
    *(block_is_small(b) ? &q->small_count : &q->made_count) += 1;
    return b;
}

/* A block that came back, large enough for a run of run_bytes. Small blocks go once there is one of full size. */
static block *block_again(phx_command_queue *q, uint32_t run_bytes)
{
    block *b;
    while ((b = phx_ring_take(q->freed)) != NULL) { /* pairs with the put in block_give_back() */
        if (!block_is_small(b) || (q->made_count == 0 && run_bytes <= b->data_bytes)) {
            return b;
        }
        block_free(q, b);
    }
    return NULL;
}

static block *block_obtain(phx_command_queue *q, uint32_t run_bytes, ph_status *status)
{
    block *b = block_again(q, run_bytes);
    if (b != NULL) {
        if (!block_is_small(b)) {
            block_spare(q);
        }
        return b;
    }
    spare_anew(q);
    if (q->made_count == 0 && q->small_count < SMALL_BLOCKS_MAX && run_bytes <= PHX_COMMAND_QUEUE_SMALL_DATA_BYTES) {
        return block_make(q, PHX_COMMAND_QUEUE_SMALL_DATA_BYTES, status);
    }
    if (q->made_count == q->blocks_max) {
        *status = PH_FULL;
        return NULL;
    }
    return block_make(q, PHX_COMMAND_QUEUE_DATA_BYTES, status);
}

/* Closes the open block and opens another for such a run. false: there is none to be had, and none is open. */
static bool block_advance(phx_command_queue *q, uint32_t run_bytes, ph_status *status)
{
    if (q->open != NULL) {
        /* pairs with the acquire in phx_command_queue_snapshot() */
        atomic_store_explicit(&q->open->state, q->published | STATE_CLOSED, memory_order_release);
        q->open = NULL;
        PHX_STALL_POINT();
    }
    block *b = block_obtain(q, run_bytes, status);
    if (b == NULL) {
        return false;
    }
    /* relaxed: the put below publishes it */
    atomic_store_explicit(&b->state, 0, memory_order_relaxed);
    q->open = b;
    q->published = 0;
    bool put = phx_ring_put(q->filled, b); /* pairs with the take in phx_command_queue_snapshot() */
    PHX_ASSERT(put);                       /* the ring has room for all blocks */
    (void)put;
    PHX_STALL_POINT();
    return true;
}

/* The bytes of a run in its block, as it is published. */
static inline uint32_t run_bytes_of(uint32_t count, uint32_t record_bytes)
{
    uint32_t records = count * record_bytes;
    return PHX_COMMAND_QUEUE_RUN_HEADER_BYTES + (records + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

/* The number of records of one more run that fit into the open block. */
static uint32_t block_room(const phx_command_queue *q, uint32_t record_bytes)
{
    if (q->open == NULL) {
        return 0;
    }
    uint32_t room = q->open->data_bytes - q->published;
    return room < PHX_COMMAND_QUEUE_RUN_HEADER_BYTES ? 0 : (room - PHX_COMMAND_QUEUE_RUN_HEADER_BYTES) / record_bytes;
}

uint32_t phx_command_queue_reserve(phx_command_queue *q, uint16_t op, uint32_t record_bytes, uint64_t sequence,
                                   uint32_t wanted, void **records, ph_status *status)
{
    PHX_ASSERT(q->run == NULL); /* the last reservation was published */
    PHX_ASSERT(wanted > 0);
    PHX_ASSERT(record_bytes > 0);
    PHX_ASSERT(record_bytes <= PHX_COMMAND_QUEUE_RECORD_BYTES_MAX);
    *status = PH_OK;
    uint32_t room = block_room(q, record_bytes);
    if (room == 0) {
        uint32_t most = (PHX_COMMAND_QUEUE_DATA_BYTES - PHX_COMMAND_QUEUE_RUN_HEADER_BYTES) / record_bytes;
        if (!block_advance(q, run_bytes_of(wanted < most ? wanted : most, record_bytes), status)) {
            return 0;
        }
        room = block_room(q, record_bytes);
        PHX_ASSERT(room > 0);
    }
    q->run = (run_header *)(void *)(q->open->data + q->published);
    q->run->op = op;
    q->run->record_bytes = record_bytes;
    q->run->sequence_first = sequence;
    q->reserved = wanted < room ? wanted : room;
    *records = q->run + 1;
    return q->reserved;
}

/* Publishes a run, written behind the published ones of the open block. */
static inline void show_run(phx_command_queue *q, const run_header *run)
{
    q->published += run->bytes;
    PHX_ASSERT(q->published <= q->open->data_bytes);
    /* one writer, so no read-modify-write; before the release below, so that released never overtakes it */
    uint64_t accepted = atomic_load_explicit(&q->accepted, memory_order_relaxed);
    atomic_store_explicit(&q->accepted, accepted + run->count, memory_order_relaxed);
    PHX_STALL_POINT();
    /* pairs with the acquire in phx_command_queue_snapshot(): header and records before the byte count */
    atomic_store_explicit(&q->open->state, q->published, memory_order_release);
}

void phx_command_queue_publish(phx_command_queue *q, uint32_t used)
{
    PHX_ASSERT(q->run != NULL);
    PHX_ASSERT(used <= q->reserved);
    run_header *run = q->run;
    q->run = NULL;
    if (used == 0) {
        return;
    }
    run->count = used;
    run->bytes = run_bytes_of(used, run->record_bytes);
    show_run(q, run);
}

void *phx_command_queue_reserve_one(phx_command_queue *q, uint16_t op, uint32_t record_bytes, uint64_t sequence,
                                    ph_status *status)
{
    const uint32_t bytes = run_bytes_of(1, record_bytes);
    PHX_ASSERT(q->run == NULL);
    PHX_ASSERT(record_bytes > 0 && record_bytes <= PHX_COMMAND_QUEUE_RECORD_BYTES_MAX);
    *status = PH_OK;
    if (PHX_UNLIKELY(q->open == NULL || q->open->data_bytes - q->published < bytes) && !block_advance(q, bytes, status))
        return NULL;
    run_header *run = (run_header *)(void *)(q->open->data + q->published);
    __builtin_prefetch(ahead_of(run), 1);
    *run = (run_header){.sequence_first = sequence, .record_bytes = record_bytes, .op = op};
    q->run = run;
    q->reserved = 1;
    return run + 1;
}

/* ---- reading thread ---- */

static void block_append(phx_command_queue *q, block *b)
{
    b->next = NULL;
    b->limit = 0;
    b->closed = false;
    if (q->tail == NULL) {
        PHX_ASSERT(q->start == 0);
        q->head = b;
    } else {
        q->tail->next = b;
    }
    q->tail = b;
}

void phx_command_queue_snapshot(phx_command_queue *q)
{
    PHX_ASSERT(!q->in_snapshot);
    block *open = q->tail; /* all blocks before it were closed when they were read last */
    /* Bounded: blocks come back to the producer only by phx_command_queue_release(). */
    for (block *b = phx_ring_take(q->filled); b != NULL; b = phx_ring_take(q->filled)) {
        block_append(q, b);
    }
    PHX_STALL_POINT();
    for (block *b = open != NULL ? open : q->head; b != NULL; b = b->next) {
        /* pairs with the release in phx_command_queue_publish() and block_advance() */
        uint32_t state = atomic_load_explicit(&b->state, memory_order_acquire);
        PHX_ASSERT((state & ~(uint32_t)STATE_CLOSED) >= b->limit);
        b->limit = state & ~(uint32_t)STATE_CLOSED;
        b->closed = (state & STATE_CLOSED) != 0;
        PHX_ASSERT(b->closed || b->next == NULL);
    }
    q->in_snapshot = true;
    phx_command_queue_rewind(q);
}

void phx_command_queue_rewind(phx_command_queue *q)
{
    PHX_ASSERT(q->in_snapshot);
    q->cursor = q->head;
    q->offset = q->start;
    q->passed = 0;
}

/* The block and offset of the next run; NULL = the end of the snapshot. */
static block *next_run_block(const phx_command_queue *q, uint32_t *offset)
{
    PHX_ASSERT(q->in_snapshot);
    block *b = q->cursor;
    *offset = q->offset;
    if (b != NULL && *offset == b->limit) {
        b = b->next;
        *offset = 0;
        if (b != NULL && b->limit == 0) {
            PHX_ASSERT(b->next == NULL); /* only the last block, just opened, is empty */
        }
    }
    return b;
}

static const run_header *header_at(const block *b, uint32_t offset)
{
    return (const run_header *)(const void *)(b->data + offset);
}

uint32_t phx_command_queue_peek(const phx_command_queue *q)
{
    uint32_t offset;
    const block *b = next_run_block(q, &offset);
    return b != NULL && b->limit > 0 ? header_at(b, offset)->count : 0;
}

uint16_t phx_command_queue_peek_op(const phx_command_queue *q)
{
    uint32_t offset;
    const block *b = next_run_block(q, &offset);
    return b != NULL && b->limit > 0 ? (uint16_t)header_at(b, offset)->op : 0;
}

bool phx_command_queue_next(phx_command_queue *q, phx_command_run *run)
{
    uint32_t offset;
    block *b = next_run_block(q, &offset);
    if (b == NULL) {
        return false;
    }
    q->cursor = b;
    q->offset = offset;
    if (b->limit == 0) {
        return false;
    }
    const run_header *header = header_at(b, offset);
    PHX_ASSERT(header->count > 0);
    run->op = (uint16_t)header->op;
    run->record_bytes = header->record_bytes;
    run->count = header->count;
    run->sequence_first = header->sequence_first;
    run->records = header + 1;
    q->offset += header->bytes;
    q->passed += header->count;
    PHX_ASSERT(q->offset <= q->cursor->limit);
    return true;
}

uint32_t phx_command_queue_stride(uint32_t record_bytes)
{
    return run_bytes_of(1, record_bytes);
}

uint32_t phx_command_queue_alike(const phx_command_queue *q, const phx_command_run *run, uint32_t most)
{
    const block *b = q->cursor;
    const run_header *first = (const run_header *)run->records - 1;
    PHX_ASSERT(q->in_snapshot && (const unsigned char *)first + first->bytes == b->data + q->offset);
    if (run->count != 1) return 0;
    const uint32_t bytes = run_bytes_of(1, run->record_bytes), left = (b->limit - q->offset) / bytes;
    const uint32_t end = left < most ? left : most;
    for (uint32_t i = 0; i < end; i++) {
        const run_header *next = header_at(b, q->offset + i * bytes);
        __builtin_prefetch(ahead_of(next));
        if (next->count != 1 || next->op != run->op || next->record_bytes != run->record_bytes ||
            next->sequence_first != run->sequence_first + 1 + i)
            return i;
    }
    return end;
}

void phx_command_queue_join(phx_command_queue *q, phx_command_run *run, uint32_t alike, const void *records)
{
    const uint32_t bytes = run_bytes_of(1, run->record_bytes);
    run_header *header = (run_header *)(void *)(q->cursor->data + q->offset - bytes);
    PHX_ASSERT(q->in_snapshot && header + 1 == run->records && header->count == 1 && header->bytes == bytes);
    PHX_ASSERT(alike <= (q->cursor->limit - q->offset) / bytes);
    header->count = run->count = 1 + alike;
    header->bytes += alike * bytes;
    memcpy(header + 1, records, (size_t)run->count * run->record_bytes);
    q->offset += alike * bytes;
    q->passed += alike;
}

static void block_give_back(phx_command_queue *q)
{
    block *b = q->head;
    PHX_ASSERT(b->closed);
    q->head = b->next;
    if (q->head == NULL) {
        q->tail = NULL;
    }
    bool put = phx_ring_put(q->freed, b); /* pairs with the take in block_obtain() */
    PHX_ASSERT(put);                      /* the ring has room for all blocks */
    (void)put;
}

void phx_command_queue_release(phx_command_queue *q)
{
    PHX_ASSERT(q->in_snapshot);
    while (q->head != q->cursor) {
        block_give_back(q);
    }
    q->start = q->offset;
    if (q->head != NULL && q->head->closed && q->start == q->head->limit) {
        block_give_back(q);
        q->start = 0;
    }
    q->cursor = NULL;
    q->in_snapshot = false;
    /* release: pairs with the acquire in phx_command_queue_count(), so that accepted is seen at least as large */
    uint64_t released = atomic_load_explicit(&q->released, memory_order_relaxed);
    atomic_store_explicit(&q->released, released + q->passed, memory_order_release);
}

/* ---- any thread ---- */

phx_command_queue_counts phx_command_queue_count(const phx_command_queue *q)
{
    phx_command_queue_counts counts;
    counts.released = atomic_load_explicit(&q->released, memory_order_acquire);
    counts.accepted = atomic_load_explicit(&q->accepted, memory_order_relaxed);
    return counts;
}

void phx_command_queue_start_at(phx_command_queue *q, uint32_t counter)
{
    PHX_ASSERT(q->made == NULL);
    phx_ring_start_at(q->filled, counter);
    phx_ring_start_at(q->freed, counter);
}
