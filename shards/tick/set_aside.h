/*
 * Observers whose events of a tick there is no memory for; see src/world/tick/finish_short.h.
 */
#ifndef PHX_SHARDS_TICK_SET_ASIDE_H
#define PHX_SHARDS_TICK_SET_ASIDE_H

#include "shards/state/shard.h"

/*
 * There is no memory for what an own observer is to be told: its list is emptied, and it is told all that it sees then,
 * as PH_CHANGE_FRESH, in a later tick. told: its list is that of this tick already. From the interest phase's end to
 * the tick's end, the ticking thread. Needs no memory.
 */
void phx_shard_set_aside(phx_shard *shard, uint32_t slot, bool told);

#endif
