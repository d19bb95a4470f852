/*
 * Crews made and freed; see crew.h. By the thread that makes a crew or a world, or ends it.
 */
#include "world/state/crew.h"

static phx_crew *make_crew(phx_mem mem, phx_mem *whole, uint32_t count, ph_task_hooks hooks)
{
    phx_crew *crew = phx_alloc_zero(&mem, sizeof *crew, PHX_CACHE_LINE);
    if (!crew) return NULL;
    if (whole) phx_mem_init_part(&crew->mem, whole);
    else phx_mem_init(&crew->mem, mem.allocator);
    crew->count = count;
    crew->workers = phx_workers_create(&crew->mem, count, hooks);
    if (crew->workers) return crew;
    phx_crew_destroy(crew);
    return NULL;
}

phx_crew *phx_crew_create(ph_allocator allocator, uint32_t count, ph_task_hooks hooks)
{
    phx_mem mem;
    phx_mem_init(&mem, allocator);
    return make_crew(mem, NULL, count, hooks);
}

phx_crew *phx_crew_create_own(phx_mem *whole, uint32_t count, ph_task_hooks hooks)
{
    phx_mem mem;
    phx_mem_init(&mem, whole->allocator);
    return make_crew(mem, whole, count, hooks);
}

void phx_crew_destroy(phx_crew *crew)
{
    if (!crew) return;
    PHX_ASSERT(atomic_load_explicit(&crew->users, memory_order_relaxed) == 0);
    phx_workers_destroy(&crew->mem, crew->workers);
    PHX_ASSERT(atomic_load_explicit(&crew->mem.bytes, memory_order_relaxed) == 0);
    phx_mem outer; /* the crew itself was not allocated from its own */
    phx_mem_init(&outer, crew->mem.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *crew, memory_order_relaxed);
    phx_free(&outer, crew, sizeof *crew, PHX_CACHE_LINE);
}
