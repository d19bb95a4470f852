/*
 * Followers: entities that an apply may have to move with their roots (ingest/apply.h). Noted in the ingest phase by
 * the ticking thread.
 */
#ifndef PHX_WORLD_INGEST_FOLLOWERS_H
#define PHX_WORLD_INGEST_FOLLOWERS_H

#include "world/state/world.h"

/*
 * An entity moved to its root, or has another root, or none: it and the entities attached below it may have to move.
 * Called by the ingest phase of every tick; a note is taken in an apply only.
 */
void phx_note_follower(phx_world *world, uint64_t id);

#endif
