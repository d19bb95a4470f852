/*
 * Times of work, for the stats only: no result depends on them. Any thread, any phase; reading the clock costs some 25
 * ns, so each piece of work reads it twice, no more (world/state/piece_clock.h: when not at all).
 */
#ifndef PHX_BASE_CLOCK_H
#define PHX_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t phx_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
