/*
 * The table of worlds; see world_slots.h and handles.h.
 */
#include "api/world_slots.h"

phx_world_slot phx_world_slots[PH_WORLDS_MAX];

phx_world_slot *phx_world_slot_acquire(void)
{
    for (uint32_t i = 0; i < PH_WORLDS_MAX; i++) {
        phx_world_slot *slot = &phx_world_slots[i];
        uint32_t expected = 0;
        if (atomic_load_explicit(&slot->taken, memory_order_relaxed)) continue; /* thousands may be */
        if (atomic_compare_exchange_strong_explicit(&slot->taken, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed))
            return slot;
    }
    return NULL;
}

ph_world phx_world_slot_fill(phx_world_slot *slot, phx_world *world)
{
    const uint32_t generation = atomic_fetch_add_explicit(&slot->generation, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&slot->world, world, memory_order_release);
    return (ph_world){.index1 = (uint16_t)(slot - phx_world_slots + 1), .generation = (uint16_t)generation};
}

void phx_world_slot_drop(phx_world_slot *slot)
{
    atomic_store_explicit(&slot->taken, 0, memory_order_release);
}
