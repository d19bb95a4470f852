/*
 * The index phase of range = towers: moves between towers become crossings, crossings become the tasks of the interest
 * phase. The shard's owner.
 */
#ifndef PHX_SHARDS_NINEGRID_CROSSINGS_H
#define PHX_SHARDS_NINEGRID_CROSSINGS_H

#include "shards/entity/deferred_adds.h"
#include "shards/ninegrid/ninegrid.h"

typedef struct phx_ninegrid_input {
    const phx_rules *rules;
    phx_store *store;
    const phx_deferred *deferred;
    uint64_t tick;
    bool changed;  /* anything at all */
    bool look_all; /* every observer evaluates */
} phx_ninegrid_input;

/* Notes and adds become crossings, cards and jobs. false = no memory: call again, nothing may read meanwhile. */
bool phx_ninegrid_index(phx_ninegrid *nine, phx_mem *mem, const phx_ninegrid_input *in);

void phx_ninegrid_end_tick(phx_ninegrid *nine, const phx_rules *rules, const phx_store *store);

/* The observer's card says what it now is to say of it: once the index phase is over. */
void phx_ninegrid_look(phx_ninegrid *nine, const phx_store *store, uint32_t slot);

#endif
