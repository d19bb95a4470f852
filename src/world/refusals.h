/*
 * Refusals on their way from the ticking thread to a producer's thread: a bounded
 * single-producer single-consumer queue. Full means the refusal is only counted.
 * Two rings carry pointers into one array: `told` to the reader, `back` to be filled
 * again; an item belongs to whoever took its pointer last.
 */
#ifndef PHX_WORLD_REFUSALS_H
#define PHX_WORLD_REFUSALS_H

#include <pharos/types.h>

#include "base/ring.h"

typedef struct phx_refusals {
    phx_ring *ring; /* told */
    phx_ring *back;
    ph_refusal *items;
    uint32_t item_count;
} phx_refusals;

/* false = no memory. */
bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound);
void phx_refusals_free(phx_refusals *refusals, phx_mem *mem);
/* Ticking thread. false = full. */
bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal);
/* Producer's thread. false = empty. */
bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal);

#endif
