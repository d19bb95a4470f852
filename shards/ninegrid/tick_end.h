/*
 * The nine-grid after the index phase: towers with marked entries are tidied at the tick's end, so that each has the
 * entities that stand there, in order if they are many. By the shard's owner.
 */
#ifndef PHX_SHARDS_NINEGRID_TICK_END_H
#define PHX_SHARDS_NINEGRID_TICK_END_H

#include "shards/ninegrid/ninegrid.h"

void phx_ninegrid_end_tick(phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store);

/* Updates the observer kind in the cell entry of an observer. After the index phase. */
void phx_ninegrid_update_kind(phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot);

#endif
