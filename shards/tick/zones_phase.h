/*
 * The zones phase of a shard: which NPCs awoke or fell asleep, which areas own entities entered or left. Behind the
 * index phase, the shard's owner.
 */
#ifndef PHX_SHARDS_TICK_ZONES_PHASE_H
#define PHX_SHARDS_TICK_ZONES_PHASE_H

#include "shards/state/shard.h"

/* Who awoke, fell asleep, went into areas or out of them: into zones.edges. false = no memory: call again. */
bool phx_shard_zones(phx_shard *shard);

#endif
