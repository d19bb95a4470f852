/*
 * Memory that is watched, for tests of arrays and rings: all of it is given back at the end of a test, and the counter
 * of bytes is 0.
 */
#ifndef TESTS_UNIT_BASE_WATCHED_MEM_H
#define TESTS_UNIT_BASE_WATCHED_MEM_H

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "support/watched_memory.h"

static watched_memory watched;
static phx_mem mem;

static inline void watch(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
}

static inline void all_given_back(void)
{
    watched_memory_all_back(&watched);
    if (atomic_load(&mem.bytes) != 0) {
        fprintf(stderr, "the counter of bytes is not back at 0\n");
        abort();
    }
}

#endif
