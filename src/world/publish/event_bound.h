/*
 * The bound on the events of one tick: where there are more, the lists of all observers are filled over several ticks,
 * the best enters first, each by so many in a tick that the bound holds (ph_change has the rule).
 *
 * That number follows from the enters of all observers, so it is known only once all are found. But what is found of
 * some gives a number that it can not exceed, and whatever an observer has beyond that needs no memory. Workers count
 * in the interest phase, cut what they find by that limit, which only goes down, and the stage behind it cuts all to
 * the number itself. What comes out depends on no order.
 */
#ifndef PHX_WORLD_PUBLISH_EVENT_BOUND_H
#define PHX_WORLD_PUBLISH_EVENT_BOUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct phx_world;

/* Observers are counted by the bits of their number of enters. */
enum { PHX_SPREAD_SIZES = 33 };

/*
 * Of one tick. Written by all workers in the interest phase, relaxed: each value only has to be one that was there, the
 * barrier behind the phase orders the rest.
 */
typedef struct phx_spreading {
    uint64_t events_max;    /* of this tick; by the ticking thread, before the phase */
    _Atomic uint64_t found; /* events so far, those that were cut too */
    _Atomic uint32_t limit; /* an observer has no use for more enters */
    _Atomic uint64_t sizes[PHX_SPREAD_SIZES]; /* observers by enters, once more than half of the bound was found */
} phx_spreading;

/* Before the interest phase. */
void phx_spread_begin(struct phx_world *world);
/* The worker has run a chunk, whose changes are the last of its scratch: they are counted, and cut by the limit. */
void phx_spread_chunk(struct phx_world *world, uint32_t chunk);
/* Behind the phase: is the bound exceeded, all changes are cut. false = no memory: call again. */
bool phx_spread(struct phx_world *world);

#endif
