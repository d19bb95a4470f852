/*
 * Storage without entries, which needs no memory: every slot is looked at. A shard has it from a blind tick to the next
 * index phase (tick/blind_tick.h). A constant.
 */
#ifndef PHX_SHARDS_STORAGE_BARE_STORAGE_H
#define PHX_SHARDS_STORAGE_BARE_STORAGE_H

#include "shards/state/storage.h"

extern const phx_storage phx_storage_bare;

#endif
