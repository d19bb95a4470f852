/*
 * Zones: the state of a shard's own entities beyond lists, activation and area membership. The zones stage is the
 * last one of the index phase: it checks entities that changed in the tick, and entities near towers and areas that
 * changed; by the shard's owner. While no class wakes, no NPC is awake and there is no area, none of it exists and the
 * stage is left out.
 */
#ifndef PHX_SHARDS_ZONES_ZONES_H
#define PHX_SHARDS_ZONES_ZONES_H

#include "shards/zones/activation.h"
#include "shards/zones/area_members.h"

typedef struct phx_zones {
    bool on; /* tower members, activation and area members exist, and are as of the last zones stage */
    bool activation_on, area_members_on;
    bool put_off;    /* the last tick had no memory for the phase: this one checks all, the dead are still there */
    bool missed;     /* dirty[] is incomplete: there was no memory, or the tick is dense */
    uint32_t *dirty; /* slots that changed in this tick */
    uint32_t dirty_count, dirty_capacity;
    phx_tower_members tower_members;
    phx_activation activation;
    phx_area_members area_members;
    const phx_areas *areas; /* the world's; NULL = it has none */
    phx_edges edges;        /* of this tick */
} phx_zones;

void phx_zones_init(phx_zones *zones, phx_mem *mem);
void phx_zones_free(phx_zones *zones, phx_mem *mem);

/* Notes that a slot changed. Without memory for the note, the phase checks all slots. */
static inline void phx_zones_mark_dirty(phx_zones *zones, phx_mem *mem, uint32_t slot)
{
    if (!zones->on || zones->missed) return;
    if (phx_grow(mem, (void **)&zones->dirty, &zones->dirty_capacity, zones->dirty_count,
                 (size_t)zones->dirty_count + 1, sizeof *zones->dirty))
        zones->dirty[zones->dirty_count++] = slot;
    else zones->missed = true;
}

/* There is no memory for the zones stage: the next tick's makes up for it. */
void phx_zones_put_off(phx_zones *zones);

/* An own entity emigrates. */
void phx_zones_let_go(phx_zones *zones, uint32_t slot);

/* Frees the memory of activation, of areas, or of both: no class wakes any more; there is no area any more. */
void phx_zones_drop_activation(phx_zones *zones, phx_mem *mem);
void phx_zones_drop_areas(phx_zones *zones, phx_mem *mem);
void phx_zones_drop(phx_zones *zones, phx_mem *mem);

#endif
