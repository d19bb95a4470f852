/*
 * The time that work takes, for the stats only: nothing that comes out depends on it. Any thread, any phase; a look
 * costs some 25 ns, so there are two a piece of work, no more.
 */
#ifndef PHX_WORLD_TABLE_CLOCK_H
#define PHX_WORLD_TABLE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t phx_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
