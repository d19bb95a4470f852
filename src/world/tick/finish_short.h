/*
 * A way on for a tick that can not get its memory: it is finished with what it can do. An observer whose list or events
 * find no memory is set aside (phx_shard_set_aside()): its list is emptied, and a later tick tells it the whole list
 * anew. Broadcasts whose observers can not be found are refused, mail that finds no batch is dropped; both are told.
 * What is linear in entities and commands (ingest, exchange, index, zones, edges) is not done without memory.
 *
 * The ticking thread's, in the interest and publish phases, once a stage has stopped; ph_tick_finish().
 */
#ifndef PHX_WORLD_TICK_FINISH_SHORT_H
#define PHX_WORLD_TICK_FINISH_SHORT_H

#include "world/state/world.h"

/* Memory that is kept for later ticks is given back: what the last ones made, and what consumers returned. */
void phx_finish_relieve(phx_world *world);
/* Ends the stage that has stopped. false = it can not be ended without memory; else *next is the stage to go on in. */
bool phx_finish_stage(phx_world *world, phx_stage *next);
/* Before the batches: changes of observers that were set aside are none, and nothing is pending for them. */
void phx_finish_forget(phx_world *world);

/* The observer of a batch that goes nowhere. */
void phx_finish_set_aside(phx_world *world, uint64_t observer);

#endif
