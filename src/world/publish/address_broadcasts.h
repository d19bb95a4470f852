/*
 * Brings the broadcasts of a tick (broadcasts.h) from their sources to the towers around them. Publish phase, behind
 * the interest phase: the ticking thread finds the sources, then each shard says which of its blocks may have
 * recipients (shards/publish/recipients.h), one worker a shard.
 */
#ifndef PHX_WORLD_PUBLISH_ADDRESS_BROADCASTS_H
#define PHX_WORLD_PUBLISH_ADDRESS_BROADCASTS_H

#include "world/state/world.h"

/* Finds the homes of the sources. */
void phx_broadcasts_locate(phx_world *world);
/* Makes one shard's calls. false = no memory: call again. */
bool phx_step_target(phx_world *world, uint32_t shard);

#endif
