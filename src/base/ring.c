/*
 * The pointer queue between one enqueuing and one dequeuing thread: ck_ring's SPSC calls
 * behind base/ring.h. Owned by producers and consumers; used in any phase.
 *
 * Under TSan this file alone is compiled with -fno-sanitize=thread and -DPHX_TSAN. It then
 * tells TSan two things that it can not see in ck's assembly:
 * - the hand-over: release on the slot before publishing, acquire on it after taking. On
 *   the slot and not on the ring, so that a write made after publishing is not excused by
 *   the next pointer's release;
 * - each side's counter as a plain write of that side, so that two threads enqueuing (or
 *   dequeuing) with nothing between them are reported.
 */
#include "base/ring.h"

#include <ck_ring.h>

#ifdef PHX_TSAN
#include <sanitizer/tsan_interface.h>

void __tsan_write4(void *address); /* instrumented code calls it at a store of 4 bytes */

#define TSAN_SIDE(counter) __tsan_write4(counter)
#define TSAN_PUBLISH(slot) __tsan_release(slot)
#define TSAN_TAKEN(slot) __tsan_acquire(slot)
#else
#define TSAN_SIDE(counter) ((void)0)
#define TSAN_PUBLISH(slot) ((void)(slot))
#define TSAN_TAKEN(slot) ((void)(slot))
#endif

/* ck multiplies slot number and slot size in 32 bits: more slots of 8 bytes would wrap. */
enum { SLOTS_MAX = 1 << 29 };

/* ck keeps either side's counter and the sizes on cache lines of their own. */
struct phx_ring {
    ck_ring_t ck;
    _Alignas(PHX_CACHE_LINE) ck_ring_buffer_t slots[];
};

_Static_assert((uint64_t)SLOTS_MAX * sizeof(ck_ring_buffer_t) <= (uint64_t)UINT32_MAX + 1, "slot offsets fit 32 bits");
_Static_assert(sizeof(unsigned) == 4, "counters of a ring are 32 bits");

static size_t ring_bytes(uint32_t slots)
{
    return sizeof(phx_ring) + (size_t)slots * sizeof(ck_ring_buffer_t);
}

phx_ring *phx_ring_create(phx_mem *mem, uint32_t capacity)
{
    uint32_t slots = 2; /* ck leaves one slot empty */
    phx_ring *ring;

    PHX_ASSERT(capacity >= 1);
    if (capacity > SLOTS_MAX - 1) {
        return NULL;
    }
    while (slots - 1 < capacity) {
        slots *= 2;
    }
    ring = phx_alloc(mem, ring_bytes(slots), PHX_CACHE_LINE);
    if (ring == NULL) {
        return NULL;
    }
    ck_ring_init(&ring->ck, slots);
    return ring;
}

void phx_ring_destroy(phx_mem *mem, phx_ring *ring)
{
    if (ring != NULL) {
        phx_free(mem, ring, ring_bytes(ck_ring_capacity(&ring->ck)), PHX_CACHE_LINE);
    }
}

bool phx_ring_put(phx_ring *ring, void *item)
{
    ck_ring_buffer_t *slot = &ring->slots[ring->ck.p_tail & ring->ck.mask];

    PHX_ASSERT(item != NULL);
    PHX_STALL_POINT();
    TSAN_SIDE(&ring->ck.p_tail);
    TSAN_PUBLISH(slot); /* of a full ring too: the slot is the empty one, no thread acquires it */
    return ck_ring_enqueue_spsc(&ring->ck, ring->slots, item);
}

void *phx_ring_take(phx_ring *ring)
{
    ck_ring_buffer_t *slot = &ring->slots[ring->ck.c_head & ring->ck.mask];
    void *item = NULL;

    PHX_STALL_POINT();
    TSAN_SIDE(&ring->ck.c_head);
    if (!ck_ring_dequeue_spsc(&ring->ck, ring->slots, &item)) {
        return NULL;
    }
    TSAN_TAKEN(slot);
    PHX_ASSERT(item != NULL);
    return item;
}

uint32_t phx_ring_count(const phx_ring *ring)
{
    return ck_ring_size(&ring->ck);
}

uint32_t phx_ring_capacity(const phx_ring *ring)
{
    return ck_ring_capacity(&ring->ck) - 1;
}

void phx_ring_start_at(phx_ring *ring, uint32_t counter)
{
    PHX_ASSERT(phx_ring_count(ring) == 0);
    ring->ck.c_head = counter;
    ring->ck.p_head = counter;
    ring->ck.p_tail = counter;
}
