/*
 * The parallel steps of a tick: a step is the loop of one stage over all shards (or chunks), cut into pieces for the
 * workers, ended by a barrier. A piece without memory is left undone, and the step is called again for undone pieces.
 * Called by tick.c only; each step is of the phase that docs/architecture.md has for its stage, from the ingest phase
 * to the tick's end.
 */
#ifndef PHX_WORLD_TICK_SHARD_STEPS_H
#define PHX_WORLD_TICK_SHARD_STEPS_H

#include "world/state/world.h"

/* One shard's part of a step. false = no memory: call again. */
typedef bool (*phx_shard_step)(phx_world *world, uint32_t shard);

/* Runs a step. true: every shard is done; the next call with `fresh` begins a new step. */
bool phx_run_shards(phx_world *world, phx_shard_step step, bool fresh);

/* One shard has nothing to exchange; imports arrive there too. */
static inline phx_stage phx_stage_after_ingest(const phx_world *world)
{
    return world->shard_count == 1 ? PHX_STAGE_ARRIVE_IMPORTS : PHX_STAGE_SEND_MIGRANTS;
}

bool phx_step_send_migrants(phx_world *world, uint32_t shard);
bool phx_step_receive(phx_world *world, uint32_t shard);
/* All migrants of the tick are received: emigrants end, and the shard's halo is measured. */
bool phx_step_arrive(phx_world *world, uint32_t shard);
/* Ends the exchange without memory: emigrants stay where they are, and all shards are blind. */
void phx_abandon_exchange(phx_world *world);
bool phx_step_send_pins(phx_world *world, uint32_t shard);
bool phx_step_send_copies(phx_world *world, uint32_t shard);
bool phx_step_zones(phx_world *world, uint32_t index);
bool phx_step_index(phx_world *world, uint32_t shard);
bool phx_step_commit(phx_world *world, uint32_t shard);
bool phx_step_end(phx_world *world, uint32_t shard);

/* Copies the bodies' positions to rows, if most entities moved and no other change took place. */
void phx_copy_row_positions(phx_world *world);

/* Cuts the rows of all changed shards into chunks. false = no memory. */
bool phx_plan_chunks(phx_world *world);
/* Runs the undone chunks of the interest phase. false = no memory: call again. */
bool phx_run_interest(phx_world *world);
/* Turns the rows that chunks could not do for want of memory into chunks. false = no memory for these. */
bool phx_split_undone(phx_world *world);

#endif
