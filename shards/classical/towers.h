/*
 * index = towers: towers with their entities and their subscribers. registry.c puts it into its table; the contract is
 * in index.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_TOWERS_H
#define PHX_SHARDS_CLASSICAL_TOWERS_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_towers;

#endif
