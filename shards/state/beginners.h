/*
 * Beginners: observers that may begin a list in this tick. Noted by the shard's owner in the ingest and exchange
 * phases, where an observer enters, migrates in or changes its attributes. The ticking thread reads them
 * in the publish phase.
 */
#ifndef PHX_SHARDS_STATE_BEGINNERS_H
#define PHX_SHARDS_STATE_BEGINNERS_H

#include "shards/state/shard.h"

/* May an own slot begin a list in this tick? Then its change is fresh (PH_CHANGE_FRESH), even if the list is empty. */
bool phx_shard_begins(const phx_shard *shard, uint32_t slot);

/*
 * Notes an own entity that entered, migrated in or changed its attributes, if it may begin a list. Room was reserved.
 */
void phx_shard_note_beginner(phx_shard *shard, uint32_t slot);

/* Room for the note. false = no memory. */
bool phx_shard_reserve_beginner(phx_shard *shard);

#endif
