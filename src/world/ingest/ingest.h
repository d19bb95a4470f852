/*
 * The ingest phase: applies the commands submitted before the tick, one by one in the order (producer, sequence), to
 * directory, relation index, attachments and shards. By the ticking thread.
 */
#ifndef PHX_WORLD_INGEST_INGEST_H
#define PHX_WORLD_INGEST_INGEST_H

#include "world/state/world.h"

/* Collects the runs of all snapshots in order. false = no memory: call again. */
bool phx_ingest_collect(phx_world *world);

/*
 * Applies the runs. A command without memory is refused; only inside a long stretch of moves the tick stops: false,
 * call again.
 */
bool phx_ingest(phx_world *world);

/* Moves attached children to their roots. false = no memory: call again. */
bool phx_ingest_follow(phx_world *world);

/* The rules and classes changed: resolves every entity's attributes anew. false = no memory: call again. */
bool phx_ingest_classes(phx_world *world);

#endif
