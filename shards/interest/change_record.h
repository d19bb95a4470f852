/*
 * Changes of observers: recorded in a worker's scratch in the interest phase, committed to the lists by the shard's
 * owner.
 */
#ifndef PHX_SHARDS_INTEREST_CHANGE_RECORD_H
#define PHX_SHARDS_INTEREST_CHANGE_RECORD_H

#include "shards/interest/scratch.h"

/*
 * The slots of a change's enters. Of an unordered change they are written to buffer[], which has room for
 * PHX_ORDER_SHORT_MAX.
 */
const uint32_t *phx_interest_entered(const phx_scratch *scratch, const phx_change *change, uint32_t *buffer);

/*
 * By the owner: moves a list, or an annulus, that did not fit in place into the pool, gives back the block of a list
 * that is stored no more, and notes an observer that has to be evaluated in the next tick. false = no memory,
 * unchanged.
 */
bool phx_interest_commit(phx_shard *shard, const phx_scratch *scratch, const phx_change *change);

/*
 * Records the change of one observer from the slots in scratch->enter and ->leave. phx_interest_reserve() made room.
 * The list is written separately.
 */
phx_change *phx_interest_record(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                uint32_t leaves);

/* Room for a change of that many targets and a list of that length. false = no memory, nothing changed. */
bool phx_interest_reserve(phx_scratch *scratch, uint32_t targets, uint32_t list_count);

/* Notes that the change has work for the commit. May be called more than once for a change. */
void phx_interest_commits(phx_scratch *scratch, phx_change *change);

/*
 * The place in the scratch's overflow for the change's list of so many entries; reserved. It is written there, then
 * committed.
 */
uint32_t *phx_interest_overflow(phx_scratch *scratch, phx_change *change, uint32_t count);

/* The list gets these entries: in place, or in the scratch's overflow. */
void phx_interest_write_list(phx_scratch *scratch, phx_shard *shard, phx_change *change, const uint32_t *entries,
                             uint32_t count);

/* May the annulus of the observer get so many entries in place? */
bool phx_interest_annulus_fits(const phx_shard *shard, uint32_t slot, uint32_t count);
/*
 * The place where the annulus of the change's observer is written, with so many entries: in place, or else in the
 * scratch's overflow, and the old entries end. change may be NULL if they fit.
 */
uint32_t *phx_interest_annulus(phx_scratch *scratch, phx_shard *shard, uint32_t slot, phx_change *change,
                               uint32_t count);

#endif
