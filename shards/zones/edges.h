/*
 * The edges of a shard in a tick, as a batch has them: an entity awoke or fell asleep, entered or left an area. Made in
 * the zones stage by the shard's worker (activation.h, area_members.h), read in the publish phase by the ticking
 * thread. Edges without memory for a batch wait for a later tick.
 */
#ifndef PHX_SHARDS_ZONES_EDGES_H
#define PHX_SHARDS_ZONES_EDGES_H

#include "shards/entity/entity_store.h"

/* ph_edge.area: the area's id, which is not 0, or this. */
enum { PHX_EDGE_AWAKE = 0 };

typedef struct phx_edge {
    ph_edge edge;
    uint32_t consumer; /* the entity's */
} phx_edge;

typedef struct phx_edges {
    phx_edge *at; /* the first `earlier` are of earlier ticks; or the first `held` of them wait for the next tick */
    uint32_t count, capacity;
    uint32_t earlier; /* until batches are made */
    uint32_t held;    /* from there on: no batch had memory for them */
} phx_edges;

/* A tick begins: only edges that wait stay. */
static inline void phx_edges_begin(phx_edges *edges)
{
    edges->count = edges->earlier = edges->held;
    edges->held = 0;
}

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
    edges->at[edges->count++] = (phx_edge){.edge = {.id = name->id,
                                                    .user_data = phx_store_user_data(store, slot),
                                                    .area = area,
                                                    .incarnation = name->incarnation,
                                                    .on = on},
                                           .consumer = name->consumer};
}

#endif
