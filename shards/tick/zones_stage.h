/*
 * The zones stage of a shard, the last stage of the index phase: NPCs that awoke or fell asleep, own entities that
 * entered or left areas. By the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_ZONES_STAGE_H
#define PHX_SHARDS_TICK_ZONES_STAGE_H

#include "shards/state/shard.h"

/* Finds the edges of activation and areas: into zones.edges. false = no memory: call again. */
bool phx_shard_zones(phx_shard *shard);

#endif
