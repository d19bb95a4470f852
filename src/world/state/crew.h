/*
 * A crew: workers that one world has alone, or that many worlds share. Only one thread at a time has its workers: a
 * call takes them, or goes on without them, on its own thread. So no call waits for a crew, and none is refused; events
 * are the same for any number of workers. Taken at the begin of a tick, or by a reader between ticks.
 *
 * A crew outlives the worlds that refer to it: made by ph_crew_create(), or by the world itself.
 */
#ifndef PHX_WORLD_STATE_CREW_H
#define PHX_WORLD_STATE_CREW_H

#include <stdatomic.h>

#include "base/workers.h"

typedef struct phx_crew {
    phx_mem mem;
    phx_workers *workers;
    uint32_t count;
    /*
     * 1: a thread has the workers. The acquire of the next thread to take them pairs with the release of this one, so
     * that the state of the workers is handed on.
     */
    _Atomic uint32_t taken;
    _Atomic uint32_t users; /* worlds that refer to it; a world's release pairs with the acquire of the crew's end */
} phx_crew;

/* count >= 1 workers, threads or hooks, with memory of this allocator. NULL = no memory, or no thread to be had. */
phx_crew *phx_crew_create(ph_allocator allocator, uint32_t count, ph_task_hooks hooks);
/* The same for one world, counted in its memory. */
phx_crew *phx_crew_create_own(phx_mem *whole, uint32_t count, ph_task_hooks hooks);
/* No thread has it, and no world refers to it any more. crew may be NULL. */
void phx_crew_destroy(phx_crew *crew);

/* false: another thread has the workers. */
static inline bool phx_crew_acquire(phx_crew *crew)
{
    return atomic_exchange_explicit(&crew->taken, 1, memory_order_acquire) == 0;
}

static inline void phx_crew_release(phx_crew *crew)
{
    atomic_store_explicit(&crew->taken, 0, memory_order_release);
}

#endif
