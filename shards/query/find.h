/*
 * Finds a shard's own entities in the shape of a query. Hits go straight into the caller's array, which keeps the first
 * ones of the query's order, so nothing is allocated however many hits there are. Between ticks, any thread.
 */
#ifndef PHX_SHARDS_QUERY_FIND_H
#define PHX_SHARDS_QUERY_FIND_H

#include <pharos/query.h>

#include "shards/state/shard.h"

/* The caller's array: the first `room` hits of the order; unsorted before phx_hits_sort(). */
typedef struct phx_hits {
    ph_hit *at;
    uint32_t room;
    uint32_t kept;
    uint32_t count; /* all hits found */
    bool by_square; /* before id */
    bool by_kind;   /* before id */
    bool heap;      /* it is full: a heap, the last one in order at its root */
    bool unordered; /* any hits will do: nothing is sorted */
    bool sorted;    /* they came in order */
    bool behind;    /* only hits behind `last` in order are kept */
    ph_hit last;
    uint32_t before; /* hits found that are not behind it */
} phx_hits;

/* Does a come before b? */
bool phx_hit_before(const phx_hits *hits, const ph_hit *a, const ph_hit *b);
/* Adds a hit to an array that is full, or of which only hits behind one are kept. */
void phx_hits_add_rest(phx_hits *hits, ph_hit hit);
void phx_hits_sort(const phx_kernels *kernels, phx_hits *hits);

/* Inlined, as the fields go straight into the array: a hit that is passed on is read before its stores are done. */
static inline void phx_hits_add(phx_hits *hits, ph_hit hit)
{
    if (PHX_UNLIKELY(hits->behind || hits->kept >= hits->room)) {
        phx_hits_add_rest(hits, hit);
        return;
    }
    hits->count++;
    hits->at[hits->kept++] = hit;
}

/* Adds an entity, own or ghost, if it passes the filters. */
void phx_find_add(const phx_shard *shard, const ph_query *query, uint32_t slot, float square, phx_hits *hits);

/* Adds all of these that pass, of squares of 0, to an empty array. Each id comes once. */
void phx_find_add_all(const phx_shard *shard, const ph_query *query, const uint32_t *slots, uint32_t count,
                      phx_hits *hits);

/* Adds the own entities in the shape that pass the filters, all but applied ones. The query was checked. */
void phx_find_in_shard(const phx_shard *shard, const ph_query *query, phx_hits *hits);

/* The same of applied entities (entity/applied_map.h), which may stand outside of the rectangle. */
void phx_find_applied(const phx_shard *shard, const ph_query *query, phx_hits *hits);

#endif
