/*
 * The storage of index = lighthouse, range = towers: entities are cell entries. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_STORAGE_NINEGRID_STORAGE_H
#define PHX_SHARDS_STORAGE_NINEGRID_STORAGE_H

#include "shards/state/storage.h"

extern const phx_storage phx_storage_ninegrid;

#endif
