/*
 * The index phase of a shard: deferred adds come in, every index is put in order. The shard's owner.
 */
#ifndef PHX_SHARDS_TICK_REINDEX_H
#define PHX_SHARDS_TICK_REINDEX_H

#include "base/directory.h"
#include "shards/entity/renames.h"
#include "shards/state/shard.h"

/*
 * Ends the outermost iteration: unconfirmed ghosts go, deferred adds come in, both if somebody may see them, or later;
 * grid and far targets are put in order.
 */
bool phx_shard_index(phx_shard *shard, const phx_directory *directory, const phx_renames *renames);

/* Is nobody farther out of all towers than rows may have drifted, unless that is known? For PHX_VALIDATE. */
bool phx_shard_outside_valid(const phx_shard *shard);

#endif
