/*
 * Far targets near a block, by the levels of far_targets.h: the entries in the cells around it; and of these the ones
 * that an observer of the block may have in the far part of its list (far_list.h), side by side. An observer is
 * compared with these few, and does not search the cells of each level.
 *
 * From the index phase to the next apply, by any worker, in its own memory.
 */
#ifndef PHX_SHARDS_QUERY_FAR_NEAR_H
#define PHX_SHARDS_QUERY_FAR_NEAR_H

#include "shards/entity/bounds.h"
#include "shards/entity/relations.h"

struct phx_block;
struct phx_shard;

typedef bool (*phx_far_cells_fn)(void *user, uint32_t first, uint32_t end);

/*
 * Visits ranges of entries, until a visit returns false: all targets with a reach, of which an observer of the block
 * may be within reach and margin, now or at the last tick's end; and some more.
 */
bool phx_far_visit_near(const struct phx_shard *shard, const struct phx_block *block, phx_far_cells_fn visit,
                        void *user);

enum { PHX_FAR_NEAR_MAX = 128 }; /* as many comparisons take about as long as the search of a level's cells */

typedef struct phx_far_near_target {
    float x, y, reach; /* reach infinite: it is global */
    uint32_t slot;
} phx_far_near_target;

typedef struct phx_far_near {
    const struct phx_shard *shard; /* of this shard in this tick; NULL = none */
    uint64_t tick;
    phx_span rows; /* of the block */
    phx_box box;   /* of their places */
    uint32_t count;
    phx_far_near_target targets[PHX_FAR_NEAR_MAX];
} phx_far_near;

/* Notes the far targets that rows of a block may see; none, and no shard, if there are more than fit. */
void phx_far_near_open(phx_far_near *near, const struct phx_shard *shard, const struct phx_block *block);

/* Has it all far targets of the observer of a row? */
bool phx_far_near_covers(const phx_far_near *near, const struct phx_shard *shard, uint32_t row);

/* Writes the far part of the list of such an observer, which has these relations, or NULL. Returns how many. */
uint32_t phx_far_near_list(const phx_far_near *near, uint32_t slot, const phx_relation_set *related,
                           uint32_t targets[PHX_FAR_NEAR_MAX]);

#endif
