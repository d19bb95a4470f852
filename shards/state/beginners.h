/*
 * Observers that may begin a list in this tick: noted where one enters, arrives or changes its attributes. By the
 * shard's owner in the ingest and exchange phases; read behind the interest phase.
 */
#ifndef PHX_SHARDS_STATE_BEGINNERS_H
#define PHX_SHARDS_STATE_BEGINNERS_H

#include "shards/state/shard.h"

/* Does an own slot begin a list in this tick, so that it is told PH_CHANGE_FRESH also if the list is empty? */
bool phx_shard_begins(const phx_shard *shard, uint32_t slot);

/* An own entity came, or its attributes changed: it may begin a list. Room was reserved. */
void phx_shard_note_beginner(phx_shard *shard, uint32_t slot);

/* Room for the note. false = no memory. */
bool phx_shard_reserve_beginner(phx_shard *shard);

#endif
