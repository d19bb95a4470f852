/*
 * The storage of index = lighthouse, range = radius: entities are rows of the grid. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_STORAGE_ROW_STORAGE_H
#define PHX_SHARDS_STORAGE_ROW_STORAGE_H

#include "shards/state/storage.h"

extern const phx_storage phx_storage_rows;

#endif
