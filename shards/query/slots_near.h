/*
 * Slots near a position, by rows of the grid, by cell entries, or by a classical index. For all users of positions that
 * are no kernels (queries, searches, broadcasts, scans with a classical index). Between ticks by any threads at once;
 * in a tick after the index phase. The sink has the memory.
 */
#ifndef PHX_SHARDS_QUERY_SLOTS_NEAR_H
#define PHX_SHARDS_QUERY_SLOTS_NEAR_H

#include "shards/entity/bounds.h"
#include "shards/state/shard.h"

/*
 * Gives the sink every live slot, own or ghost, with a position in the box, each once, in no order; slots outside may
 * be among them. Ghosts without a row, which no own observer sees, are left out (docs/invariants.md, 5).
 */
void phx_slots_in_range(const phx_shard *shard, phx_box box, phx_sink *sink);

/* The towers in which the rows (range = towers: the cell entries) of all positions in the box are. */
phx_rect phx_slots_rect(const phx_shard *shard, phx_box box);

/* Result of a scan with a classical index, as the kernels' scan has it: targets in range of an observer by its view. */
typedef struct phx_range_scan {
    uint32_t *hits; /* slot words of rows; room for all slots */
    float *squares; /* squared distances; range = radius */
    uint32_t count;
    uint64_t pairs, visited;
} phx_range_scan;

void phx_slots_scan(const phx_shard *shard, uint32_t observer, phx_range_scan *scan);

#endif
