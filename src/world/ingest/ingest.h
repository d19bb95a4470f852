/*
 * The ingest phase: applies the commands submitted before the tick to directory, relation index, attachments and
 * shards, in the order (producer, sequence). By the ticking thread, one by one; it shares a long stretch of moves out
 * to all workers (moves.h), and the order of each entity's commands stays.
 */
#ifndef PHX_WORLD_INGEST_INGEST_H
#define PHX_WORLD_INGEST_INGEST_H

#include "world/state/world.h"

/* Room for the runs of a tick, so that some are applied in each tick whatever the memory. false = no memory. */
bool phx_ingest_init(phx_world *world);
void phx_ingest_free(phx_world *world);

/* Begins a tick, once the runs of the last one are done: gives back memory of many more runs than ticks have now. */
void phx_ingest_trim(phx_world *world);
/*
 * Collects the runs of all snapshots in order. false = no memory for all of them: call again, or go on with the first
 * ones; the others stay in their queues for the next tick.
 */
bool phx_ingest_collect(phx_world *world);

/* Applies the runs. A command without memory is refused. */
void phx_ingest(phx_world *world);

/*
 * The rules and classes changed: resolves every entity's attributes anew. false = no memory for some: call again, in
 * this tick or in the next one.
 */
bool phx_ingest_classes(phx_world *world);

#endif
