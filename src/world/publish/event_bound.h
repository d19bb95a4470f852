/*
 * The bound on the events of one tick (events_max). A tick with more events fills the lists of all observers over
 * several ticks, the best enters first: no observer gets more than one number of enters (ph_change has the rule).
 *
 * The number follows from the enters of all observers, and is known only behind the interest phase. The observers done
 * so far already give a limit that the number can not exceed, so enters beyond the limit need no memory. In the phase
 * each worker counts, lowers the limit, and cuts its own changes by it. The stage behind the phase cuts all changes to
 * the number. The result depends on no order of workers.
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
typedef struct phx_spread_state {
    uint64_t events_max;                      /* of this tick; by the ticking thread, before the phase */
    _Atomic uint64_t found;                   /* events so far, cut ones too */
    _Atomic uint32_t limit;                   /* an observer has no use for more enters */
    _Atomic uint64_t sizes[PHX_SPREAD_SIZES]; /* observers by enters, once more than half of the bound was found */
} phx_spread_state;

/* Before the interest phase. */
void phx_spread_begin(struct phx_world *world);
/* Counts the changes of a chunk, the last of the worker's scratch, and cuts them by the limit. */
void phx_spread_chunk(struct phx_world *world, uint32_t chunk);
/* Behind the phase: is the bound exceeded, all changes are cut. false = no memory: call again. */
bool phx_spread_tick(struct phx_world *world);

#endif
