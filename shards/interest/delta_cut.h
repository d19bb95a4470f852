/*
 * The delta of a list that a cap cut: from the limit at which it was cut (state/list_cut.h), without the whole list.
 *
 * Let c be that limit and s be the stickiness. A target of the last rank that was nearer than c / s (in squares) is
 * listed; one beyond c is not; the list tells about targets between the two. The new limit is near c: say from `low` on
 * and below `high`. A listed target that is nearer than `low` stays, and one that is not listed and beyond high / s
 * does not join. The tile leaves these out in 16 bits. The others, few, are undecided: they get their keys in float32,
 * as an evaluation gives them. Of them as many are kept as are listed, the best: if there is a limit between `low` and
 * `high` that parts them so, it parts all targets, as the ones left out are on their sides of it. Else the observer is
 * evaluated.
 *
 * In a sphere distances are those of heights, too. In a cylinder they are those in the ground plane, and a target that
 * is above or below it, now or before, is, or was, beyond any border.
 *
 * Targets of higher ranks are listed while they are in view. So their events are at the view's border, and change
 * the number of undecided targets that are kept.
 *
 * That is right only of targets that moved by a step. Discontinuous ones in view are decided one by one
 * (cut_discontinuous.h), and targets of relations where the rule decides about them (cut_related.h). Interest phase, by
 * the worker of the observer. Called by run_rows.c.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_CUT_H
#define PHX_SHARDS_INTEREST_DELTA_CUT_H

#include "shards/interest/scratch.h"
#include "shards/state/list_cut.h"

/*
 * Finds the events of the own observer at a place of the cell that phx_delta_begin() began. PHX_DELTA_EVALUATE: it is
 * untouched.
 */
phx_delta_result phx_delta_cut(phx_scratch *scratch, phx_shard *shard, uint32_t place);

/* Prefetches what phx_delta_cut() reads of the observers ahead: own rows of the tile before `end`, in its order. */
void phx_delta_cut_await(const phx_scratch *scratch, const phx_shard *shard, uint32_t own, uint32_t end);

#endif
