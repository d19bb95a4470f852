/*
 * The storage of a classical index, for both ranges. All lists are stored. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_STORAGE_CLASSICAL_STORAGE_H
#define PHX_SHARDS_STORAGE_CLASSICAL_STORAGE_H

#include "shards/state/storage.h"

extern const phx_storage phx_storage_classical;

#endif
