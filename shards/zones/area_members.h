/*
 * Area members: which own entities are in which areas. An entity is checked when it changed, or when an area that
 * changed is, or was, near its tower. The check also finds how far the entity may move inside its tower without an
 * edge: until then a step costs one comparison. Part of the zones stage, by the shard's owner.
 */
#ifndef PHX_SHARDS_ZONES_AREA_MEMBERS_H
#define PHX_SHARDS_ZONES_AREA_MEMBERS_H

#include "shards/zones/areas.h"
#include "shards/zones/edges.h"
#include "shards/zones/tower_members.h"

typedef struct phx_area_member {
    phx_list inside;       /* places of areas in the table, in order */
    float x, y, z;         /* its position at the last check */
    float safe_distance;   /* how far from there, along x and y, its areas stay the same; below 0 = unknown */
    float safe_distance_z; /* and along z */
    uint32_t checked;      /* low half of the last tick that checked it because of an area */
} phx_area_member;

typedef struct phx_area_members {
    phx_area_member *members; /* by slot */
    uint32_t capacity, slots;
    phx_list_pool pool;
    uint32_t *found; /* scratch */
    uint32_t found_capacity;
    uint64_t entered, left; /* edges since the world was made */
} phx_area_members;

typedef struct phx_area_members_input {
    const phx_areas *areas;
    const phx_store *store;
    const phx_tower_members *tower_members; /* own entities that did not change are in it */
    phx_rect rect;
    uint64_t tick;
    uint16_t stamp; /* phx_body.changed of entities that changed */
    phx_edges *edges;
} phx_area_members_input;

void phx_area_members_init(phx_area_members *area_members);
/* Frees the memory: as after phx_area_members_init(), but the sums of edges stay. */
void phx_area_members_free(phx_area_members *area_members, phx_mem *mem);
/* Room for so many slots. false = no memory. */
bool phx_area_members_cover(phx_area_members *area_members, phx_mem *mem, uint32_t slots);
/*
 * Checks any slot, after phx_area_members_check_areas(), before the tower members follows it. false = no memory,
 * nothing changed.
 */
bool phx_area_members_check(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                            uint32_t slot);
/*
 * Checks the entities near areas that changed; entities that changed themselves are checked later anyway. false = no
 * memory; call again.
 */
bool phx_area_members_check_areas(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in);
/* A tick ended without the phase for all entities: each is checked in the next one. */
void phx_area_members_doubt(phx_area_members *area_members);

/* Drops an own entity that emigrates with its areas, or ends. */
void phx_area_members_let_go(phx_area_members *area_members, uint32_t slot);
/* Adds an immigrant to an area, one of `count`, in their order. false = no memory, nothing changed. */
bool phx_area_members_carry(phx_area_members *area_members, phx_mem *mem, uint32_t slot, uint32_t area, uint32_t count);

/* The number of areas that it is in, and their numbers in the table. */
static inline uint32_t phx_area_members_of(const phx_area_members *area_members, uint32_t slot, const uint32_t **areas)
{
    if (slot >= area_members->slots) return 0;
    *areas = phx_list_entries(&area_members->pool, &area_members->members[slot].inside);
    return area_members->members[slot].inside.count;
}

#endif
