/*
 * The publish phase: the changes of all chunks, by consumer, become one flat batch each. Counting (by the worker that
 * found the changes) and filling are parallel over chunks, and each chunk has its own ranges of every batch. The
 * ticking thread makes batches and offers them.
 */
#ifndef PHX_WORLD_PUBLISH_PUBLISH_H
#define PHX_WORLD_PUBLISH_PUBLISH_H

#include "world/state/world.h"

/*
 * Drops pending changes of silenced observers, then makes a batch of the right size for each consumer. false = no
 * memory: call again.
 */
bool phx_publish_batches(phx_world *world);
void phx_publish_fill(phx_world *world);
/* Offers the batches. false = no memory: call again. */
bool phx_publish_offer(phx_world *world);

/*
 * The consumer whose offer had no memory keeps the tick pending; without memory for that its observers are set aside,
 * and only edges are kept.
 */
void phx_publish_keep(phx_world *world);

#endif
