/*
 * The limit at which a cap cut a list. In the list are all targets of higher ranks, and of the last rank each target
 * with a key (interest/cap_select.h) up to the limit. So a delta finds the events of a cut list from old and new
 * positions around the limit (interest/delta_cut.h). Without a cap, at adds_max, it is the key up to which targets
 * joined: a held target of that rank has a higher one, or as high a one (interest/delta_held.h). It is a note of the
 * tick before: without it, or if the list is another one since, the observer is evaluated. Room is made by the owner in
 * the index phase; noted in the interest phase by the worker of the observer.
 */
#ifndef PHX_SHARDS_STATE_LIST_CUT_H
#define PHX_SHARDS_STATE_LIST_CUT_H

#include <math.h>

#include "shards/state/shard.h"

/* Makes room for all slots, if there are observers with a limit. Without memory less is noted. */
void phx_list_cuts_room(phx_shard *shard);

/*
 * The farthest limit that is noted. The keys of all targets within view and margin are up to it; but a target that is
 * seen from beyond them may have any key, and in a square a listed target may be farther off than the view.
 */
static inline double phx_list_cut_most(const phx_shard *shard, const phx_attr *attr)
{
    const float view = attr->view, keep = view + attr->margin;
    if (shard->rules->shape == PH_SHAPE_SQUARE) return nextafter((double)(view * view), 0.0);
    return (double)(keep * keep) * (shard->far.levels == 0 ? shard->rules->sticky : 1.0);
}

/* kept: so many targets of the rank are in the list; behind links that changed about so many. */
static inline void phx_list_cut_note(phx_shard *shard, uint32_t slot, double limit, uint16_t rank, uint32_t kept)
{
    if (PHX_UNLIKELY(slot >= shard->list_cuts.count)) return;
    shard->list_cuts.at[slot] = (phx_list_cut){.limit = limit,
                                               .tick = (uint32_t)shard->tick,
                                               .rank = rank,
                                               .kept = (uint16_t)(kept < UINT16_MAX ? kept : UINT16_MAX)};
}

/* The list is not the one that was noted in this tick. */
static inline void phx_list_cut_forget(phx_shard *shard, uint32_t slot)
{
    if (slot < shard->list_cuts.count) shard->list_cuts.at[slot] = (phx_list_cut){0};
}

/* Was the list of an observer noted in the last tick? In the interest phase. */
static inline bool phx_list_cut_holds(const phx_shard *shard, uint32_t slot)
{
    if (slot >= shard->list_cuts.count) return false;
    const phx_list_cut *cut = &shard->list_cuts.at[slot];
    return cut->limit > 0.0 && cut->tick == (uint32_t)(shard->tick - 1);
}

#endif
