/*
 * Places of entities in a view: which bodies are shown, and where. A place is one word, as in a frame: y << 16 | x.
 * Called by points.c at the end of a tick, by all workers at once for disjoint slots.
 */
#ifndef PHX_WORLD_MONITOR_PLACES_H
#define PHX_WORLD_MONITOR_PLACES_H

#include "world/monitor/shown.h"

/* Shown are bodies in the view whose state has, of the bits `among`, just `state`. */
typedef struct phx_places_of {
    phx_shown shown;
    uint32_t among, state;
} phx_places_of;

/* The places that were found, by slot. */
typedef struct phx_places {
    uint32_t *slots, *places;
} phx_places;

/*
 * Slots and places of the bodies that are shown, among the ones of some slots. Returns how many; up to PHX_KERNEL_PAD
 * words behind them may be written, too.
 */
typedef uint32_t phx_places_kernel(const phx_places_of *of, const phx_body *bodies, phx_span slots, phx_places to);

uint32_t phx_places_portable(const phx_places_of *of, const phx_body *bodies, phx_span slots, phx_places to);

static inline uint32_t phx_place_cell(uint32_t place)
{
    return phx_shown_cell((uint16_t)place, (uint16_t)(place >> 16));
}

#endif
