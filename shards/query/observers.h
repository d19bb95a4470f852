/*
 * Observers of a target: the own observers that have it in their lists. Between ticks, any threads.
 */
#ifndef PHX_SHARDS_QUERY_OBSERVERS_H
#define PHX_SHARDS_QUERY_OBSERVERS_H

#include "shards/state/shard.h"
#include "shards/state/storage.h"

/*
 * Calls visit(user, observer's slot) for each own observer with `slot` (live here) in its list, in no order.
 * everywhere: the target can be seen beyond view and margin (global, reach, pair, link), so every observer is checked.
 * Between ticks, any thread.
 */
static inline void phx_shard_observers_of(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit,
                                          void *user)
{
    const bool added = shard->store.body[slot].state & PHX_SLOT_ROW; /* else no observer has it yet */
    if (added) shard->storage->visit_observers(shard, slot, everywhere, visit, user);
}

/* phx_storage.visit_observers, by rows, cell entries, and a classical index. */
void phx_rows_visit_observers(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit,
                              void *user);
void phx_ninegrid_visit_observers(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit,
                                  void *user);
void phx_classical_visit_observers(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit,
                                   void *user);

#endif
