/*
 * Targets with a reach while a delta finds the events of an observer. The words of such targets are dropped, as their
 * reach exceeds the view; the items that came or went are decided here, by the rule. Interest phase, by the worker of
 * the observer.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_FAR_H
#define PHX_SHARDS_INTEREST_DELTA_FAR_H

#include "shards/interest/delta_related.h"
#include "shards/interest/scratch.h"

/*
 * Adds the events of the items that were found for an observer whose list is derived (phx_far_items_find(), its view
 * and no margin); there is room. The targets of its relations are left out; related may be NULL.
 */
void phx_delta_far_derive(const phx_tile *tile, uint32_t row, const phx_relation_set *related, phx_delta_hits *hits);

/*
 * The same for a stored list; there is room. The list is as at the last tick's end. Pairs and links, and relations that
 * changed, were decided (delta_related.h); related: with the slots in scratch->related, or NULL.
 */
void phx_delta_far_decide(phx_scratch *scratch, const phx_shard *shard, uint32_t row, const phx_relation_set *related,
                          phx_delta_hits *hits);

/*
 * Finds the items that may have an event with one of these observers, in order of places. Are there any? Beside annuli,
 * where each observer is looked at anyway, items are found for more places at once: the next observers mostly stand
 * there.
 */
bool phx_delta_far_any(phx_tile *tile, phx_tile_observers of);

#endif
