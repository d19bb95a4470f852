/*
 * index = timer: pairs, each compared when it could have met. registry.c puts it into its table; the contract is in
 * index.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_TIMER_H
#define PHX_SHARDS_CLASSICAL_TIMER_H

#include "shards/index/index.h"

extern const phx_index_ops phx_index_timer;

#endif
