/*
 * The zones stage of a shard: NPCs that awoke or fell asleep, own entities that entered or left areas. After the index
 * phase, by the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_ZONES_PHASE_H
#define PHX_SHARDS_TICK_ZONES_PHASE_H

#include "shards/state/shard.h"

/* Finds the edges of activation and areas: into zones.edges. false = no memory: call again. */
bool phx_shard_zones(phx_shard *shard);

#endif
