/*
 * Rows sorted anew where the same entities drifted in a dense tick: by their old positions, so by columns alone. Of
 * bodies in no order of memory this reads no more than any dense tick. In the index phase, by the shard's owner.
 */
#ifndef PHX_SHARDS_GRID_DRIFT_SORT_H
#define PHX_SHARDS_GRID_DRIFT_SORT_H

#include "shards/grid/grid.h"

/*
 * Sorts all rows by old positions; a row without one by its body's tower. Then x and y are written from bodies, so they
 * drifted from there by this tick's steps. Blocks stay as they are: each old position has one. Misplaced rows stay so.
 */
void phx_grid_sort_drifted(phx_grid *grid, const phx_rules *rules, phx_store *store);

#endif
