/*
 * List handover: observers that migrated in, with the lists of the last tick's end that their senders know: targets by
 * id, beside the blocks of records. Mostly rows here give the same list, and it stays derived. Else it becomes a list
 * of slots, and its observer is evaluated. Noted in the exchange phase, resolved in the index phase, once ghosts are
 * the ones of this tick, by the shard's owner.
 */
#ifndef PHX_SHARDS_EXCHANGE_LIST_HANDOVER_H
#define PHX_SHARDS_EXCHANGE_LIST_HANDOVER_H

#include "base/directory.h"
#include "shards/entity/renames.h"

struct phx_shard;

/* Resolves all lists. false = no memory: call again. */
bool phx_immigrant_lists_resolve(struct phx_shard *shard, const phx_directory *directory, const phx_renames *renames);

#endif
