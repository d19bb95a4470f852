/*
 * Observers of a target: the own observers that have it in their lists. Between ticks, any threads.
 */
#ifndef PHX_SHARDS_QUERY_OBSERVERS_H
#define PHX_SHARDS_QUERY_OBSERVERS_H

#include "shards/state/shard.h"

/*
 * Calls visit(user, observer's slot) for each own observer with `slot` (live here) in its list, in no order.
 * everywhere: the target can be seen beyond view and margin (global, reach, pair, link), so every observer is checked.
 * Between ticks, any thread.
 */
void phx_shard_observers_of(const phx_shard *shard, uint32_t slot, bool everywhere,
                            void (*visit)(void *user, uint32_t observer), void *user);

#endif
