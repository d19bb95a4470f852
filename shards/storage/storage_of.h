/*
 * The choice of a shard's storage, once, when the shard is made, so in no phase, by the thread that makes the world.
 * state/storage.h has the operations.
 */
#ifndef PHX_SHARDS_STORAGE_STORAGE_OF_H
#define PHX_SHARDS_STORAGE_STORAGE_OF_H

#include "shards/state/storage.h"

const phx_storage *phx_storage_of(const phx_rules *rules);

#endif
