/*
 * Legs of a relay; see relay.h. In the publish phase on the ticking thread; take and return on the consumer's thread.
 */
#include "world/batch/relay.h"

#include "base/rng.h"

enum {
    FIRST_CAPACITY = 15, /* a ring leaves one slot of a power of two empty */
    GROWTH = 4           /* so that a taker passes few legs, and the legs before the last are a third of it */
};

/* ---- life ---- */

static void leg_free(phx_mem *mem, phx_leg *leg)
{
    phx_ring_destroy(mem, leg->out);
    phx_ring_destroy(mem, leg->back);
    phx_free(mem, leg->taken, leg->taken_slots * sizeof *leg->taken, PHX_CACHE_LINE);
    phx_free(mem, leg, sizeof *leg, PHX_CACHE_LINE);
}

static phx_leg *leg_make(phx_mem *mem, uint32_t capacity)
{
    phx_leg *leg = phx_alloc_zero(mem, sizeof *leg, PHX_CACHE_LINE);
    if (!leg) return NULL;
    leg->capacity = capacity;
    leg->taken_slots = 2;
    while (leg->taken_slots < 2 * capacity) leg->taken_slots *= 2;
    leg->out = phx_ring_create(mem, capacity);
    leg->back = phx_ring_create(mem, capacity);
    leg->taken = phx_alloc_zero(mem, leg->taken_slots * sizeof *leg->taken, PHX_CACHE_LINE);
    if (leg->out && leg->back && leg->taken) return leg;
    leg_free(mem, leg);
    return NULL;
}

bool phx_relay_init(phx_relay *relay, phx_mem *mem, uint32_t bound)
{
    *relay = (phx_relay){.mem = mem, .bound = bound};
    relay->first = leg_make(mem, bound < FIRST_CAPACITY ? bound : FIRST_CAPACITY);
    relay->last = relay->at = relay->first;
    return relay->first != NULL;
}

void phx_relay_free(phx_relay *relay)
{
    for (phx_leg *leg = relay->first, *next; leg; leg = next) {
        next = atomic_load_explicit(&leg->next, memory_order_relaxed); /* no thread is inside */
        leg_free(relay->mem, leg);
    }
    *relay = (phx_relay){0};
}

/* ---- ticking thread ---- */

/* The next leg, as the ticking thread made it. */
static phx_leg *next_of(const phx_leg *leg)
{
    return atomic_load_explicit(&leg->next, memory_order_relaxed);
}

bool phx_relay_ready(phx_relay *relay)
{
    phx_leg *last = relay->last;
    if (last->out_count < last->capacity) return true;
    PHX_ASSERT(last->capacity < relay->bound);
    uint64_t capacity = GROWTH * ((uint64_t)last->capacity + 1) - 1;
    phx_leg *leg = leg_make(relay->mem, capacity < relay->bound ? (uint32_t)capacity : relay->bound);
    if (!leg) return false;
    atomic_store_explicit(&last->next, leg, memory_order_release); /* pairs with the load in phx_relay_take() */
    relay->last = leg;
    return true;
}

void phx_relay_put(phx_relay *relay, phx_batch *batch)
{
    phx_leg *leg = relay->last;
    PHX_ASSERT(leg->out_count < leg->capacity);
    leg->out_count++;
    batch->leg = leg;
    bool put = phx_ring_put(leg->out, batch); /* pairs with the take in phx_relay_take() */
    PHX_ASSERT(put);                          /* fewer than its capacity are out */
    (void)put;
}

phx_batch *phx_relay_collect(phx_relay *relay)
{
    for (phx_leg *leg = relay->first; leg; leg = next_of(leg)) {
        phx_batch *batch = leg->out_count > 0 ? phx_ring_take(leg->back) : NULL; /* pairs with the put in send_back() */
        if (!batch) continue;
        leg->out_count--;
        return batch;
    }
    return NULL;
}

