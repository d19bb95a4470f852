/*
 * Who is near a place, whatever the shard's entities are sorted by: rows of the grid, cards of towers. For all that
 * asks after places and is no kernel's work (queries, searches), so the one place to teach another index. Between ticks
 * by any threads at once, in a tick once the index phase is through. Memory is the sink's.
 */
#ifndef PHX_SHARDS_AROUND_H
#define PHX_SHARDS_AROUND_H

#include "shards/box.h"
#include "shards/shard.h"

/* Takes candidates, in pieces. The taker's own data stand around it. */
typedef struct phx_sink {
    void (*take)(struct phx_sink *sink, const uint32_t *slots, uint32_t count); /* slots[] is valid during the call */
    uint64_t visited; /* ranges, towers that were looked at; added to */
} phx_sink;

/*
 * Gives the sink every live slot, own or ghost, whose position is in the box, each once, in no order; others may be
 * among them.
 */
void phx_shard_around(const phx_shard *shard, phx_box box, phx_sink *sink);

#endif
