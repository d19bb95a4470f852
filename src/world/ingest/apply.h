/*
 * ph_apply(): what the ingest phase of an apply does beyond that of a tick. An apply begins the next tick, and ingests
 * commands; the tick then goes on with later commands. So marks, previous rows and notes of the tick add up, and the
 * lists are of the last tick's end. Queries of places find applied entities in a map of their own
 * (shards/entity/applied_map.h), as the index phase is left to the tick. Called by the ticking thread.
 */
#ifndef PHX_WORLD_INGEST_APPLY_H
#define PHX_WORLD_INGEST_APPLY_H

#include "world/state/world.h"

void phx_apply_free(phx_world *world);

/* The commands are collected: begins to note entities. */
void phx_apply_begin(phx_world *world);

/* Children follow the entities that changed. false = no memory: call again. */
bool phx_apply_follow(phx_world *world);

/* Notes the entities that changed as applied, one by one; not if the apply is wide. false = no memory: call again. */
bool phx_apply_note(phx_world *world);
/* The same of a wide apply, by the shard's worker. */
bool phx_step_note_applied(phx_world *world, uint32_t shard);

#endif
