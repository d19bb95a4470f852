/*
 * Pairs of a tile with special targets that the observer may not see, as targets hide by stealth, layers, veil or
 * instance: they are left out, many at a time and without a branch, before pairs become words. Interest phase, by
 * any worker.
 */
#ifndef PHX_SHARDS_INTEREST_PAIR_SIFT_H
#define PHX_SHARDS_INTEREST_PAIR_SIFT_H

#include "shards/interest/scratch.h"

/*
 * May the pairs of the scratch's tile be sifted? Not if there are previous rows, whose attributes may be others; nor
 * need they, if no target hides.
 */
bool phx_sift_allowed(const phx_scratch *scratch, const phx_shard *shard);
/*
 * Marks pairs without an event as unsure ones, as phx_kernels.pairs_to_runs() leaves these out. Targets are words.
 * Observers with a negative view are left alone: their list may be stored, and theirs alone decides.
 */
void phx_sift_pairs(phx_scratch *scratch, const phx_shard *shard);

#endif
