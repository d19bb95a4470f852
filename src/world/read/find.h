/*
 * Queries of places and lists, over all shards: between ticks, from any thread; the caller is inside the gate. The
 * world is not written, and nothing is allocated.
 */
#ifndef PHX_WORLD_READ_FIND_H
#define PHX_WORLD_READ_FIND_H

#include <pharos/query.h>

#include "world/read/query.h"

/* PH_OK, or the error of the query or the array. */
ph_status phx_find(const phx_world *world, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count);

/* The next hits in order behind the last piece, as many as there is room for. Costs the whole search. */
ph_status phx_find_piece(const phx_world *world, const ph_query *query, phx_list_piece *piece);

/* Runs many queries, by all workers unless another thread has them. PH_OK, or the status of the first refused query. */
ph_status phx_find_many(phx_world *world, uint32_t count, const ph_query *queries, ph_answer *answers);

#endif
