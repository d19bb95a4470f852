/*
 * The gate between the ticking thread and the readers: one word with the number of readers inside, a bit while a tick
 * is open, a bit while a thread works on it. An open tick without a working thread ran out of memory. No thread ever
 * waits: one that comes at the wrong time is turned away. Readers come in between ticks.
 *
 * The acquire of a thread that enters pairs with the release of the threads that left before: readers see the tick's
 * results, and a tick comes after the reads.
 */
#ifndef PHX_WORLD_TABLE_GATE_H
#define PHX_WORLD_TABLE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static const uint32_t PHX_GATE_OPEN_TICK = 1u << 31;
static const uint32_t PHX_GATE_WORKING = 1u << 30;

/* Lets a reader in. false: a tick is open, the reader is not inside. */
static inline bool phx_gate_read_begin(_Atomic uint32_t *gate)
{
    uint32_t now = atomic_load_explicit(gate, memory_order_relaxed);
    do {
        /* not counted even for an instant: the next tick would be turned away */
        if (now & PHX_GATE_OPEN_TICK) return false;
    } while (!atomic_compare_exchange_weak_explicit(gate, &now, now + 1, memory_order_acquire, memory_order_relaxed));
    return true;
}

static inline void phx_gate_read_end(_Atomic uint32_t *gate)
{
    atomic_fetch_sub_explicit(gate, 1, memory_order_release);
}

/* Begins work on a tick. false: readers are inside, or another thread works on a tick. */
static inline bool phx_gate_tick_begin(_Atomic uint32_t *gate)
{
    uint32_t now = atomic_load_explicit(gate, memory_order_relaxed);
    if (now & ~PHX_GATE_OPEN_TICK) return false;
    return atomic_compare_exchange_strong_explicit(gate, &now, now | PHX_GATE_OPEN_TICK | PHX_GATE_WORKING,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* Ends work on a tick. open: the tick is not finished, readers stay out. */
static inline void phx_gate_tick_end(_Atomic uint32_t *gate, bool open)
{
    atomic_fetch_and_explicit(gate, ~(open ? PHX_GATE_WORKING : PHX_GATE_WORKING | PHX_GATE_OPEN_TICK),
                              memory_order_release);
}

#endif
