/*
 * The decision whether all workers of a crew share a tick, or one worker does it alone. It follows from the tick's work
 * alone: its commands, and its entities where a tick walks over all of them. No event depends on it. Called by tick.c
 * in the ingest phase, once commands are collected, and at the tick's end.
 */
#ifndef PHX_WORLD_TICK_SHARE_H
#define PHX_WORLD_TICK_SHARE_H

#include "world/state/world.h"

/* The way of a call to the workers of the world's crew. */
typedef enum phx_crew_use {
    PHX_CREW_TRY,   /* takes the crew for a tick that is worth it, if no other thread has it */
    PHX_CREW_LATER, /* the caller is one worker of a crew: a tick that is worth sharing is left where sharing begins */
    PHX_CREW_TAKEN  /* the caller has taken the world's crew */
} phx_crew_use;

/* Decides, once the tick's commands are collected. */
void phx_share_decide(phx_world *world);

/*
 * Gives a shared tick the workers, for this call. If another thread has them, or there is no memory for their work, the
 * call goes on alone. true: phx_share_end() has to release the crew.
 */
bool phx_share_begin(phx_world *world, phx_crew_use use);
void phx_share_end(phx_world *world, bool took);

#endif
