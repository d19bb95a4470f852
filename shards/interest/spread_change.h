/*
 * Spread changes: lists that are filled over several ticks. Only the best enters of a change join the list in this
 * tick; the others are held for a later tick (PH_CHANGE_MORE). By one worker a scratch in
 * the interest phase: the one that filled it, or, in the stage spread, any. world/publish/event_bound.h has the number
 * of enters that may join.
 */
#ifndef PHX_SHARDS_INTEREST_SPREAD_CHANGE_H
#define PHX_SHARDS_INTEREST_SPREAD_CHANGE_H

#include "shards/interest/scratch.h"
#include "shards/state/shard.h"

/*
 * Cuts a change down to its `most` best enters, of more: first global and linked targets, then higher priority, then
 * smaller d2, then smaller id. The list loses the other targets. A derived list is stored from then on, until it is
 * complete. false = no memory, nothing changed.
 */
bool phx_spread_change(phx_scratch *scratch, phx_shard *shard, phx_change *change, uint32_t most);

/* Where results of a scratch begin. */
typedef struct phx_scratch_mark {
    uint32_t change, target, overflow;
} phx_scratch_mark;

static inline phx_scratch_mark phx_scratch_mark_of(const phx_scratch *scratch)
{
    return (phx_scratch_mark){scratch->change_count, scratch->target_count, scratch->overflow_count};
}

/*
 * Moves the targets and lists of the changes from `from` on together, after some changes were cut down; the rest of the
 * scratch is free again. Without memory for it all stays as it is.
 */
void phx_interest_tighten(phx_scratch *scratch, phx_scratch_mark from);

#endif
