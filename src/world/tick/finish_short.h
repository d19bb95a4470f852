/*
 * A short tick: a tick that lacks memory is finished as far as memory allows. An observer is set aside
 * (phx_shard_set_aside()) if its list, events or updates find no memory: the list is emptied, and a later tick sends
 * the whole list. If there is no memory to find the recipients of broadcasts, the tick's broadcasts are refused. If a
 * consumer's batch has no room for broadcasts, they are dropped and counted. Commands, attached children, changed
 * classes, crowd control, the zones stage and edges are put off to the next tick. If there is no memory for copies or
 * for the index, the tick is blind in that shard: all its observers are set aside (shards/tick/blind_tick.h). If there
 * is none for migrants or pins, entities stay in their old shard for one more tick, and all shards are blind.
 *
 * By the ticking thread, after a stage stopped; ph_tick_finish().
 */
#ifndef PHX_WORLD_TICK_FINISH_SHORT_H
#define PHX_WORLD_TICK_FINISH_SHORT_H

#include "world/state/world.h"

/* Gives back memory that is kept for later ticks: results of the last tick, and batches that consumers returned. */
void phx_finish_release_spare(phx_world *world);
/* Ends the stage that stopped. Returns the stage to go on in. */
phx_stage phx_finish_stage(phx_world *world);

#endif
