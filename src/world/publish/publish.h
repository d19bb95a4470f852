/*
 * The publish phase: the changes of all chunks, sorted out by consumer into one flat
 * batch each. Counting, by whoever has just found the changes, and filling are parallel over chunks, each chunk
 * having its own ranges of every batch; making batches and handing them over is the ticking thread's.
 */
#ifndef PHX_WORLD_PUBLISH_PUBLISH_H
#define PHX_WORLD_PUBLISH_PUBLISH_H

#include "world/state/world.h"

/*
 * Observers that are gone or not ready are forgotten, then a batch of the right size for
 * each consumer. false = no memory: call again.
 */
bool phx_publish_batches(phx_world *world);
void phx_publish_fill(phx_world *world);
/* false = no memory: call again. */
bool phx_publish_offer(phx_world *world);

/*
 * The consumer whose offer had no memory keeps the tick pending; where that has no memory either, its observers are set
 * aside, and only edges wait.
 */
void phx_publish_keep(phx_world *world);

#endif