uint32_t phx_relay_waiting(const phx_relay *relay)
{
    uint32_t waiting = 0;
    for (const phx_leg *leg = relay->first; leg; leg = next_of(leg)) waiting += phx_ring_count(leg->out);
    return waiting;
}

/* ---- the consumer's thread ---- */

static uint32_t home_of(const phx_leg *leg, const void *pointer)
{
    return (uint32_t)(phx_mix64((uintptr_t)pointer) >> 32) & (leg->taken_slots - 1);
}

static void note_taken(phx_relay *relay, phx_leg *leg, phx_batch *batch)
{
    uint32_t at = home_of(leg, batch);
    while (leg->taken[at]) at = (at + 1) & (leg->taken_slots - 1); /* at most half full, as no more batches are out */
    leg->taken[at] = batch;
    batch->taken_before = relay->taken_last;
    batch->taken_after = NULL;
    if (relay->taken_last) relay->taken_last->taken_after = batch;
    else relay->taken_first = batch;
    relay->taken_last = batch;
}

/* Linear probing; entries behind the hole move into it, unless that is before their home. */
static void close_hole(phx_leg *leg, uint32_t hole)
{
    uint32_t mask = leg->taken_slots - 1;
    for (uint32_t at = (hole + 1) & mask; leg->taken[at]; at = (at + 1) & mask) {
        uint32_t home = home_of(leg, leg->taken[at]);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            leg->taken[hole] = leg->taken[at];
            hole = at;
        }
    }
    leg->taken[hole] = NULL;
}

static void send_back(phx_relay *relay, phx_batch *batch)
{
    phx_batch *before = batch->taken_before, *after = batch->taken_after;
    *(before ? &before->taken_after : &relay->taken_first) = after;
    *(after ? &after->taken_before : &relay->taken_last) = before;
    bool put = phx_ring_put(batch->leg->back, batch); /* pairs with the take in phx_relay_collect() */
    PHX_ASSERT(put);                                  /* no more than its capacity are out */
    (void)put;
}

phx_batch *phx_relay_take(phx_relay *relay)
{
    for (;;) {
        phx_leg *leg = relay->at;
        /* read before the ring is taken from: then nothing can come behind the ring's present content */
        phx_leg *next = atomic_load_explicit(&leg->next, memory_order_acquire); /* pairs with phx_relay_ready() */
        phx_batch *batch = phx_ring_take(leg->out);                             /* pairs with phx_relay_put() */
        if (batch) {
            note_taken(relay, leg, batch);
            return batch;
        }
        if (!next) return NULL;
        relay->at = next;
    }
}

/* The leg and slot of a taken batch; NULL = it was not taken. */
static phx_leg *find_taken(const phx_relay *relay, const ph_batch *given, uint32_t *slot)
{
    for (phx_leg *leg = relay->first;; leg = atomic_load_explicit(&leg->next, memory_order_acquire)) {
        uint32_t at = home_of(leg, given); /* a search ends at a free slot; NULL finds one */
        while (leg->taken[at] && &leg->taken[at]->given != given) at = (at + 1) & (leg->taken_slots - 1);
        *slot = at;
        if (leg->taken[at]) return leg;
        if (leg == relay->at) return NULL;
    }
}

bool phx_relay_is_taken(const phx_relay *relay, const ph_batch *given)
{
    uint32_t slot;
    return find_taken(relay, given, &slot) != NULL;
}

bool phx_relay_return(phx_relay *relay, const ph_batch *given)
{
    uint32_t slot;
    phx_leg *leg = find_taken(relay, given, &slot);
    if (!leg) return false;
    phx_batch *found = leg->taken[slot];
    close_hole(leg, slot);
    send_back(relay, found);
    return true;
}

void phx_relay_start_at(phx_relay *relay, uint32_t counter)
{
    phx_ring_start_at(relay->first->out, counter);
    phx_ring_start_at(relay->first->back, counter);
}
