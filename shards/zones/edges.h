/*
 * The edges of a shard in a tick, as a batch has them: an entity awoke or fell asleep, entered or left an area. Made in
 * the zones phase by the shard's worker (activation.h, area_members.h), read in the publish phase by the ticking
 * thread.
 */
#ifndef PHX_SHARDS_ZONES_EDGES_H
#define PHX_SHARDS_ZONES_EDGES_H

#include "shards/entity/entity_store.h"

/* ph_edge.area: the area's id, which is not 0, or this. */
enum { PHX_EDGE_AWAKE = 0 };

typedef struct phx_edge {
    ph_edge told;
    uint32_t consumer; /* the entity's */
} phx_edge;

typedef struct phx_edges {
    phx_edge *at;
    uint32_t count, capacity;
} phx_edges;

/* Room for `more` edges. false = no memory, nothing changed. */
static inline bool phx_edges_reserve(phx_edges *edges, phx_mem *mem, uint32_t more)
{
    return phx_grow(mem, (void **)&edges->at, &edges->capacity, edges->count, (size_t)edges->count + more,
                    sizeof *edges->at);
}

/* Adds an edge; room was reserved. The slot is live, or died in this tick. */
static inline void phx_edges_put(phx_edges *edges, const phx_store *store, uint32_t slot, uint64_t area, bool on)
{
    const phx_name *name = &store->name[slot];
    PHX_ASSERT(edges->count < edges->capacity);
    edges->at[edges->count++] = (phx_edge){.told = {.id = name->id,
                                                    .user_data = phx_store_user_data(store, slot),
                                                    .area = area,
                                                    .incarnation = name->incarnation,
                                                    .on = on},
                                           .consumer = name->consumer};
}

#endif
