/*
 * The ingest phase: the commands submitted before the tick, one by one in the order
 * (producer, sequence), onto directory, ties, attachments and shards. Ticking thread.
 */
#ifndef PHX_WORLD_INGEST_H
#define PHX_WORLD_INGEST_H

#include "world/world.h"

/* Applies the snapshots of all producers. Want of memory refuses the command that met it. */
void phx_ingest(phx_world *world);

/* Attached children go where their roots are now. false = no memory: call again. */
bool phx_ingest_follow(phx_world *world);

/* The rules and classes changed: every entity's attributes anew. false = no memory: call again. */
bool phx_ingest_classes(phx_world *world);

#endif
