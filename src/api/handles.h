/*
 * From handles to the objects that they stand for. The tables of worlds and of crews are the library's only globals.
 * A handle resolves while its slot has its generation; a host that uses a handle while
 * another thread ends its object breaks the contract of pharos.h.
 */
#ifndef PHX_API_HANDLES_H
#define PHX_API_HANDLES_H

#include <stdatomic.h>

#include <pharos/pharos.h>

#include "world/state/world.h"

typedef struct phx_world_slot {
    /*
     * The release that publishes a new world pairs with the acquire of the threads that resolve
     * its handle; NULL = free.
     */
    _Atomic(phx_world *) world;
    _Atomic uint32_t generation; /* of the handle that is or will be given; changed by the slot's holder */
    _Atomic uint32_t taken;      /* 1 = a world of this slot is being made, lives, or is being ended */
} phx_world_slot;

extern phx_world_slot phx_world_slots[PH_WORLDS_MAX];

/* As a slot of a world. */
typedef struct phx_crew_slot {
    _Atomic(phx_crew *) crew;
    _Atomic uint32_t generation;
    _Atomic uint32_t taken;
} phx_crew_slot;

extern phx_crew_slot phx_crew_slots[PH_CREWS_MAX];

static inline phx_crew *phx_resolve_crew(ph_crew handle)
{
    if (handle.index1 == 0 || handle.index1 > PH_CREWS_MAX) return NULL;
    phx_crew_slot *slot = &phx_crew_slots[handle.index1 - 1];
    phx_crew *crew = atomic_load_explicit(&slot->crew, memory_order_acquire);
    uint32_t generation = atomic_load_explicit(&slot->generation, memory_order_relaxed);
    return (uint16_t)generation == handle.generation ? crew : NULL;
}

static inline phx_world *phx_resolve_world(ph_world handle)
{
    if (handle.index1 == 0 || handle.index1 > PH_WORLDS_MAX) return NULL;
    phx_world_slot *slot = &phx_world_slots[handle.index1 - 1];
    phx_world *world = atomic_load_explicit(&slot->world, memory_order_acquire);
    uint32_t generation = atomic_load_explicit(&slot->generation, memory_order_relaxed);
    return (uint16_t)generation == handle.generation ? world : NULL;
}

static inline phx_producer *phx_resolve_producer(ph_producer handle, phx_world **world)
{
    *world = phx_resolve_world(handle.world);
    if (!*world || handle.index1 == 0 || handle.index1 > (*world)->def.producers_max) return NULL;
    phx_producer *producer = &(*world)->producers[handle.index1 - 1];
    if (atomic_load_explicit(&producer->state, memory_order_acquire) != PHX_OPEN) return NULL;
    uint32_t generation = atomic_load_explicit(&producer->generation, memory_order_relaxed);
    return (uint16_t)generation == handle.generation ? producer : NULL;
}

static inline phx_consumer_slot *phx_resolve_consumer(ph_consumer handle)
{
    phx_world *world = phx_resolve_world(handle.world);
    if (!world || handle.index1 == 0 || handle.index1 > world->def.consumers) return NULL;
    phx_consumer_slot *slot = &world->consumers[handle.index1 - 1];
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != PHX_OPEN) return NULL;
    uint32_t generation = atomic_load_explicit(&slot->generation, memory_order_relaxed);
    return (uint16_t)generation == handle.generation ? slot : NULL;
}

#endif
