/*
 * index = grid: one dense array of square cells over the shard's rectangle and its surroundings. registry.c puts it
 * into its table; the contract is in index.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_GRID_H
#define PHX_SHARDS_CLASSICAL_GRID_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_grid;

#endif
