/*
 * Brings the broadcasts of a tick (broadcasts.h) from their sources to the towers around them. Publish phase, behind
 * the interest phase: all workers find the sources, then which blocks of each shard may have recipients
 * (shards/publish/recipients.h), each of some messages; then one worker a shard sorts them by block.
 */
#ifndef PHX_WORLD_PUBLISH_ADDRESS_BROADCASTS_H
#define PHX_WORLD_PUBLISH_ADDRESS_BROADCASTS_H

#include "world/state/world.h"

/* Finds the homes of the sources. */
void phx_broadcasts_locate(phx_world *world);
/* Brings them to the blocks of all shards. false = no memory: call again. */
bool phx_broadcasts_address(phx_world *world);
/* Sorts one shard's block messages. false = no memory: call again. */
bool phx_step_sort_messages(phx_world *world, uint32_t shard);

#endif
