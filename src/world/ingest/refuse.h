/*
 * Refusal of a command in a tick: it is counted, and its producer gets it. In the ingest phase, by the ticking thread.
 */
#ifndef PHX_WORLD_INGEST_REFUSE_H
#define PHX_WORLD_INGEST_REFUSE_H

#include "world/state/world.h"

/* Refuses the i-th command of a run, about `id`: counts it and queues it for its producer. */
void phx_ingest_refuse(phx_world *world, const phx_producer_run *run, uint32_t i, uint64_t id, ph_status status);

#endif
