/*
 * index = crosslist: entities and the borders of their views in two sorted lists. registry.c puts it into its table;
 * the contract is in index.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_CROSSLIST_H
#define PHX_SHARDS_CLASSICAL_CROSSLIST_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_crosslist;

#endif
