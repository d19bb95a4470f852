/*
 * The targets of a list at a cap (ph_class.cap): the best ones of the candidates, by rank and distance, and at most
 * adds_max new ones. An observer with no rule but its cap scans a part of its view first, as far as the last such
 * observer had to. Interest phase, by the worker of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_CAP_SELECT_H
#define PHX_SHARDS_INTEREST_CAP_SELECT_H

#include "shards/interest/evaluation.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* Room to rank so many candidates. false = no memory. */
bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count);

/* Has the observer no rule but its cap, so that distance alone ranks plain targets? */
static inline bool phx_cap_cuts_plainly(const phx_evaluation *at)
{
    const phx_rules *rules = at->shard->rules;
    const phx_far *far = &at->shard->far;
    bool flat = rules->shape == PH_SHAPE_CIRCLE || rules->shape == PH_SHAPE_SQUARE;
    return at->attr->cap > 0 && !at->attr->spreads && !at->shard->restoring && at->attr->margin == 0.0f &&
           phx_sees_common(at->shard, at->attr) && !at->relations && flat && rules->range == PH_RANGE_RADIUS &&
           far->global_count == 0 && far->levels == 0;
}

/*
 * The radius of the first scan for an observer with a plain cap: the radius that the last such observer needed, with
 * slack. Whether it is enough is known after the ranking.
 */
static inline float phx_cap_likely_radius(const phx_evaluation *at)
{
    const double slack = 1.35; /* of the area: less often fails, and costs a second scan */
    const double radius = sqrt(at->scratch->square_each * at->attr->cap * slack);
    const float view = at->attr->view;
    bool in_part = radius > 0.0 && radius < (double)view;
    return in_part && at->shard->storage->scans_in_part(at->shard, at->slot) ? (float)radius : view;
}

/* The next radius after so many failed scans: all failed scans together add less than half to the work. */
static inline float phx_cap_wider_radius(const phx_evaluation *at, uint32_t before)
{
    enum { WIDER = 3 };                /* scans: then the last observer's density says nothing of this one's */
    float radius = at->radius * 1.75f; /* three times the area */
    return before < WIDER && radius < at->attr->view ? radius : at->attr->view;
}

/* Finds the list and the events of an observer with a plain cap, if no hit of a scan needs a check of its own. */
phx_scan_result phx_cap_select(phx_evaluation *at, uint32_t found, phx_cap_split *events);

/* Keeps the best targets of a list that is longer than the cap. false = no memory. */
bool phx_cap_cut_best(phx_evaluation *at);
/* Holds the new targets beyond adds_max. false = no memory. */
bool phx_cap_hold_adds(phx_evaluation *at);

/* Cuts the new list at the cap. false = no memory. */
static inline bool phx_cap_cut(phx_evaluation *at)
{
    return at->attr->cap == 0 || at->count <= at->attr->cap || phx_cap_cut_best(at);
}

/* Of a partial list that is restored: holds all new targets. */
void phx_cap_hold_restored(phx_evaluation *at);

/* Cuts the new targets to adds_max: the others are held. false = no memory. */
static inline bool phx_cap_cut_adds(phx_evaluation *at)
{
    if (PHX_UNLIKELY(at->shard->restoring)) {
        phx_cap_hold_restored(at);
        return true;
    }
    return !at->attr->spreads || phx_cap_hold_adds(at);
}

#endif
