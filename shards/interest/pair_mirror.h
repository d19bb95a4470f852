/*
 * Pairs of a tile's moved rows become pairs of the observers that they pass, where few rows moved. Interest phase, by
 * any worker.
 */
#ifndef PHX_SHARDS_INTEREST_PAIR_MIRROR_H
#define PHX_SHARDS_INTEREST_PAIR_MIRROR_H

#include "shards/interest/scratch.h"

/*
 * The pairs are of all moved rows, own or not. A row that stands still has the same event with a moved row, so pairs
 * are mirrored: they become pairs of the own observers in places first .. last, in that order. false = no memory.
 */
bool phx_pairs_mirror(phx_scratch *scratch, const phx_shard *shard, uint32_t first, uint32_t last);

#endif
