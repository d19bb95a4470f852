/*
 * index = hash: square cells in hashed buckets, so that memory follows entities. registry.c puts it into its table;
 * the contract is in index.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_HASH_H
#define PHX_SHARDS_CLASSICAL_HASH_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_hash;

#endif
