/*
 * The interest phase: who sees whom, old list against new. Any worker evaluates the
 * observers of any range of a shard's rows; it reads the shard and writes only its own
 * scratch, and of the observers in its range the lists (entries in place while they fit,
 * count, flags) and the view column, so ranges of one shard run side by side. The owner
 * commits the rest.
 *
 * Two ways to one answer. A glance (delta_tile.h) finds the events of a plain observer among
 * short steps from old and new positions alone. Where anything else is going on, the
 * whole new list is found and compared with the old one, which is kept, or recalled (query/prev_list.h).
 *
 * An observer is looked at only if it, or anything in the towers that its view and
 * margin cover, changed in this tick; so a world where nobody moves costs nothing.
 */
#ifndef PHX_SHARDS_INTEREST_EVALUATE_H
#define PHX_SHARDS_INTEREST_EVALUATE_H

#include "shards/interest/scratch.h"
#include "shards/state/shard.h"

/* Room to rank so many. false = no memory. */
bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count);

/*
 * One own observer, for which the scratch has room (phx_interest_run()), the long way: its whole new list against the
 * old one; unless nothing changed in sight of it and it is not forced. false = no memory, nothing changed.
 */
bool phx_evaluate_observer(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t slot,
                           bool forced);

#endif
