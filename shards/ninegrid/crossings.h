/*
 * The index phase of range = towers: moves between towers become crossings, and crossings become tasks of the interest
 * phase. By the shard's owner.
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
    bool changed;      /* anything changed in the tick */
    bool evaluate_all; /* every observer is evaluated */
} phx_ninegrid_input;

/*
 * Turns change notes and added slots into crossings, cell entries and tasks. false = no memory: call again, and nothing
 * may read meanwhile.
 */
bool phx_ninegrid_index(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in);

void phx_ninegrid_end_tick(phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store);

/* Updates the observer kind in the cell entry of an observer. After the index phase. */
void phx_ninegrid_update_kind(phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot);

#endif
