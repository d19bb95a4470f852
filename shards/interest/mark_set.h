/*
 * Marks by slot, told apart by epochs: two sets of slots compared without a search. In a worker's own scratch.
 */
#ifndef PHX_SHARDS_INTEREST_MARK_SET_H
#define PHX_SHARDS_INTEREST_MARK_SET_H

#include "shards/interest/scratch.h"

/* A mark for every slot; fresh marks are of no epoch. false = no memory. */
bool phx_scratch_marks(phx_scratch *scratch, const phx_store *store);

/* A new epoch, as the word of a mark without further bits: no mark is of it. There are marks. */
uint32_t phx_scratch_epoch(phx_scratch *scratch);

/*
 * Takes the slots that are among so many in scratch->enter and in scratch->leave both out of both. false = no memory,
 * nothing was done.
 */
bool phx_interest_differ(phx_scratch *scratch, const phx_store *store, uint32_t *enters, uint32_t *leaves);

enum { PHX_MARK_OLD = 1, PHX_MARK_NEW = 2, PHX_MARK_HELD = 4, PHX_MARK_BITS = 3 };

#endif
