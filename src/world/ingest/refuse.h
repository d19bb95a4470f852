/*
 * Refusing a command in a tick: it is counted, and its producer is told. The ticking thread.
 */
#ifndef PHX_WORLD_INGEST_REFUSE_H
#define PHX_WORLD_INGEST_REFUSE_H

#include "world/state/world.h"

/* Counts the i-th command of a run, about `id`, which could not be applied, and tells its producer. */
void phx_ingest_refuse(phx_world *world, const phx_command_run *run, uint32_t i, uint64_t id, ph_status status);

#endif
