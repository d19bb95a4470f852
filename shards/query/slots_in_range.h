/*
 * Slots near a position, by rows of the grid, by cell entries, or by a classical index. For all users of positions that
 * are no kernels (queries, searches, broadcasts, scans with a classical index). Between ticks by any threads at once;
 * in a tick after the index phase. The sink has the memory.
 */
#ifndef PHX_SHARDS_QUERY_SLOTS_IN_RANGE_H
#define PHX_SHARDS_QUERY_SLOTS_IN_RANGE_H

#include "shards/entity/bounds.h"
#include "shards/state/shard.h"
#include "shards/state/storage.h"

/*
 * Gives the sink every live slot, own or ghost, with a position in the box, each once, in no order; slots outside may
 * be among them, also such of other instances: *instance is the one that is asked for, NULL: all. Ghosts without a row,
 * which no own observer sees, are left out (docs/invariants.md, 5).
 */
static inline void phx_slots_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink)
{
    shard->storage->slots_in_range(shard, instance, box, sink);
}

/* The towers in which the rows of all positions in the box are. */
phx_rect phx_rows_rect(const phx_shard *shard, phx_box box);

/* phx_storage.slots_in_range, by rows and by cell entries. */
void phx_rows_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink);
void phx_ninegrid_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink);

/* phx_storage.scan, by rows and by a classical index. */
void phx_rows_scan(const phx_shard *shard, uint32_t observer, float radius, phx_range_scan *scan);
void phx_classical_scan(const phx_shard *shard, uint32_t observer, float radius, phx_range_scan *scan);

#endif
