/*
 * A tick that lacks memory is finished as far as memory goes. An observer is set aside (phx_shard_set_aside()) when its
 * list, events or updates find no memory: the list is emptied, and a later tick tells the whole list anew. When no
 * memory is left to find the observers of broadcasts, the tick's broadcasts are refused. When a consumer's batch has no
 * room for mail, that mail is dropped and counted. Commands, attached children, changed classes, crowd control, the
 * zones phase and edges are put off to the next tick. Exchange and index still need their memory.
 *
 * The ticking thread's, once a stage has stopped; ph_tick_finish().
 */
#ifndef PHX_WORLD_TICK_FINISH_SHORT_H
#define PHX_WORLD_TICK_FINISH_SHORT_H

#include "world/state/world.h"

/* Memory kept for later ticks is given back: results of the last tick, and batches that consumers returned. */
void phx_finish_release_spare(phx_world *world);
/* Ends the stage that has stopped. false = it can not be ended without memory; else *next is the stage to go on in. */
bool phx_finish_stage(phx_world *world, phx_stage *next);

#endif
