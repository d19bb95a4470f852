/*
 * A ring of frames; see ring.h.
 */
#include "store/ring.h"

#include <stdlib.h>

#include "base/large_page.h"

/* The system gives a page when it is written first: at the open, for no tick then waits for that. */
static void touch_pages(unsigned char *bytes, uint64_t size)
{
    enum { PAGE = 4096 }; /* larger ones are touched more than once */
    for (uint64_t at = 0; at < size; at += PAGE) bytes[at] = 0;
}

bool phx_store_ring_init(phx_store_ring *ring, uint64_t size)
{
    PHX_ASSERT(size % sizeof(uint64_t) == 0);
    ring->bytes = aligned_alloc(PHX_LARGE_PAGE, (size + PHX_LARGE_PAGE - 1) / PHX_LARGE_PAGE * PHX_LARGE_PAGE);
    ring->size = size;
    ring->origin = ring->open = 0;
    atomic_init(&ring->put, 0);
    atomic_init(&ring->taken, 0);
    if (!ring->bytes) return false;
    phx_advise_large_pages(ring->bytes, size); /* each record is of other pages */
    touch_pages(ring->bytes, size);
    return true;
}

void phx_store_ring_free(phx_store_ring *ring)
{
    free(ring->bytes);
    ring->bytes = NULL;
}

static uint64_t place_of(const phx_store_ring *ring, uint64_t position)
{
    return (position - ring->origin) % ring->size;
}

static phx_journal_frame_head *frame_at(const phx_store_ring *ring, uint64_t position)
{
    return (phx_journal_frame_head *)(void *)(ring->bytes + place_of(ring, position));
}

void *phx_store_ring_begin(phx_store_ring *ring, uint64_t bytes)
{
    const uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    /* pairs with the release in pass: the reader is done with these bytes */
    const uint64_t room = ring->size - (put - atomic_load_explicit(&ring->taken, memory_order_acquire));
    /* empty: the ring begins here, so that no end is skipped. The reader reads `origin` once it sees another `put` */
    if (room == ring->size) ring->origin = put;
    const uint64_t wanted = phx_journal_frame_bytes(bytes), left = ring->size - place_of(ring, put);
    const uint64_t skipped = wanted > left ? left : 0;
    if (bytes > ring->size || wanted + skipped > room) return NULL;
    /* an end too short for a head is passed over by both sides */
    if (skipped >= sizeof(phx_journal_frame_head))
        *frame_at(ring, put) = (phx_journal_frame_head){.kind = PHX_JOURNAL_FRAME_SKIP};
    ring->open = put + skipped + wanted;
    return frame_at(ring, put + skipped) + 1;
}

void phx_store_ring_end(phx_store_ring *ring, phx_journal_frame_head head)
{
    head.magic = PHX_JOURNAL_FRAME_MAGIC;
    *frame_at(ring, ring->open - phx_journal_frame_bytes(head.bytes)) = head;
    atomic_store_explicit(&ring->put, ring->open, memory_order_release);
}

phx_journal_frame_head *phx_store_ring_next(phx_store_ring *ring)
{
    /* pairs with the release in end */
    const uint64_t put = atomic_load_explicit(&ring->put, memory_order_acquire);
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    if (taken == put) return NULL;
    const uint64_t left = ring->size - place_of(ring, taken);
    if (left < sizeof(phx_journal_frame_head) || frame_at(ring, taken)->kind == PHX_JOURNAL_FRAME_SKIP) {
        taken += left;
        atomic_store_explicit(&ring->taken, taken, memory_order_release);
    }
    return frame_at(ring, taken);
}

void phx_store_ring_pass(phx_store_ring *ring, const phx_journal_frame_head *frame)
{
    const uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    atomic_store_explicit(&ring->taken, taken + phx_journal_frame_bytes(frame->bytes), memory_order_release);
}
