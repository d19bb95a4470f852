/*
 * Plans of index = timer: pairs, each with the time at which it could pass a border of a view. Written by the shard's
 * owner in the index phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_TIMER_PLANS_H
#define PHX_SHARDS_CLASSICAL_TIMER_PLANS_H

#include "shards/classical/timer_state.h"

/* Marks the observer's plan as to be made anew. */
void phx_timer_refresh(phx_timer *own, uint32_t observer);

/* Drops the plan of a slot. */
void phx_timer_drop(phx_timer *own, uint32_t slot);

/*
 * A target left, or its old position says nothing of its new one: its pairs with all observers near its old range are
 * due.
 */
void phx_timer_report_left(phx_timer *own, const phx_timer_change *change);

/* A target has a new range: its pairs with all observers near that, and not near the old one, are made and due. */
void phx_timer_announce_entered(phx_timer *own, const phx_timer_change *change);

/* Makes the plan, or advances it. false = no memory: call again. */
bool phx_timer_run(phx_timer *own, uint32_t observer);

/* Sets time back to 0. */
void phx_timer_set_back(phx_timer *own);

bool phx_timer_plans_valid(const phx_timer *own);

#endif
