/*
 * Pairs of index = timer, each with the time at which it could pass a border of a view. Written by the shard's owner
 * in the index phase.
 */
#ifndef PHX_SHARDS_INDEX_TIMER_PLANS_H
#define PHX_SHARDS_INDEX_TIMER_PLANS_H

#include "shards/index/timer_state.h"

/* The plan is to be made anew. */
void phx_timer_refresh(phx_timer *own, uint32_t observer);

/* No plan. */
void phx_timer_forget(phx_timer *own, uint32_t slot);

/* A target went, or is not to be told from where it was: its pairs with all near its old range are due. */
void phx_timer_report_left(phx_timer *own, const phx_timer_change *change);

/* A target has a new range: its pairs with all near that, and not near the old one, are made and due. */
void phx_timer_announce_came(phx_timer *own, const phx_timer_change *change);

/* Makes the plan or goes on with it, as is due. false = no memory: call again. */
bool phx_timer_run(phx_timer *own, uint32_t observer);

/* Time starts from 0 again. */
void phx_timer_set_back(phx_timer *own);

bool phx_timer_plans_valid(const phx_timer *own);

#endif
