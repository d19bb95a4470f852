/*
 * The classical indexes: made with their shard, and updated with a tick's changes by the shard's owner in the index
 * phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_REGISTRY_H
#define PHX_SHARDS_CLASSICAL_REGISTRY_H

#include "shards/index/index.h"

/* The operations of an index, by ph_index; NULL: the lighthouse, which is no classical index, or not built in. */
const phx_index_ops *phx_index_ops_of(ph_index which);

/* NULL = no memory. */
phx_index *phx_index_make(ph_index which, const phx_index_env *env);

void phx_index_free(phx_index *index); /* or NULL */

/*
 * The index phase: gives the index all changes of the tick, slots whose body.changed is `stamp`, and sets PHX_SLOT_ROW
 * for slots that are in. false = no memory: call again.
 */
bool phx_index_update(phx_index *index, phx_store *store, uint64_t tick, uint16_t stamp);

#endif
