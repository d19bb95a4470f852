/*
 * From who hears what to the mail of the consumers' batches: each message once in a
 * batch, and a delivery per observer. Sizes and places by the ticking thread; the copying
 * by all workers, a consumer's messages and a piece's deliveries being units of work.
 */
#ifndef PHX_WORLD_PUBLISH_FILL_BROADCASTS_H
#define PHX_WORLD_PUBLISH_FILL_BROADCASTS_H

#include "world/state/world.h"

/*
 * Finds how much mail each consumer gets (broadcasts.sizes), and gives every message that
 * is heard, and every piece, its place in it. false = no memory: call again.
 */
bool phx_deliver_plan(phx_world *world);
/* Into world->batches, whose mail has those sizes. */
void phx_deliver_fill(phx_world *world);
/* The consumer gets none of the tick's mail, which is counted as dropped: once planned. */
void phx_deliver_drop(phx_world *world, uint32_t consumer);

#endif
