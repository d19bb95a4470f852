/*
 * Tasks of the interest phase, one for each tower with observers that may have events: every tower that saw or sees a
 * crossing, and towers with observers to evaluate. Index phase, by the shard's owner.
 */
#ifndef PHX_SHARDS_NINEGRID_CELL_TASKS_H
#define PHX_SHARDS_NINEGRID_CELL_TASKS_H

#include "shards/entity/deferred_adds.h"
#include "shards/ninegrid/ninegrid.h"

/* Input of the index phase. */
typedef struct phx_ninegrid_input {
    const phx_rules *rules;
    phx_store *store;
    const phx_deferred *deferred;
    uint64_t tick;
    bool changed;      /* anything changed in the tick */
    bool evaluate_all; /* every observer is evaluated */
} phx_ninegrid_input;

/* Makes all tasks, block by block, from the crossings. false = no memory: the towers have numbers of tasks or
 * crossings. */
bool phx_cell_tasks_find(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in);

/* The instance in which the entity of a crossing is. */
static inline uint32_t phx_crossing_instance(const phx_store *store, const phx_crossing *crossing)
{
    return PHX_UNLIKELY(crossing->apart) ? phx_store_instance(store, crossing->slot) : 0;
}

#endif
