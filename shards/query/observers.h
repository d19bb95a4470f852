/*
 * The reverse question: the own observers that have a target in their lists. Between ticks, any threads.
 */
#ifndef PHX_SHARDS_QUERY_OBSERVERS_H
#define PHX_SHARDS_QUERY_OBSERVERS_H

#include "shards/state/shard.h"

/*
 * Who has `slot` (live here) in the list: calls visit(user, observer's slot) for each own
 * observer, in no order. everywhere: seen by more than view and margin (global, reach,
 * pair, link), so every observer is looked at. Between ticks, any thread.
 */
void phx_shard_observers_of(const phx_shard *shard, uint32_t slot, bool everywhere,
                            void (*visit)(void *user, uint32_t observer), void *user);

#endif
