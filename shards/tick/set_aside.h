/*
 * Observers without memory for the events of a tick; see src/world/tick/finish_short.h.
 */
#ifndef PHX_SHARDS_TICK_SET_ASIDE_H
#define PHX_SHARDS_TICK_SET_ASIDE_H

#include "shards/state/shard.h"

/*
 * Sets an own observer aside, for want of memory: its list is emptied, and its whole list is sent, as PH_CHANGE_FRESH,
 * in a later tick. told: its list is that of this tick already. From the interest phase's end to the tick's end, by the
 * ticking thread. Needs no memory.
 */
void phx_shard_set_aside(phx_shard *shard, uint32_t slot, bool told);

#endif
