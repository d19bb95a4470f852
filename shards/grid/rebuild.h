/*
 * Rows sorted by tower anew: a counting sort. In the index phase, by the shard's owner.
 */
#ifndef PHX_SHARDS_GRID_REBUILD_H
#define PHX_SHARDS_GRID_REBUILD_H

#include "shards/grid/grid.h"

/*
 * Sorts rows anew: the old rows of live slots, then the slots of added[] without a row; dead slots lose their rows.
 * Towers of bodies with `changed` equal to `stamp` are marked as changed in this tick. false = no memory: call again,
 * and nothing may read meanwhile.
 */
bool phx_grid_rebuild(phx_grid *grid, phx_mem *mem, phx_store *store, const uint32_t *added, uint32_t added_count,
                      uint64_t tick, uint16_t stamp);

#endif
