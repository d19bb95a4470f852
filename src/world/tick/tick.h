/*
 * The tick: the order of the stages is in tick.c alone. By the ticking thread, in every phase.
 */
#ifndef PHX_WORLD_TICK_TICK_H
#define PHX_WORLD_TICK_TICK_H

#include "world/state/world.h"
#include "world/tick/share.h"

ph_status phx_world_tick(phx_world *world, uint64_t *tick);

/*
 * The same once the caller has closed the gate. The gate is open afterwards, with one exception: with PHX_CREW_LATER a
 * tick that is worth sharing returns PH_PENDING, the gate stays closed, and the next call goes on with that tick.
 */
ph_status phx_world_tick_inside(phx_world *world, phx_crew_use use);

/* PH_OK, PH_BUSY, PH_EMPTY (no tick is open), PH_NO_MEMORY. */
ph_status phx_world_tick_finish(phx_world *world, uint64_t *tick);

/* PH_OK; PH_BUSY, also if a tick is half way; PH_NO_MEMORY: call again, or run a tick. */
ph_status phx_world_apply(phx_world *world);

/*
 * A restore (world/image/restore.h): begins the tick with this number as if its commands were applied, for a world of
 * so many entities; runs its stages up to `last`, false = no memory; ends it, or leaves it to be destroyed.
 */
void phx_restore_begin(phx_world *world, uint64_t tick, uint32_t entities);
bool phx_restore_run(phx_world *world, phx_stage last);
void phx_restore_end(phx_world *world, bool done);

/* Tests: permutes the order of shards, outboxes and chunks by this seed. */
void phx_world_permute(phx_world *world, uint64_t seed);

#endif
