/*
 * Durations of any number of ticks in fixed memory: a histogram with buckets less
 * than 1 % wide. The greatest is kept exactly. Used by pharos-replay, between ticks.
 */
#ifndef PHX_TOOLS_TICK_TIMES_H
#define PHX_TOOLS_TICK_TIMES_H

#include "base/core.h"

/* A power of two is cut into 2^7 buckets: 1 / 128 < 1 %. Values below 2^7 have a bucket each. */
enum { PHX_TIMES_SUB_BITS = 7, PHX_TIMES_BUCKETS = (64 - PHX_TIMES_SUB_BITS + 1) << PHX_TIMES_SUB_BITS };

/* All zero = empty. */
typedef struct phx_tick_times {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t max_ns;
    uint64_t buckets[PHX_TIMES_BUCKETS];
} phx_tick_times;

void phx_tick_times_add(phx_tick_times *times, uint64_t ns);

/* The least duration that `percent` of all do not exceed, rounded up to its bucket; 0 when empty. */
uint64_t phx_tick_times_ns(const phx_tick_times *times, uint32_t percent);

#endif
