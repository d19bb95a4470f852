/*
 * A ph_allocator for tests: counts held memory, fills fresh memory with rubbish, aborts
 * when a block comes back with another size or alignment, and fails from a given call on.
 * Any thread may use it, several at once.
 */
#ifndef SUPPORT_WATCHED_MEMORY_H
#define SUPPORT_WATCHED_MEMORY_H

#include <stdatomic.h>

#include <pharos/base.h>

typedef struct watched_memory {
    _Atomic uint64_t calls;  /* allocations asked for, failed ones too */
    _Atomic uint64_t blocks; /* held now */
    _Atomic uint64_t bytes;  /* held now */
    uint64_t calls_good;     /* only so many calls succeed; change it while no thread allocates */
} watched_memory;

/* Nothing held, no call fails. */
void watched_memory_init(watched_memory *memory);
/* The next `calls` allocations succeed, later ones fail. UINT64_MAX = none fails. */
void watched_memory_fail_after(watched_memory *memory, uint64_t calls);
ph_allocator watched_memory_allocator(watched_memory *memory);
/* For the end of a test, its .fini too, where Criterion counts no failed assertion: aborts if something is held. */
void watched_memory_all_back(const watched_memory *memory);

#endif
