/*
 * The updates of a tick (the rule is at ph_update), once its lists stand: all workers look after the observers of every
 * shard where anything may be due (shards/publish/band_updates.h), up to 256 places of a block at a time; who waits is
 * put down by shard; news (batch/batch_updates.h) of every consumer's observers go into its batch. Nothing of it runs
 * in a world without bands.
 */
#ifndef PHX_WORLD_PUBLISH_UPDATES_H
#define PHX_WORLD_PUBLISH_UPDATES_H

#include "world/state/world.h"

/* Does some class have bands, and is there a consumer to tell? */
bool phx_def_banded(const ph_world_def *def);
/* Has a class of the first definition other bands in the second one? */
bool phx_bands_differ(const ph_world_def *before, const ph_world_def *after);

/* false = no memory; to be freed in any case. */
bool phx_updates_init(phx_world *world);
void phx_updates_free(phx_world *world);

/* Is there anybody to be told, of whom? Else none of the following is called in this tick. */
bool phx_updates_due(const phx_world *world);
/* Where everybody of one shard is, and was. */
bool phx_step_strides(phx_world *world, uint32_t shard);
/* Cuts the shards into pieces, and tells them what entered whose list. false = no memory: call again, as all below. */
bool phx_updates_plan(phx_world *world);
/* Looks after the observers of the pieces that are undone. */
bool phx_updates_look(phx_world *world);
/* What waits in one shard. */
bool phx_step_defer_updates(phx_world *world, uint32_t shard);
/* Gives every group its place in its consumer's news: sizes. */
bool phx_updates_place(phx_world *world);
/* The same for one consumer, some of whose observers were set aside: these get nothing. */
void phx_updates_replace(phx_world *world, uint32_t consumer);
/* Into world->batches, whose news have those sizes. */
void phx_updates_fill(phx_world *world);

#endif
