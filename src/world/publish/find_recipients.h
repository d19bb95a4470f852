/*
 * Finds the recipients of the broadcasts of a tick, behind address_broadcasts.h: up to 256 observers of one block at a
 * time, and each observer's messages in the order of the tick's commands. Publish phase: the ticking thread plans, all
 * workers run. fill_broadcasts.h fills the batches.
 */
#ifndef PHX_WORLD_PUBLISH_FIND_RECIPIENTS_H
#define PHX_WORLD_PUBLISH_FIND_RECIPIENTS_H

#include "world/state/world.h"

/* Cuts the called blocks into pieces. false = no memory: call again. */
bool phx_plan_pieces(phx_world *world);
/* Finds the recipients in the undone pieces. false = no memory: call again. */
bool phx_run_pieces(phx_world *world);

#endif
