/*
 * Producers' slots: opening, closing, refusals, their part of a tick; see producer.h.
 */
#include "world/state/producer.h"

/* Makes the queues of a slot; after a failure, parts already made stay for the next try. false = no memory. */
static bool make_queues(phx_producer *producer, phx_mem *mem, const ph_world_def *def, uint32_t queue_bytes)
{
    if (!atomic_load_explicit(&producer->queue, memory_order_relaxed)) {
        phx_command_queue *queue = phx_command_queue_create(mem, queue_bytes);
        if (!queue) return false;
        atomic_store_explicit(&producer->queue, queue, memory_order_release);
    }
    return producer->tick_refusals.at || phx_refusals_init(&producer->tick_refusals, mem, def->refusals_max);
}

ph_status phx_producer_open(phx_producer *producers, phx_mem *mem, const ph_world_def *def, uint32_t *index,
                            uint16_t *generation)
{
    for (uint32_t i = 0; i < def->producers_max; i++) {
        phx_producer *producer = &producers[i];
        uint32_t expected = PHX_FREE;
        if (!atomic_compare_exchange_strong_explicit(&producer->state, &expected, PHX_OPENING, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        if (!make_queues(producer, mem, def, def->producer_bytes)) {
            atomic_store_explicit(&producer->state, PHX_FREE, memory_order_release);
            return PH_NO_MEMORY;
        }
        ph_refusal stale;
        while (phx_refusals_take(&producer->tick_refusals, &stale)) continue;
        producer->sequence = 0;
        producer->own_first = producer->own_count = 0;
        producer->has_head = false;
        *index = i;
        *generation = (uint16_t)(atomic_fetch_add_explicit(&producer->generation, 1, memory_order_relaxed) + 1);
        atomic_store_explicit(&producer->state, PHX_OPEN, memory_order_release);
        return PH_OK;
    }
    return PH_TAKEN;
}

bool phx_producer_begin_record(phx_producer *producer, phx_mem *mem, const ph_world_def *def)
{
    const uint32_t queue_bytes = 1u << 30; /* no record is larger; blocks are made as it fills */
    ph_refusal stale;
    if (!make_queues(producer, mem, def, queue_bytes)) return false;
    while (phx_refusals_take(&producer->tick_refusals, &stale)) continue;
    producer->sequence = 0;
    atomic_store_explicit(&producer->state, PHX_OPEN, memory_order_relaxed);
    return true;
}

void phx_producer_drop_record(phx_producer *producer)
{
    phx_command_queue_destroy(producer->queue);
    atomic_store_explicit(&producer->queue, NULL, memory_order_relaxed);
    atomic_store_explicit(&producer->state, PHX_FREE, memory_order_relaxed);
}

void phx_producer_close(phx_producer *producer)
{
    atomic_fetch_add_explicit(&producer->generation, 1, memory_order_relaxed);
    atomic_store_explicit(&producer->state, PHX_DRAINING, memory_order_release);
}

void phx_producer_free(phx_producer *producer, phx_mem *mem)
{
    phx_command_queue_destroy(producer->queue);
    phx_refusals_free(&producer->tick_refusals);
    phx_free(mem, producer->own, producer->own_capacity * sizeof *producer->own, PHX_CACHE_LINE);
}

uint32_t phx_producer_take_refusals(phx_producer *producer, ph_refusal *refusals, uint32_t capacity)
{
    uint32_t count = 0;
    while (count < capacity) {
        if (!producer->has_head) producer->has_head = phx_refusals_take(&producer->tick_refusals, &producer->head);
        const ph_refusal *own = producer->own_count > 0 ? &producer->own[producer->own_first] : NULL;
        if (!own && !producer->has_head) break;
        if (own && (!producer->has_head || own->sequence < producer->head.sequence)) {
            refusals[count++] = *own;
            producer->own_first = (producer->own_first + 1) % producer->own_capacity;
            producer->own_count--;
        } else {
            refusals[count++] = producer->head;
            producer->has_head = false;
        }
    }
    return count;
}

/* Room for one more refusal of a bulk call; the array grows as a ring. false = `bound` wait, or no memory. */
static bool own_room(phx_producer *producer, phx_mem *mem, uint32_t bound)
{
    enum { FIRST_ITEMS = 16, GROWTH = 4 };
    uint32_t had = producer->own_capacity;
    if (producer->own_count < had) return true;
    if (had == bound) return false;
    uint64_t wanted = had ? (uint64_t)had * GROWTH : FIRST_ITEMS;
    uint32_t capacity = wanted < bound ? (uint32_t)wanted : bound;
    ph_refusal *own = phx_alloc(mem, capacity * sizeof *own, PHX_CACHE_LINE);
    if (!own) return false;
    for (uint32_t i = 0; i < had; i++) own[i] = producer->own[(producer->own_first + i) % had];
    phx_free(mem, producer->own, had * sizeof *own, PHX_CACHE_LINE);
    producer->own = own;
    producer->own_first = 0;
    producer->own_capacity = capacity;
    return true;
}

bool phx_producer_refuse(phx_producer *producer, phx_mem *mem, uint32_t bound, ph_refusal refusal)
{
    if (!own_room(producer, mem, bound)) return false;
    producer->own[(producer->own_first + producer->own_count++) % producer->own_capacity] = refusal;
    return true;
}

bool phx_producer_snapshot(phx_producer *producer)
{
    uint32_t state = atomic_load_explicit(&producer->state, memory_order_acquire);
    if (state != PHX_OPEN && state != PHX_DRAINING) return false;
    phx_command_queue_snapshot(producer->queue);
    producer->in_tick = true;
    return true;
}

void phx_producer_release(phx_producer *producer, bool ends_tick)
{
    if (!producer->in_tick) return;
    producer->in_tick = false;
    phx_command_queue_release(producer->queue);
    if (!ends_tick || atomic_load_explicit(&producer->state, memory_order_acquire) != PHX_DRAINING) return;
    phx_command_queue_counts counts = phx_command_queue_count(producer->queue);
    if (counts.accepted == counts.released) atomic_store_explicit(&producer->state, PHX_FREE, memory_order_release);
}
