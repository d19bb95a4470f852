/*
 * Lists of some queries, found side by side before the queries are answered: waits for memory of one query pass while
 * others are looked at. Between ticks, any thread; the caller is inside the gate. Nothing of the world is written.
 */
#ifndef PHX_WORLD_READ_LISTS_AHEAD_H
#define PHX_WORLD_READ_LISTS_AHEAD_H

#include <pharos/query.h>

#include "world/state/world.h"

enum {
    PHX_LISTS_AHEAD = 8,     /* queries side by side: with 16 and 32 lists were not faster */
    PHX_TARGETS_AHEAD = 1024 /* of all their lists together; a longer list is not found ahead */
};

typedef struct phx_list_ahead {
    const phx_shard *shard; /* the observer's; NULL: no list is found ahead */
    uint32_t slot, count;
    uint32_t *targets; /* slots of the shard */
} phx_list_ahead;

typedef struct phx_lists_ahead {
    const ph_query *queries;
    const ph_answer *answers;
    uint32_t count;
    phx_list_ahead list[PHX_LISTS_AHEAD]; /* by query */
    phx_list_ahead *at;                   /* the one that is being found */
    bool full;
    uint32_t targets[PHX_TARGETS_AHEAD];
} phx_lists_ahead;

/* Finds the observers of up to PHX_LISTS_AHEAD queries; of shapes without a list, and after an apply, of none. */
void phx_lists_look_up(phx_lists_ahead *lists, const phx_world *world, const ph_query *queries,
                       const ph_answer *answers, uint32_t count);

/*
 * Finds the lists of queries from `first` on, in place of the ones before, as far as there is room. Names of targets,
 * and the places of hits, are asked for. Returns the end of the queries that may be answered now: one at least.
 */
uint32_t phx_lists_find(phx_lists_ahead *lists, uint32_t first);

#endif
