/*
 * An allocator with so many bytes; see purse.h.
 */
#include "support/purse.h"

#include <stdlib.h>

static void *purse_allocate(void *user, size_t bytes, size_t alignment)
{
    purse *own = user;
    void *memory = NULL;
    if (atomic_load_explicit(&own->held, memory_order_relaxed) + bytes > own->most) return NULL;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) != 0) return NULL;
    const uint64_t held = atomic_fetch_add_explicit(&own->held, bytes, memory_order_relaxed) + bytes;
    uint64_t peak = atomic_load_explicit(&own->peak, memory_order_relaxed);
    while (held > peak &&
           !atomic_compare_exchange_weak_explicit(&own->peak, &peak, held, memory_order_relaxed, memory_order_relaxed))
        continue;
    return memory;
}

static void purse_release(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)alignment;
    atomic_fetch_sub_explicit(&((purse *)user)->held, bytes, memory_order_relaxed);
    free(memory);
}

ph_allocator purse_hooks(purse *p)
{
    return (ph_allocator){.allocate = purse_allocate, .release = purse_release, .user = p};
}
