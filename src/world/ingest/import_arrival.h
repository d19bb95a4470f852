/*
 * The arrival of imports: their parts go where migrants' records go. By the ticking thread, in the exchange phase, once
 * migrants are in their shards, and before copies are sent.
 */
#ifndef PHX_WORLD_INGEST_IMPORT_ARRIVAL_H
#define PHX_WORLD_INGEST_IMPORT_ARRIVAL_H

#include "world/state/world.h"

/* Brings each import's parts to the entity's shard. false = no memory: call again, or give up. */
bool phx_imports_arrive(phx_world *world);
/* Of imports that did not arrive, whole lists become due; areas and histories begin anew. */
void phx_imports_give_up(phx_world *world);

#endif
