/*
 * Observers without memory for the events of a tick; see src/world/tick/finish_short.h. By the ticking thread, in the
 * interest or publish phase that memory ends in; in the index phase of a blind tick by the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_SET_ASIDE_H
#define PHX_SHARDS_TICK_SET_ASIDE_H

#include "shards/state/shard.h"

/*
 * Sets an own observer aside, for want of memory: its list is emptied, and its whole list is sent, as PH_CHANGE_FRESH,
 * in a later tick. A second call in the tick does nothing. Needs no memory. The shard's entries are counted anew at the
 * tick's end.
 */
void phx_shard_set_aside(phx_shard *shard, uint32_t slot);

/* The number of targets in all lists of own observers. Between ticks, and at a tick's end. */
uint64_t phx_shard_count_entries(const phx_shard *shard);

#endif
