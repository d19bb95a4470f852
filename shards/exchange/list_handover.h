/*
 * Observers that migrated in, and the lists that they had at the last tick's end, as their senders know them: targets
 * by id, beside the blocks of records. Mostly rows here imply the same list; else it becomes one of slots, and its
 * observer takes the long way. Noted in the exchange phase, resolved in the index phase, once ghosts are those of this
 * tick; the shard's owner's.
 */
#ifndef PHX_SHARDS_EXCHANGE_LIST_HANDOVER_H
#define PHX_SHARDS_EXCHANGE_LIST_HANDOVER_H

#include "base/directory.h"
#include "shards/entity/renames.h"

struct phx_shard;

/* All of them. false = no memory: call again. */
bool phx_immigrant_lists_resolve(struct phx_shard *shard, const phx_directory *directory, const phx_renames *renames);

#endif
