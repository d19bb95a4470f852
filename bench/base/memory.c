/*
 * The bench's end without memory: one line, exit status 1.
 */
#include "bench/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void no_memory(size_t bytes)
{
    fprintf(stderr, "pharos-bench: no memory for %zu bytes\n", bytes);
    exit(1);
}

void bench_grow(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, size_t needed, size_t item)
{
    if (!phx_grow(mem, array, capacity, keep, needed, item)) {
        no_memory(needed * item);
    }
}

void bench_reserve_ids(phx_idmap *map, uint32_t count)
{
    if (!phx_idmap_reserve(map, count)) {
        no_memory(count * sizeof(phx_idmap_bucket));
    }
}

void *bench_alloc(phx_mem *mem, size_t bytes)
{
    PHX_ASSERT(bytes > 0);
    void *block = phx_alloc_zero(mem, bytes, PHX_CACHE_LINE);
    if (block == NULL) {
        no_memory(bytes);
    }
    return block;
}
