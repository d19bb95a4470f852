/*
 * index = quadtree: the shard's rectangle, split into four wherever a leaf is full. registry.c puts it into its table;
 * the contract is in index.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_QUADTREE_H
#define PHX_SHARDS_CLASSICAL_QUADTREE_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_quadtree;

#endif
