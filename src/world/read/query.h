/*
 * Reading a world between ticks, from any thread; the caller is inside the gate. Nothing
 * of the world is written; what has to be sorted is sorted in memory of its own.
 */
#ifndef PHX_WORLD_READ_QUERY_H
#define PHX_WORLD_READ_QUERY_H

#include <pharos/query.h>

#include "shards/query/find.h"
#include "world/state/world.h"

/* Entities in a query's order. Memory is the query's, from the world's allocator. */
typedef struct phx_found {
    phx_mem *mem;
    phx_sort_record *items; /* id, kind (0 where only the id orders) */
    uint32_t count, items_capacity;
    bool failed; /* no memory */
} phx_found;

void phx_found_free(phx_found *found);

ph_status phx_query_entity(const phx_world *world, uint64_t id, ph_attrs *attrs);
ph_status phx_query_sees(const phx_world *world, uint64_t observer, uint64_t target, bool *sees);
ph_status phx_query_explain(const phx_world *world, uint64_t observer, uint64_t target, ph_explanation *why);

/* An entity in a shard that has it, own or as a copy. false: enough. */
typedef bool (*phx_related_fn)(void *user, const phx_shard *shard, uint32_t slot);
/* Visits all in an observer's list; all who have a target in theirs. In no order. PH_UNKNOWN_ID. */
ph_status phx_query_each_listed(const phx_world *world, uint64_t observer, phx_related_fn visit, void *user);
ph_status phx_query_each_observer(const phx_world *world, uint64_t target, phx_related_fn visit, void *user);

/*
 * The next entities of a list, as many as there is room for, behind those of the piece before. Nothing is allocated;
 * a piece costs a look at the whole list. PH_UNKNOWN_ID.
 */
typedef struct phx_list_piece {
    phx_hits hits; /* `at` and `room` are the caller's */
    ph_hit last;   /* of the piece before */
    bool behind;   /* there was one */
    bool left;     /* more come behind this piece */
} phx_list_piece;

ph_status phx_query_list_piece(const phx_world *world, uint64_t observer, phx_list_piece *piece); /* by kind, then id */
ph_status phx_query_observers_piece(const phx_world *world, uint64_t target, phx_list_piece *piece); /* by id */

/* By kind, then id. PH_UNKNOWN_ID, PH_NO_MEMORY; found is to be freed in any case. */
ph_status phx_query_list(phx_world *world, uint64_t observer, phx_found *found);
/* By id. */
ph_status phx_query_observers(phx_world *world, uint64_t target, phx_found *found);

#endif
