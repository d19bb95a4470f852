/*
 * The type of the bound on the events of a tick (publish/event_bound.h).
 */
#ifndef PHX_WORLD_STATE_EVENT_BOUND_TYPES_H
#define PHX_WORLD_STATE_EVENT_BOUND_TYPES_H

#include <stdatomic.h>

#include "base/core.h"

/* Observers are counted by the bits of their number of enters. */
enum { PHX_SPREAD_SIZES = 33 };

/*
 * Of one tick. Written by all workers in the interest phase, relaxed: each value only has to be one that was there, the
 * barrier behind the phase orders the rest.
 */
typedef struct phx_spread_state {
    uint64_t events_max;                      /* of this tick; by the ticking thread, before the phase */
    _Atomic uint64_t found;                   /* events so far, cut ones too */
    _Atomic uint32_t limit;                   /* an observer has no use for more enters */
    _Atomic uint64_t sizes[PHX_SPREAD_SIZES]; /* observers by enters, once more than half of the bound was found */
} phx_spread_state;

#endif
