/*
 * The bare index: it holds nothing, and looks at every slot. No host can choose it: a shard has it from a blind tick
 * (tick/blind_tick.h) to the next index phase.
 */
#ifndef PHX_SHARDS_INDEX_BARE_H
#define PHX_SHARDS_INDEX_BARE_H

#include "shards/index/index.h"

/* All slots with PHX_SLOT_ROW are in it. Wants no memory, and is never freed; the counts stay. */
void phx_index_bare(phx_index *index, const phx_index_env *env);

#endif
