/*
 * Own entities by tower and instance, as they stood at the end of the last zones stage: to find entities near an area
 * that moves, or in a tower that a waker came near. Each tower of an instance has a list through the slots, with any
 * index; only entities that change the tower cost work. Written in the zones stage by the owner. It exists only while
 * activation or areas need it (zones.h).
 */
#ifndef PHX_SHARDS_ZONES_TOWER_MEMBERS_H
#define PHX_SHARDS_ZONES_TOWER_MEMBERS_H

#include "shards/zones/tower_map.h"

typedef struct phx_tower_members_entry {
    uint32_t next, before; /* slots; PHX_SLOT_NONE ends */
    uint32_t instance;
    uint16_t tx, ty;
    bool in;
} phx_tower_members_entry;

typedef struct phx_tower_members {
    phx_tower_map first;              /* slot + 1 */
    phx_tower_members_entry *entries; /* by slot */
    uint32_t capacity, slots;         /* entries are valid below slots */
} phx_tower_members;

void phx_tower_members_init(phx_tower_members *tower_members, phx_mem *mem);
void phx_tower_members_free(phx_tower_members *tower_members, phx_mem *mem);
/* Entries for so many slots. false = no memory, nothing changed. */
bool phx_tower_members_cover(phx_tower_members *tower_members, phx_mem *mem, uint32_t slots);
/* Puts the slot into this tower, from any other one. false = no memory, nothing changed. */
bool phx_tower_members_place(phx_tower_members *tower_members, phx_mem *mem, uint32_t slot, uint32_t instance,
                             uint16_t tx, uint16_t ty);
/* Removes the slot, if it is in. */
void phx_tower_members_remove(phx_tower_members *tower_members, uint32_t slot);

/* The first slot in a tower, or PHX_SLOT_NONE; the others by entries[].next. */
static inline uint32_t phx_tower_members_first(const phx_tower_members *tower_members, uint32_t instance, uint32_t tx,
                                               uint32_t ty)
{
    return phx_tower_map_get(&tower_members->first, instance, tx, ty) - 1;
}

#endif
