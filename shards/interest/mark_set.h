/*
 * Mark set: marks by slot, distinguished by epochs, to compare two sets of slots without a search. In a worker's own
 * scratch. Interest phase, by the worker of the scratch.
 */
#ifndef PHX_SHARDS_INTEREST_MARK_SET_H
#define PHX_SHARDS_INTEREST_MARK_SET_H

#include "shards/interest/scratch.h"

/* Makes a mark for every slot; new marks are of no epoch. false = no memory. */
bool phx_scratch_marks(phx_scratch *scratch, const phx_store *store);

/* Begins an epoch and returns its mark word without further bits; no mark is of it. The marks were made. */
uint32_t phx_scratch_epoch(phx_scratch *scratch);

/*
 * Removes the slots that are in both scratch->enter and scratch->leave, of so many, from both. false = no memory,
 * nothing was done.
 */
bool phx_interest_differ(phx_scratch *scratch, const phx_store *store, uint32_t *enters, uint32_t *leaves);

enum { PHX_MARK_OLD = 1, PHX_MARK_NEW = 2, PHX_MARK_HELD = 4, PHX_MARK_BITS = 3 };

#endif
