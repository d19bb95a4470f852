/*
 * The clock for pieces of work that are one shard's alone. Where the only shard is worked on by the ticking thread
 * alone, the phases behind ingest are one piece each, and its times are those of the phases: pieces do not read the
 * clock, which in a world of ten entities costs more than the work.
 *
 * Any phase, by the worker of the piece.
 */
#ifndef PHX_WORLD_STATE_PIECE_CLOCK_H
#define PHX_WORLD_STATE_PIECE_CLOCK_H

#include "base/clock.h"
#include "world/state/world.h"

/* Is each phase behind ingest one piece, in the tick at hand? It is decided in ingest, for all of the tick. */
static inline bool phx_phases_whole(const phx_world *world)
{
    return world->shard_count == 1 && !world->shared;
}

/* Nanoseconds, of use in differences alone; 0 where a phase is one piece. */
static inline uint64_t phx_piece_now_ns(const phx_world *world)
{
    return phx_phases_whole(world) && phx_phase_of(world->stage) != PHX_PHASE_INGEST ? 0 : phx_now_ns();
}

#endif
