/*
 * index = hex: hexagonal towers in levels. registry.c puts it into its table; the contract is in index.h. A constant,
 * read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_HEX_H
#define PHX_SHARDS_CLASSICAL_HEX_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_hex;

#endif
