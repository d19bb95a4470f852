/*
 * What a shard keeps of its own entities beyond lists: which NPCs are awake, who is in
 * which area. The zones phase, once the index phase is over: it goes through those who
 * changed in the tick, and who is near what turned. Nothing of it exists, and the phase is
 * left out, while no class wakes, no NPC is awake and there is no area.
 */
#ifndef PHX_SHARDS_ZONES_ZONES_H
#define PHX_SHARDS_ZONES_ZONES_H

#include "shards/zones/activation.h"
#include "shards/zones/area_members.h"

typedef struct phx_zones {
    bool on; /* the roster is there, and right as of the last zones phase; so of the other two */
    bool awake_on, crossings_on;
    bool
        put_off; /* a tick was finished without memory for the phase: it goes through all, and the dead are there yet */
    bool missed; /* touched[] is not all: there was no memory for more, or most entities move */
    uint32_t *touched; /* slots that changed in this tick */
    uint32_t touched_count, touched_capacity;
    phx_tower_members roster;
    phx_activation awake;
    phx_area_members crossings;
    const phx_areas *areas; /* the world's; NULL = it has none */
    phx_edges edges;        /* of this tick */
} phx_zones;

void phx_zones_init(phx_zones *zones, phx_mem *mem);
void phx_zones_free(phx_zones *zones, phx_mem *mem);

/* A slot changed. Wants no memory: without, the phase looks at all. */
static inline void phx_zones_touch(phx_zones *zones, phx_mem *mem, uint32_t slot)
{
    if (!zones->on || zones->missed) return;
    if (phx_grow(mem, (void **)&zones->touched, &zones->touched_capacity, zones->touched_count,
                 (size_t)zones->touched_count + 1, sizeof *zones->touched))
        zones->touched[zones->touched_count++] = slot;
    else zones->missed = true;
}

/* There is no memory for the zones phase: the next tick's makes up for it. */
void phx_zones_put_off(phx_zones *zones);

/* An own entity emigrates. */
void phx_zones_let_go(phx_zones *zones, uint32_t slot);

/* What activation, areas or both need goes: no class wakes any more, there is no area any more. */
void phx_zones_drop_activation(phx_zones *zones, phx_mem *mem);
void phx_zones_drop_areas(phx_zones *zones, phx_mem *mem);
void phx_zones_drop(phx_zones *zones, phx_mem *mem);

#endif
