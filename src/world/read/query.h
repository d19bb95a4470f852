/*
 * Reads a world between ticks, from any thread; the caller is inside the gate. The world is not written; sorting uses
 * memory of its own.
 */
#ifndef PHX_WORLD_READ_QUERY_H
#define PHX_WORLD_READ_QUERY_H

#include <pharos/query.h>

#include "shards/query/find.h"
#include "world/state/world.h"

/* Entities in a query's order. Memory is the query's, from the world's allocator. */
typedef struct phx_found {
    phx_mem *mem;
    phx_sort_record *items; /* id, kind (0 if the id alone orders) */
    uint32_t count, items_capacity;
    bool by_kind; /* kinds order, then ids */
    bool failed;  /* no memory */
} phx_found;

void phx_found_free(phx_found *found);

ph_status phx_query_entity(const phx_world *world, uint64_t id, ph_attrs *attrs);
ph_status phx_query_sees(const phx_world *world, uint64_t observer, uint64_t target, bool *sees);
ph_status phx_query_explain(const phx_world *world, uint64_t observer, uint64_t target, ph_explanation *why);

/* Visits an entity in a shard that has it, own or as a ghost. false: enough. */
typedef bool (*phx_related_fn)(void *user, const phx_shard *shard, uint32_t slot);
/* Visits all targets of an observer's list; all observers of a target. In no order. PH_UNKNOWN_ID. */
ph_status phx_query_each_listed(const phx_world *world, uint64_t observer, phx_related_fn visit, void *user);
ph_status phx_query_each_observer(const phx_world *world, uint64_t target, phx_related_fn visit, void *user);

/*
 * The next entities of a list behind the last piece, as many as there is room for. Nothing is allocated; a piece costs
 * a pass over the whole list. PH_UNKNOWN_ID.
 */
typedef struct phx_list_piece {
    phx_hits hits; /* the caller sets `at` and `room` */
    ph_hit last;   /* last entity of the piece before */
    bool behind;   /* there was a piece before */
    bool left;     /* there is a piece behind this one */
} phx_list_piece;

ph_status phx_query_list_piece(const phx_world *world, uint64_t observer, phx_list_piece *piece); /* by kind, then id */
ph_status phx_query_observers_piece(const phx_world *world, uint64_t target, phx_list_piece *piece); /* by id */

/* The list by kind, then id. PH_UNKNOWN_ID, PH_NO_MEMORY; found has to be freed in any case. */
ph_status phx_query_list(phx_world *world, uint64_t observer, phx_found *found);
/* The observers by id. */
ph_status phx_query_observers(phx_world *world, uint64_t target, phx_found *found);

#endif
