/*
 * Crews made and freed; see crew.h. By the thread that makes a crew or a world, or ends it.
 */
#include "world/state/crew.h"

/* The crew itself is not allocated from its own memory, which is part of it. */
static phx_crew *make_crew(phx_mem *outer, phx_mem *whole, uint32_t count, ph_task_hooks hooks)
{
    phx_crew *crew = phx_alloc_zero(outer, sizeof *crew, PHX_CACHE_LINE);
    if (!crew) return NULL;
    if (whole) phx_mem_init_part(&crew->mem, whole);
    else phx_mem_init(&crew->mem, outer->allocator);
    crew->count = count;
    crew->workers = phx_workers_create(&crew->mem, count, hooks);
    if (crew->workers) return crew;
    phx_crew_destroy(crew);
    return NULL;
}

phx_crew *phx_crew_create(ph_allocator allocator, uint32_t count, ph_task_hooks hooks)
{
    phx_mem outer;
    phx_mem_init(&outer, allocator);
    return make_crew(&outer, NULL, count, hooks);
}

phx_crew *phx_crew_create_own(phx_mem *whole, uint32_t count, ph_task_hooks hooks)
{
    PHX_ASSERT(whole);
    return make_crew(whole, whole, count, hooks);
}

void phx_crew_destroy(phx_crew *crew)
{
    if (!crew) return;
    PHX_ASSERT(atomic_load_explicit(&crew->users, memory_order_relaxed) == 0);
    phx_workers_destroy(&crew->mem, crew->workers);
    PHX_ASSERT(atomic_load_explicit(&crew->mem.bytes, memory_order_relaxed) == 0);
    phx_mem outer, *whole = crew->mem.whole;
    phx_mem_init(&outer, crew->mem.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *crew, memory_order_relaxed);
    phx_free(whole ? whole : &outer, crew, sizeof *crew, PHX_CACHE_LINE);
}
