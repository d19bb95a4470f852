/*
 * The edges that a shard found in a tick, as they are told: an entity awoke or fell
 * asleep, or went into an area or out of it. Made in the zones phase by the shard's
 * worker (activation.h, area_members.h), read in phase "publish" by the ticking thread,
 * which lets some wait for a later tick if there is no memory to tell them.
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
    phx_edge *at; /* the first `earlier` are of earlier ticks; or the first `held` of them wait for the next tick */
    uint32_t count, capacity;
    uint32_t earlier; /* until batches are made */
    uint32_t held;    /* from there on: no batch had memory for them */
} phx_edges;

/* A tick begins: the edges are gone, but those that wait. */
static inline void phx_edges_begin(phx_edges *edges)
{
    edges->count = edges->earlier = edges->held;
    edges->held = 0;
}

/* Room for `more`. false = no memory, nothing changed. */
static inline bool phx_edges_reserve(phx_edges *edges, phx_mem *mem, uint32_t more)
{
    return phx_grow(mem, (void **)&edges->at, &edges->capacity, edges->count, (size_t)edges->count + more,
                    sizeof *edges->at);
}

/* Room was reserved. The slot is live, or died in this tick. */
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
