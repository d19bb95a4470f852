/*
 * The updates of a tick (ph_update has the rule), after its interest phase. All workers check the observers of every
 * shard where an update may be due (find_updates.h), up to 256 places of a block at a time. Deferred
 * updates are stored by shard. The updates of every consumer's observers (batch/batch_updates.h) go into its batch. A
 * world without bands runs none of it.
 */
#ifndef PHX_WORLD_PUBLISH_UPDATES_H
#define PHX_WORLD_PUBLISH_UPDATES_H

#include "world/state/world.h"

/* Has a class bands, and is there a consumer? */
bool phx_def_banded(const ph_world_def *def);
/* Has a class of the first definition other bands in the second one? */
bool phx_bands_differ(const ph_world_def *before, const ph_world_def *after);

/* Makes the arrays. false = no memory; they have to be freed in any case. */
bool phx_updates_init(phx_world *world);
void phx_updates_free(phx_world *world);

/* May an update be due? Else the functions below are not called in this tick. */
bool phx_updates_due(const phx_world *world);
/* Makes room for the motion samples of one shard. */
bool phx_step_ready_samples(phx_world *world, uint32_t shard);
/*
 * Samples the motion of all entities, cuts the shards into pieces, and notes the targets that entered each list. false
 * = no memory: call again, as all below. If `finish`, observers with bands of shards that there is no memory for are
 * set aside: always true.
 */
bool phx_updates_plan(phx_world *world, bool finish);
/* Behind phx_updates_find(): stores the deferred updates of one shard. */
bool phx_step_defer_updates(phx_world *world, uint32_t shard);
/* The same for all shards: sets aside each observer that there is no memory for. */
void phx_updates_defer_short(phx_world *world);
/* Gives every group its place in its consumer's updates: sizes. */
bool phx_updates_place(phx_world *world);
/* The same for one consumer, after observers were set aside: they get no updates. */
void phx_updates_replace(phx_world *world, uint32_t consumer);
/* Fills the updates of world->batches, which have these sizes. */
void phx_updates_fill(phx_world *world);

#endif
