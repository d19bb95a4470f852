/*
 * From recipients to the broadcasts of the consumers' batches: each message once in a batch, and a delivery for each
 * observer. Publish phase: sizes and places by the ticking thread; copies by all workers. A unit of work is a
 * consumer's messages, or a piece's deliveries.
 */
#ifndef PHX_WORLD_PUBLISH_FILL_BROADCASTS_H
#define PHX_WORLD_PUBLISH_FILL_BROADCASTS_H

#include "world/state/world.h"

/*
 * Finds the size of each consumer's broadcasts (broadcasts.sizes), and the place of every received message and every
 * piece. false = no memory: call again.
 */
bool phx_fill_broadcasts_plan(phx_world *world);
/* Fills the broadcasts of world->batches, which have these sizes. */
void phx_fill_broadcasts_fill(phx_world *world);
/* Drops the tick's broadcasts of a consumer, and counts them: once planned. */
void phx_fill_broadcasts_drop(phx_world *world, uint32_t consumer);

#endif
