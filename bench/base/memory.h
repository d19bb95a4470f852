/*
 * Memory for a program: the library's own growing arrays, except that without memory the
 * bench says so and ends with exit status 1. Used by every file of the bench, never
 * inside a timed part.
 */
#ifndef PHX_BENCH_MEMORY_H
#define PHX_BENCH_MEMORY_H

#include "base/idmap.h"
#include "base/mem.h"

/* As phx_grow(), but never fails. */
void bench_grow(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, size_t needed, size_t item);
/* As phx_idmap_reserve(), but never fails. */
void bench_reserve_ids(phx_idmap *map, uint32_t count);
/* A cleared block; given back by phx_free(mem, block, bytes, PHX_CACHE_LINE). */
void *bench_alloc(phx_mem *mem, size_t bytes);

#endif
