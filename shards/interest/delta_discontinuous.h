/*
 * Events with entities that jumped, changed or left, where lists are derived: the part that tiles and rows share. In
 * the interest phase, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_DISCONTINUOUS_H
#define PHX_SHARDS_INTEREST_DELTA_DISCONTINUOUS_H

#include "shards/interest/scratch.h"

/*
 * ---- of who is odd, where lists are implied ----
 *
 * Takes those whom one observer leaves and enters, who were seen and still are, out of its few words: who is odd enters
 * where it is, and leaves, with PHX_ROW_SPECIAL, where it was. How many there were.
 */
uint32_t phx_delta_keep_seen(uint32_t *words, phx_span *of);

/*
 * Slots in scratch->enter and ->leave become a change, but for those in both. apart: there is room behind it for the
 * changes of all runs. false = no memory, nothing was told.
 */
bool phx_delta_emit_both(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters, uint32_t leaves,
                         bool apart);

/*
 * An odd observer, whose list is bare: slots in scratch->enter are all that it sees now, whom it saw is told by
 * positions. As phx_delta_emit_both().
 */
bool phx_delta_emit_discontinuous(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters, bool apart);

#endif
