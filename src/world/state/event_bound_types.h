/*
 * The type of the bound on the events of a tick (publish/event_bound.h). Written in the interest phase, by all workers.
 */
#ifndef PHX_WORLD_STATE_EVENT_BOUND_TYPES_H
#define PHX_WORLD_STATE_EVENT_BOUND_TYPES_H

#include <stdatomic.h>

#include "base/core.h"

/* Observers are counted by the bits of their number of enters. */
enum { PHX_SPREAD_SIZES = 33 };

/*
 * State of one tick. Written by all workers in the interest phase, relaxed: any value that was stored will do, and the
 * barrier at the phase's end orders the rest.
 */
typedef struct phx_spread_state {
    uint64_t events_max;                      /* of this tick; by the ticking thread, before the phase */
    _Atomic uint64_t found;                   /* events found so far, cut ones included */
    _Atomic uint32_t limit;                   /* enters that an observer can have at most, by now */
    _Atomic uint64_t sizes[PHX_SPREAD_SIZES]; /* observers by enters, once more than half of the bound was found */
} phx_spread_state;

#endif
