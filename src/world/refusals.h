/*
 * Refusals on their way from the ticking thread to a producer's thread: a bounded
 * single-producer single-consumer queue. Full means the refusal is only counted.
 * The ring carries pointers into an array of one more item than it holds: an item is
 * written again only when the reader has come back for the one behind it.
 */
#ifndef PHX_WORLD_REFUSALS_H
#define PHX_WORLD_REFUSALS_H

#include <pharos/types.h>

#include "base/ring.h"

typedef struct phx_refusals {
    phx_ring *ring;
    ph_refusal *items;
    uint32_t item_count;
    uint32_t next; /* the putting thread's */
} phx_refusals;

/* false = no memory. */
bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound);
void phx_refusals_free(phx_refusals *refusals, phx_mem *mem);
/* Ticking thread. false = full. */
bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal);
/* Producer's thread. false = empty. */
bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal);

#endif
