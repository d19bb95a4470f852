/*
 * The indexes that the library has, so that a test over all of them takes in one more as soon as it is there.
 */
#ifndef SUPPORT_INDEXES_H
#define SUPPORT_INDEXES_H

#include <pharos/pharos.h>

enum { INDEX_COUNT = PH_INDEX_TIMER + 1 };

const char *index_name(ph_index index);
/* -1: there is none of this name. */
int index_find(const char *name);

/* May the world be made with it? */
bool index_serves(const ph_world_def *def, ph_index index);

/* The turn-th index that serves the world, without the lighthouse; the lighthouse if there is no other. */
ph_index index_by_turns(const ph_world_def *def, uint64_t turn);

#endif
