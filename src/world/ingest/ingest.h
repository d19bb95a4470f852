/*
 * The ingest phase: the commands submitted before the tick, one by one in the order
 * (producer, sequence), onto directory, ties, attachments and shards. Ticking thread.
 */
#ifndef PHX_WORLD_INGEST_INGEST_H
#define PHX_WORLD_INGEST_INGEST_H

#include "world/state/world.h"

/* Room for the runs of a tick, so that some are applied in each tick whatever the memory. false = no memory. */
bool phx_ingest_init(phx_world *world);
void phx_ingest_free(phx_world *world);

/*
 * Puts the runs of all snapshots in order. false = no memory for all of them: call again, or go on with the first ones;
 * the others stay in their queues for the next tick.
 */
bool phx_ingest_collect(phx_world *world);

/* Applies them. Want of memory refuses the command that met it. */
void phx_ingest(phx_world *world);

/*
 * Attached children go where their roots are now. false = no memory for some: call again, or go on, and they follow in
 * the next tick.
 */
bool phx_ingest_follow(phx_world *world);

/*
 * The rules and classes changed: every entity's attributes anew. false = no memory for some: call again, in this tick
 * or in the next one.
 */
bool phx_ingest_classes(phx_world *world);

#endif
