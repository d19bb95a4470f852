/*
 * The index phase of range = towers: moves between towers become crossings, and crossings become tasks of the interest
 * phase. By the shard's owner.
 */
#ifndef PHX_SHARDS_NINEGRID_CROSSINGS_H
#define PHX_SHARDS_NINEGRID_CROSSINGS_H

#include "shards/ninegrid/cell_tasks.h"

enum {
    PHX_NINEGRID_CROSSINGS = 0,
    PHX_NINEGRID_ENTRIES,
    PHX_NINEGRID_TASKS,
    PHX_NINEGRID_INDEXED
}; /* phx_ninegrid.stage: to be done */

/*
 * Turns change notes and added slots into crossings, cell entries and tasks. false = no memory: call again, and nothing
 * may read meanwhile.
 */
bool phx_ninegrid_index(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in);

#endif
