/*
 * Evaluation: the whole new list of an observer against its previous list. In the interest phase any worker evaluates
 * the observers of any range of a shard's rows. It reads the shard. It writes its own scratch, and, of the observers in
 * its range, the lists (entries in place while they fit, count, flags) and the view column. So ranges of one shard run
 * side by side. The owner commits the rest.
 *
 * A delta (delta_tile.h) finds the events of a plain observer among short steps from old and new positions alone. In
 * any other case the whole new list is found and compared with the previous list, which is stored, or derived
 * (query/prev_list.h).
 *
 * An observer is evaluated only if it changed in this tick, or a tower that its view and margin cover is dirty. So a
 * world without changes costs nothing.
 */
#ifndef PHX_SHARDS_INTEREST_EVALUATE_H
#define PHX_SHARDS_INTEREST_EVALUATE_H

#include "shards/interest/scratch.h"
#include "shards/state/shard.h"

/*
 * Evaluates one own observer; phx_interest_run() made room in the scratch. Nothing is done if nothing in view of the
 * observer changed and the call is not forced. false = no memory, nothing changed.
 */
bool phx_evaluate_observer(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t slot,
                           bool forced);

/*
 * Evaluates an observer whose list was below its limit, and would not be any more: no event of it was emitted. The
 * caller counts it as done by delta. As phx_evaluate_observer().
 */
bool phx_evaluate_after_delta(phx_scratch *scratch, phx_shard *shard, uint32_t slot);

#endif
