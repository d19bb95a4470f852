/*
 * The depth of each attached entity of the world (edges up to its root), at the last tick's end and now. The order of
 * events follows from it: parents enter before their children and leave after them. Written in the ingest phase by the
 * ticking thread, beside the attachments; read by all workers in the publish phase. Empty while no entity is attached.
 */
#ifndef PHX_SHARDS_ENTITY_ATTACH_DEPTH_H
#define PHX_SHARDS_ENTITY_ATTACH_DEPTH_H

#include <pharos/types.h>

#include "base/idmap.h"

typedef struct phx_depths {
    phx_idmap of; /* id -> depth before << 4 | depth now; an id without either is not in it */
    /*
     * A bit for each hash of an id; the bits of ids in `of` are set. Most events are of entities that are not attached:
     * a bit, of few that stay in the nearest cache, tells so of most of them. NULL: no room was reserved yet.
     */
    uint64_t *filter;
    uint32_t filter_shift; /* its bits are 1 << (64 - filter_shift) */
    uint32_t deepest;      /* no depth in `of` is above it; 0: it is empty */
    bool changed;          /* in this tick: for some ids before and now may differ */
} phx_depths;

void phx_depths_init(phx_depths *depths, phx_mem *mem);
void phx_depths_free(phx_depths *depths);

/* Room for one more attached entity. false = no memory, unchanged. */
bool phx_depths_reserve(phx_depths *depths);
/* Sets the depth of an id; a new id with a depth above 0 needs reserved room. */
void phx_depths_set(phx_depths *depths, uint64_t id, uint32_t depth);
/* Ends the tick: now becomes before. */
void phx_attach_depth_end_tick(phx_depths *depths);

static inline bool phx_depths_any(const phx_depths *depths)
{
    return phx_idmap_count(&depths->of) > 0;
}

/* The id's bit in the filter. */
static inline uint64_t phx_depths_bit(const phx_depths *depths, uint64_t id)
{
    return (id * depths->of.key.near) >> depths->filter_shift;
}

/* May the id have a depth, now or before? Only while phx_depths_any(). */
static inline bool phx_depths_may_have(const phx_depths *depths, uint64_t id)
{
    const uint64_t bit = phx_depths_bit(depths, id);
    return depths->filter[bit >> 6] >> (bit & 63) & 1;
}

/* The depth at the last tick's end. */
static inline uint32_t phx_depths_before(const phx_depths *depths, uint64_t id)
{
    const uint64_t *of = phx_idmap_find(&depths->of, id);
    return of ? (uint32_t)(*of >> 4) : 0;
}

static inline uint32_t phx_depths_now(const phx_depths *depths, uint64_t id)
{
    const uint64_t *of = phx_idmap_find(&depths->of, id);
    return of ? (uint32_t)(*of & 15) : 0;
}

#endif
