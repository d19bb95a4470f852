/*
 * The index phase of a shard: deferred adds are done, every index is put in order. By the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_REINDEX_H
#define PHX_SHARDS_TICK_REINDEX_H

#include "base/directory.h"
#include "shards/entity/renames.h"
#include "shards/state/shard.h"

/*
 * Ends the tick's iteration (entity/deferred_adds.h): ghosts that were not refreshed end, deferred adds are done, and
 * grid and far targets are put in order. Ghosts in no own view may wait. false = no memory: call again.
 */
bool phx_shard_index(phx_shard *shard, const phx_directory *directory, const phx_renames *renames);

/* Makes rows as the interest phase needs them, but for positions that may be stale. false = no memory. */
bool phx_rows_update(phx_shard *shard);

/* Is no entity farther out of all towers than rows may have drifted, unless grid.outside is set? For PHX_VALIDATE. */
bool phx_shard_outside_valid(const phx_shard *shard);

#endif
