/*
 * Which own entities are in which areas. An entity is looked at when it changed, or when an
 * area that changed is, or was, near its tower. A look also finds how far it may go inside of
 * its tower without coming in or out of any: until then a step is one comparison. Part of the
 * zones phase of the shard's owner.
 */
#ifndef PHX_SHARDS_ZONES_AREA_MEMBERS_H
#define PHX_SHARDS_ZONES_AREA_MEMBERS_H

#include "shards/zones/areas.h"
#include "shards/zones/edges.h"
#include "shards/zones/tower_members.h"

typedef struct phx_area_visitor {
    phx_list inside; /* places of areas in the table, in order */
    float x, y, z;   /* where it was when it was looked at last */
    float clear;     /* how far from there, along x and y, it is in those and no others; below 0 = unknown */
    float clear_z;   /* and along z */
    uint32_t looked; /* low half of the last tick that looked at it because of an area */
} phx_area_visitor;

typedef struct phx_area_members {
    phx_area_visitor *visitors; /* by slot */
    uint32_t capacity, slots;
    phx_list_pool pool;
    uint32_t *found; /* scratch */
    uint32_t found_capacity;
    uint64_t entered, left; /* edges since the world was made */
} phx_area_members;

typedef struct phx_area_members_input {
    const phx_areas *areas;
    const phx_store *store;
    const phx_tower_members *roster; /* own entities that did not change are in it */
    phx_rect rect;
    uint64_t tick;
    uint16_t stamp; /* phx_body.changed of those that did */
    phx_edges *edges;
} phx_area_members_input;

void phx_area_members_init(phx_area_members *crossings);
/* Leaves it as after phx_area_members_init(), but for the sums of edges. */
void phx_area_members_free(phx_area_members *crossings, phx_mem *mem);
/* Room for so many slots. false = no memory. */
bool phx_area_members_cover(phx_area_members *crossings, phx_mem *mem, uint32_t slots);
/* Any, after phx_area_members_look_near(), before the roster follows it. false = no memory, nothing changed. */
bool phx_area_members_look(phx_area_members *crossings, phx_mem *mem, const phx_area_members_input *in, uint32_t slot);
/*
 * All near areas that changed: who did not change is looked at, the others will be. false = no memory; call again.
 */
bool phx_area_members_look_near(phx_area_members *crossings, phx_mem *mem, const phx_area_members_input *in);
/* An own entity goes to another shard, with its areas; or is none any more. */
void phx_area_members_let_go(phx_area_members *crossings, uint32_t slot);
/* One that came is in that area, one of `count`: told in their order. false = no memory, nothing changed. */
bool phx_area_members_carry(phx_area_members *crossings, phx_mem *mem, uint32_t slot, uint32_t area, uint32_t count);

/* How many areas it is in, and which, by place in the table. */
static inline uint32_t phx_area_members_of(const phx_area_members *crossings, uint32_t slot, const uint32_t **areas)
{
    if (slot >= crossings->slots) return 0;
    *areas = phx_list_entries(&crossings->pool, &crossings->visitors[slot].inside);
    return crossings->visitors[slot].inside.count;
}

#endif
