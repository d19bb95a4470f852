/*
 * The ingest phase: the commands submitted before the tick, one by one in the order
 * (producer, sequence), onto directory, ties, attachments and shards. Ticking thread.
 */
#ifndef PHX_WORLD_INGEST_INGEST_H
#define PHX_WORLD_INGEST_INGEST_H

#include "world/state/world.h"

/* Puts the runs of all snapshots in order. false = no memory: call again. */
bool phx_ingest_collect(phx_world *world);

/*
 * Applies them. Want of memory refuses the command that met it; only inside a long
 * stretch of moves it stops the tick: false, call again.
 */
bool phx_ingest(phx_world *world);

/* Attached children go where their roots are now. false = no memory: call again. */
bool phx_ingest_follow(phx_world *world);

/* The rules and classes changed: every entity's attributes anew. false = no memory: call again. */
bool phx_ingest_classes(phx_world *world);

#endif
