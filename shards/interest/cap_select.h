/*
 * The targets of a list at a cap (ph_class.cap): the best of the candidates, by rank and distance, and at most adds_max
 * new ones. An observer with a cap scans a part of its view first, as far as the last such observer had to. Interest
 * phase, by the worker of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_CAP_SELECT_H
#define PHX_SHARDS_INTEREST_CAP_SELECT_H

#include "shards/interest/evaluation.h"
#include "shards/state/storage.h"

/*
 * A target that enters the list of an observer, ranked against others that do. Stickiness has no effect: none was in
 * the list. relations may be NULL.
 */
phx_ranked phx_rank_enter(const phx_shard *shard, uint32_t observer, const phx_relation_set *relations,
                          uint32_t target);

/*
 * So many targets may join the list in this tick: adds_max of the class, or PHX_ADDS_ALL. None joins a partial list
 * that is restored.
 */
uint32_t phx_adds_allowed(const phx_evaluation *at);

/* The radius of the first scan: the radius that the last observer with a cap needed, with slack; or the view. */
float phx_cap_likely_radius(const phx_evaluation *at);

/* The next radius after so many failed scans: all failed scans together add less than half to the work. */
static inline float phx_cap_wider_radius(const phx_evaluation *at, uint32_t before)
{
    enum { WIDER = 3 };                /* scans: then the last observer's density says nothing of this one's */
    float radius = at->radius * 1.75f; /* three times the area */
    return before < WIDER && radius < at->attr->view ? radius : at->attr->view;
}

/*
 * Finds the new list among the candidates, at->count of scratch->hits, and the events, at->events of scratch->enter and
 * ->leave. PHX_SCAN_TOO_SHORT: the radius is a part of the view, and may lack one of the best.
 */
phx_scan_result phx_cap_select(phx_evaluation *at);

#endif
