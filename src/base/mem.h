/*
 * The one way to memory: a ph_allocator behind counters. A phx_mem belongs to a world
 * (or a tool); any worker may allocate from it. Sizes come back at release, so that
 * bytes held are known exactly.
 */
#ifndef PHX_BASE_MEM_H
#define PHX_BASE_MEM_H

#include <stdatomic.h>

#include "base/core.h"
#include "base/hash.h"

typedef struct phx_mem {
    ph_allocator allocator;
    _Atomic uint64_t bytes; /* held now; relaxed: a statistic, orders nothing */
    _Atomic uint64_t calls; /* allocations ever made; relaxed */
    struct phx_mem *whole;  /* this one is a part of it, and counted there too; NULL = it is no part */
    phx_hash_key key;       /* of the hash tables made from it; set before the first of them */
} phx_mem;

/* Are both functions there, or neither, and its words for later versions 0? Of each allocator that a host gives. */
bool phx_allocator_is_good(const ph_allocator *allocator);
/* A zero allocator stands for the library's default (jemalloc when built in, else libc). The key is the known one. */
void phx_mem_init(phx_mem *mem, ph_allocator allocator);
/* A part of `whole`, from the same allocator, with the same key, to be counted by itself; whole outlives it. */
void phx_mem_init_part(phx_mem *mem, phx_mem *whole);

/*
 * bytes > 0, alignment a power of two. NULL = no memory. The memory is not cleared. From 2 MiB on it is in large pages,
 * if the system has some.
 */
void *phx_alloc(phx_mem *mem, size_t bytes, size_t alignment);
void *phx_alloc_zero(phx_mem *mem, size_t bytes, size_t alignment);
/* memory may be NULL; bytes and alignment as at phx_alloc(). */
void phx_free(phx_mem *mem, void *memory, size_t bytes, size_t alignment);

/*
 * Makes *array (of `item` bytes each, *capacity of them) hold at least `needed` items;
 * the first `keep` are kept. Grows by half or more, to a multiple of a cache line;
 * arrays are cache-line aligned. false = no memory (or size overflow): nothing changed.
 */
bool phx_grow_array(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, size_t needed, size_t item);

static inline bool phx_grow(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, size_t needed, size_t item)
{
    return PHX_LIKELY(needed <= *capacity) || phx_grow_array(mem, array, capacity, keep, needed, item);
}
/* Releases an array of phx_grow() and zeroes both. */
void phx_release(phx_mem *mem, void **array, uint32_t *capacity, size_t item);

/* How much of an array the last ticks used. */
typedef struct phx_high_water {
    uint32_t most, ticks;
} phx_high_water;

/* A large array: smaller ones are not worth page faults. */
enum { PHX_TRIM_LEAST_BYTES = 128 << 10 };
void phx_trim_large(phx_mem *mem, void **array, uint32_t *capacity, size_t item, uint32_t used, phx_high_water *use);

/*
 * Once a tick, while the array is empty: the tick used `used` items of it. A large array of which less than the half
 * was used for some ticks in a row is released, except a sixteenth more than that, so that a storm's memory does not
 * stay.
 * The smaller array is asked for first: without memory the large one stays, so no tick lacks memory by a trim.
 */
static inline void phx_trim(phx_mem *mem, void **array, uint32_t *capacity, size_t item, uint32_t used,
                            phx_high_water *use)
{
    PHX_ASSERT(used <= *capacity);
    if (PHX_UNLIKELY((uint64_t)*capacity * item >= PHX_TRIM_LEAST_BYTES))
        phx_trim_large(mem, array, capacity, item, used, use);
}

/* The allocator of libc; jemalloc is in mem_jemalloc.h. */
ph_allocator phx_allocator_libc(void);

#endif
