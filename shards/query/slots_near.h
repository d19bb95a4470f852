/*
 * Who is near a place, whatever the shard's entities are sorted by: rows of the grid, cards of towers, another index.
 * For all that asks after places and is no kernel's work (queries, searches, broadcasts, scans with another index).
 * Between ticks by any threads at once, in a tick once the index phase is through. Memory is the sink's.
 */
#ifndef PHX_SHARDS_QUERY_SLOTS_NEAR_H
#define PHX_SHARDS_QUERY_SLOTS_NEAR_H

#include "shards/entity/bounds.h"
#include "shards/state/shard.h"

/*
 * Gives the sink every live slot, own or ghost, whose position is in the box, each once, in no order; others may be
 * among them. But for ghosts without a row, whom nobody here sees (docs/invariants.md, 5).
 */
void phx_slots_in_range(const phx_shard *shard, phx_box box, phx_sink *sink);

/* The towers in which the rows (range = towers: the cards) of all positions in the box are. */
phx_rect phx_slots_rect(const phx_shard *shard, phx_box box);

/* With another index than the lighthouse what the kernels' scan is: of those in range of an observer by its view. */
typedef struct phx_range_scan {
    uint32_t *hits; /* rows' slot words; room for all slots */
    float *squares; /* of their distances; range = radius */
    uint32_t count;
    uint64_t pairs, visited;
} phx_range_scan;

void phx_slots_scan(const phx_shard *shard, uint32_t observer, phx_range_scan *scan);

#endif
